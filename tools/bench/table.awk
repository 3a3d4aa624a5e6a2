# SPDX-License-Identifier: MIT
#
# usage: awk -F '|' -f table.awk -v series=S -v kernel=K -v qemu=Q ALL
#
# Prints the tables of the document from the rows of all runs on one kernel.
$4 == "row" {
	key = $2 SUBSEP $5
	if (!(key in rows)) {
		rows[key] = ++num[$2]
		name[$2, num[$2]] = $5
	}
	k = key SUBSEP $3
	if ($1 > runs)
		runs = $1
	total = $6 + $7
	if (!((k, "total") in v) || total < v[k, "total"]) {
		v[k, "total"] = total
		v[k, "kernel"] = $6
		v[k, "user"] = $7
		v[k, "caller"] = $8
		v[k, "threads"] = $9
		v[k, "irq"] = $10
		v[k, "scheduler"] = $11
		v[k, "waiting"] = $12
		v[k, "card"] = $16 " / " $17 " / " $18
		v[k, "loads"] = $26
		v[k, "run"] = $1
	}
	if (v[k, "last"] != "" && v[k, "last"] != total)
		v[k, "differs"] = 1
	v[k, "last"] = total
	v[k, "equal"] = v[k, "equal"] (v[k, "equal"] != "" ? "; " : "") $13 ", " $14 " / " $15
	v[k, "card-equal"] = v[k, "card-equal"] (v[k, "card-equal"] != "" ? ", " : "") $19 "/" $15
	if ((k, "card-last") in v && v[k, "card-last"] != $16 " " $17 " " $18)
		v[k, "card-differs"] = 1
	v[k, "card-last"] = $16 " " $17 " " $18
}

# usage: part(FUNCTION, MODULE, DRIVER): the owner of the code
function part(fn, module, driver)
{
	if (fn == "user")
		return "program"
	if (module == driver)
		return "driver"
	if (module != "-" || fn ~ /^(drm|ttm|gpu_buddy|dma_fence|dma_resv|__gpu_buddy|__dma_resv)/)
		return "helpers"
	if (fn ~ /(kmalloc|kvmalloc|kfree|kvfree|kmem_cache|slab|alloc_pages|alloc_frozen|free_unref|free_frozen|free_pages|free_tail_page|page_from_freelist|rmqueue|prep_new_page|zone_watermark|memcg|obj_cgroup|lruvec)/)
		return "memory"
	return "rest"
}

$4 == "profile" {
	k = $2 SUBSEP $5 SUBSEP $3 SUBSEP $1
	p[k, part($8, $9, $3)] += $7
	if ($3 == "xetile" && $8 != "user" && tops[k] < 6) {
		# A function that several parts execute is listed once for each, the largest first.
		tops[k]++
		top[k] = top[k] (top[k] != "" ? ", " : "") $8 " " $7
	}
}

# The memory of the last run counts.
$4 == "memory" {
	if (!(($2, $5) in mem_rows)) {
		mem_rows[$2, $5] = ++mem_num[$2]
		mem_name[$2, mem_num[$2]] = $5
	}
	k = $2 SUBSEP $5 SUBSEP $3
	mem[k] = $6 " / " $7 " / " $8
}

$4 == "text" {
	text[$3] = $5
	init[$3] = $6
}

function csv_begin(title, header)
{
	print ".. csv-table:: " title ", kernel " series
	print "   :header: " header
	print ""
}

function get(k, field)
{
	return v[k, field] + 0
}

function figure(k)
{
	if (!((k, "total") in v))
		return "-"
	return (v[k, "differs"] ? "~" : "") (get(k, "kernel") - base_kernel) " + " \
		(get(k, "user") - base_user)
}

# usage: both(); true: the other driver can do what select() found
function both()
{
	return (xe, "total") in v
}

function quotient()
{
	return both() ? sprintf("%.2f", ratio) : "-"
}

function net(k)
{
	return get(k, "total") - base_kernel - base_user
}

function is_self_test(n)
{
	return n == "nothing" || n ~ /^(loop of|string)/
}

# usage: select(TILES, I): sets row, xe, xt and ratio, which is 0 if xe cannot do it; false: the row
# is not for the tables
function select(tiles, i)
{
	row = name[tiles, i]
	xe = tiles SUBSEP row SUBSEP "xe"
	xt = tiles SUBSEP row SUBSEP "xetile"
	if (is_self_test(row) || !((xt, "total") in v))
		return 0
	ratio = both() ? net(xt) / net(xe) : 0
	return 1
}

function executors(k)
{
	if (!((k, "total") in v))
		return "-"
	return sprintf("%d / %d / %d", get(k, "caller") - base_kernel - base_user, \
		get(k, "threads"), get(k, "irq"))
}

function alone(k, field)
{
	return (k, "total") in v ? get(k, field) : "-"
}

function instructions(    tiles, i)
{
	csv_begin("instructions, kernel + user", \
		"\"tiles\", \"operation\", \"xe\", \"xetile\", \"ratio\", \"of xetile's, the kernel's\", \"equal: all, caller / of, xe\", \"xetile\"")
	for (tiles = 1; tiles <= 2; tiles++)
		for (i = 1; i <= num[tiles]; i++)
			if (select(tiles, i))
				printf "   \"%d\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\"\n", \
					tiles, row, figure(xe), figure(xt), quotient(), \
					(ratio > 0.5 ? kernels(xt) : ""), v[xe, "equal"], v[xt, "equal"]
	print ""
	csv_begin("who executed them, caller / threads / interrupts; apart: scheduler, delays", \
		"\"tiles\", \"operation\", \"xe\", \"xetile\", \"scheduler, xe\", \"scheduler, xetile\", \"delays, xe\", \"delays, xetile\"")
	for (tiles = 1; tiles <= 2; tiles++)
		for (i = 1; i <= num[tiles]; i++)
			if (select(tiles, i))
				printf "   \"%d\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\"\n", \
					tiles, row, executors(xe), executors(xt), \
					alone(xe, "scheduler"), alone(xt, "scheduler"), \
					alone(xe, "waiting"), alone(xt, "waiting")
	print ""
	csv_begin("the card's registers and messages, reads / writes / interrupts; loads of contexts", \
		"\"tiles\", \"operation\", \"xe\", \"xetile\", \"loads, xetile\", \"equal samples, xe\", \"equal samples, xetile\"")
	for (tiles = 1; tiles <= 2; tiles++)
		for (i = 1; i <= num[tiles]; i++)
			if (select(tiles, i))
				printf "   \"%d\", \"%s\", \"%s%s\", \"%s%s\", \"%s\", \"%s\", \"%s\"\n", \
					tiles, row, \
					v[xe, "card-differs"] ? "~" : "", v[xe, "card"], \
					v[xt, "card-differs"] ? "~" : "", v[xt, "card"], v[xt, "loads"], \
					v[xe, "card-equal"], v[xt, "card-equal"]
	print ""
}

# The same program by the same calls, on each driver
function calls(    tiles, i)
{
	csv_begin("the calls of xe, instructions, kernel + user", \
		"\"tiles\", \"operation\", \"xe\", \"xetile\", \"ratio\"")
	for (tiles = 1; tiles <= 2; tiles++) {
		for (i = 1; i <= num[tiles]; i++) {
			row = name[tiles, i]
			xe = tiles SUBSEP row SUBSEP "xe"
			xt = tiles SUBSEP row SUBSEP "calls"
			if (!is_self_test(row) && (xe, "total") in v && (xt, "total") in v)
				printf "   \"%d\", \"%s\", \"%s\", \"%s\", \"%.2f\"\n", tiles, row, \
					figure(xe), figure(xt), net(xt) / net(xe)
		}
	}
	print ""
}

function parts(k,    run)
{
	run = v[k, "run"]
	return sprintf("%d / %d / %d / %d", p[k, run, "driver"], p[k, run, "helpers"], \
		p[k, run, "memory"], p[k, run, "rest"])
}

# usage: kernels(K): the percentage of code that is not the driver's own
function kernels(k,    run, rest)
{
	run = v[k, "run"]
	rest = p[k, run, "helpers"] + p[k, run, "memory"] + p[k, run, "rest"]
	return sprintf("%d %%", 100 * rest / (rest + p[k, run, "driver"]))
}

function spent(    tiles, i)
{
	csv_begin("whose code, driver / DRM and TTM / allocators / rest of the kernel", \
		"\"tiles\", \"operation\", \"xe\", \"xetile\", \"ratio\", \"largest functions with xetile\"")
	for (tiles = 1; tiles <= 2; tiles++)
		for (i = 1; i <= num[tiles]; i++)
			if (select(tiles, i) && ratio > 0.5)
				printf "   \"%d\", \"%s\", \"%s\", \"%s\", \"%.2f\", \"%s\"\n", tiles, row, \
					parts(xe), parts(xt), ratio, top[xt, v[xt, "run"]]
	print ""
}

function memory(    tiles, i)
{
	csv_begin("memory of one object in bytes, slab / other pages / HBM", \
		"\"tiles\", \"object\", \"xe\", \"xetile\"")
	for (tiles = 1; tiles <= 2; tiles++)
		for (i = 1; i <= mem_num[tiles]; i++)
			printf "   \"%d\", \"%s\", \"%s\", \"%s\"\n", tiles, mem_name[tiles, i], \
				mem[tiles, mem_name[tiles, i], "xe"], \
				mem[tiles, mem_name[tiles, i], "xetile"]
	print ""
}

END {
	base_kernel = get("1" SUBSEP "nothing" SUBSEP "xetile", "kernel")
	base_user = get("1" SUBSEP "nothing" SUBSEP "xetile", "user")
	print ""
	print "Kernel " kernel ", QEMU " qemu ", one processor, " runs " run(s) of each driver."
	print ""
	instructions()
	calls()
	spent()
	memory()
	csv_begin("code of the module in bytes", "\"\", \"xe\", \"xetile\", \"ratio\"")
	printf "   \"text\", \"%d\", \"%d\", \"%.2f\"\n", text["xe"], text["xetile"], text["xetile"] / text["xe"]
	printf "   \"of the start and the end\", \"%d\", \"%d\", \"\"\n", init["xe"], init["xetile"]
	print ""
}
