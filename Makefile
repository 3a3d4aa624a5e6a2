# SPDX-License-Identifier: GPL-2.0-only
#
# Builds and tests the whole tree. "make help" lists the targets.

LAB := tools/lab/lab
JOBS ?= $(shell nproc)
# Everything is built with the toolchain of the sysroot, where the tree is always /xetile.
SUBMAKE = $(LAB) chroot make --no-print-directory -j$(JOBS)
KERNELS := 6.12 7.2
KDIR ?= /lib/modules/$(shell uname -r)/build
# Where install puts library and tool, which it builds with this machine's toolchain
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
NATIVE := $(CURDIR)/build/native
NATIVE_LIB = $(MAKE) --no-print-directory -j$(JOBS) -C libxetile O=$(NATIVE)/libxetile \
	PREFIX=$(PREFIX) LIBDIR=$(LIBDIR)
NATIVE_CTL = $(MAKE) --no-print-directory -j$(JOBS) -C tools/xetilectl O=$(NATIVE)/xetilectl \
	LIBXETILE=$(NATIVE)/libxetile PREFIX=$(PREFIX)

help:
	@echo "make demo          build, boot a guest, run a job, check its result (root)"
	@echo "make test          tests of each part, within the hour; ends with 'N passed, N failed'"
	@echo "                   (root; without faults, long, xe, matrix, coverage, bench, most of conformance)"
	@echo "make test KERNEL=debug  the tests in guests on a kernel that checks itself (root; memory,"
	@echo "                   locks, leaks ...; KERNEL=kcsan: data races)"
	@echo "make igt TEST=NAME[@SUBTEST]  tests of the driver in one guest (root; TEST=+SUITE: the"
	@echo "                   programs of a suite; KERNEL=7.2,"
	@echo "                   TILES=n, CARD=\"--seed 3\": options of the card;"
	@echo "                   XETILE_LIMIT=n: seconds that a subtest may take)"
	@echo "make build         card, library, tool, tests, module for $(KERNELS)"
	@echo "make module        the module for the kernel in KDIR (default: the running one)"
	@echo "make install       library, headers, tool, manual pages, rules of udev and modprobe, built"
	@echo "                   with this machine's compiler (PREFIX=/usr/local, LIBDIR=, DESTDIR=);"
	@echo "                   not the module: make deb packages it for DKMS, make module"
	@echo "                   builds it for one kernel. make uninstall: with the same settings"
	@echo "make check         unit tests of library and tool, with this machine's compiler"
	@echo "make deb           Debian packages of all of it in build/deb (root)"
	@echo "make deb-test      installs, upgrades and purges them in a Debian of their own (root)"
	@echo "make kernels       the module for each kernel whose headers Debian packages (root;"
	@echo "                   VERSIONS=6.12.94: only for these)"
	@echo "make faults        make every allocation and user copy of the driver fail once (root)"
	@echo "make fuzz          random calls to the driver, guided by its coverage (root;"
	@echo "                   SECONDS=n, SEED=n, KERNEL=6.12: not guided)"
	@echo "make fuzz-card     random messages, registers, page tables and commands to the card,"
	@echo "                   guided by its coverage (root; SECONDS=n for each of them)"
	@echo "make coverage      lines that the tests run: driver, card, library, tool (root;"
	@echo "                   QUICK=1: only the driver's, by the IGT tests)"
	@echo "make planted       test that the checking kernel finds planted faults (root;"
	@echo "                   KERNEL=kcsan: the one for data races)"
	@echo "make matrix        the IGT tests on every kernel with every kind of card (root;"
	@echo "                   KERNELS=\"6.12 7.2\", CARDS=4t-1c-0xf)"
	@echo "make long          tests that take long, or that make test runs on one kernel (root)"
	@echo "make soak          all tests and faults at random; nothing may be lost"
	@echo "                   (root; MINUTES=n, SEED=n, KERNEL=7.2)"
	@echo "make xe            the kernel's xe driver and its tests on the card (root; QUICK=1: a few;"
	@echo "                   DRIVER=xetile: these tests on this driver; KERNEL=7.2, TILES=2,"
	@echo "                   TEST=\"xe_vm xe_query@query-engines\")"
	@echo "make runtimes      programs on Intel's runtimes for OpenCL and Level Zero on the card (root;"
	@echo "                   ONLY=clinfo,vadd; QUICK=1: those of make test; KERNEL=6.12, TILES=2,"
	@echo "                   CARD=\"--seed 3\", DEBUG=1: they tell their calls)"
	@echo "make cluster       an MPI job on slices of the cards, started by Open MPI, MPICH and Slurm"
	@echo "                   (root; SIZE=tiles: one card; SIZE=node: six cards of two tiles, 48"
	@echo "                   processes; SIZE=jobs: jobs in control groups; SIZE=nodes: two guests;"
	@echo "                   KERNEL=7.2)"
	@echo "make conformance   results of compiled kernels on the card and on a CPU (root; QUICK=1,"
	@echo "                   MANIFEST=FILE: kernels of your own)"
	@echo "make bench         count the cost of operations, compared with xe (root)"
	@echo "make bench-growth  count it beside up to 31,000 objects of other clients (root;"
	@echo "                   QUICK=1: 1,000)"
	@echo "make lint          static checks of the code, the uAPI's layout and the documentation"
	@echo "make htmldocs      the documentation as web pages in build/html (root)"
	@echo "make man           manual pages of the library's calls in build/man3 (root)"
	@echo "make report-test   a page of xetilectl report, from a guest, in Chromium (root; needs it)"
	@echo "make screenshots   take the pictures of tour.rst anew, in a guest (root)"
	@echo "make map           draw the picture of the folders and their #include lines anew"
	@echo "make pictures      draw the pictures of the documentation anew (root)"
	@echo "make bench-eu      compare the card's execution units with this CPU and a guest (root)"
	@echo "make shell         a shell in a guest with one two-tile card (root)"
	@echo "make clean         remove build/ (the sysroot's cache stays)"
	@echo "tools/lab/lab help the options of the lab"

all: module

module:
	@[ -d "$(KDIR)" ] || { echo "no kernel headers at $(KDIR); set KDIR=" >&2; exit 1; }
	tools/lab/module "$(KDIR)" build/modules/host

# The packages of Debian have the names in the message.
native-needs:
	@pkg-config --exists libdrm libelf yaml-0.1 || { \
		echo "needs pkg-config, libdrm-dev, libelf-dev and libyaml-dev" >&2; exit 1; }

native: native-needs
	$(NATIVE_LIB) all
	$(NATIVE_CTL) all $(NATIVE)/xetilectl/install/xetilectl

check: native-needs
	$(NATIVE_LIB) check
	$(NATIVE_CTL) check

install: native-needs
	$(NATIVE_LIB) install
	$(NATIVE_CTL) install
	install -d $(DESTDIR)$(PREFIX)/lib/modprobe.d
	install -m 644 tools/deb/modprobe.d/xetile.conf $(DESTDIR)$(PREFIX)/lib/modprobe.d
	@[ "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig

# Removes the files that an install with the same settings would write, and the folder that only
# xetile has.
uninstall:
	rm -rf $(NATIVE)/installed
	$(MAKE) install DESTDIR=$(NATIVE)/installed
	cd $(NATIVE)/installed && find . ! -type d -printf '%P\0' | \
		( cd "$(or $(DESTDIR),/)" && xargs -0 rm -f )
	rmdir $(DESTDIR)$(PREFIX)/include/xetile
	@[ "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ldconfig

deb:
	tools/deb/build

deb-test: deb
	tools/deb/test

build: root vpvc libxetile xetilectl igt-tests programs modules

modules: $(KERNELS:%=module-%)

root:
	@$(LAB) root > /dev/null

module-%: root
	@[ ! -e tools/lab/kernel/$*.config ] || $(LAB) kernel $* > /dev/null
	$(if $(CHECKED),tools/lab/checked $* build/modules/$*,\
		$(LAB) chroot tools/lab/module /lib/modules/$*/build build/modules/$*)

kernels: root
	tools/lab/kernels $(VERSIONS)

vpvc: root
	$(SUBMAKE) -C tools/vpvc O=/xetile/build/vpvc all

libxetile: root
	$(SUBMAKE) -C libxetile O=/xetile/build/libxetile all

xetilectl: libxetile
	$(SUBMAKE) -C tools/xetilectl O=/xetile/build/xetilectl all

# Builds programs that other targets need, so that a build error shows before these targets run.
programs: vpvc libxetile
	$(SUBMAKE) -C tools/vpvc O=/xetile/build/vpvc /xetile/build/vpvc/vpvc-test
	$(SUBMAKE) -C tools/conformance O=/xetile/build/conformance all \
		/xetile/build/conformance/tests/conformance

igt-tests: root
	$(SUBMAKE) -C igt-tests O=/xetile/build/igt-tests all

demo: vpvc xetilectl module-6.12
	$(LAB) run --verbose --no-module --tiles 2 --timeout 1200 -- /xetile/tools/lab/demo

shell: vpvc xetilectl module-6.12
	$(LAB) shell --verbose --tiles 2

test: root
	KERNEL=$(KERNEL) tools/lab/tests

igt: KERNEL ?= 6.12
igt: TILES ?= 2
igt: vpvc igt-tests xetilectl module-$(or $(KERNEL),6.12)
	$(LAB) run --verbose --kernel $(KERNEL) --no-module --tiles $(TILES) --card-opt "$(CARD)" \
		--log build/igt -- $(if $(XETILE_LIMIT),env XETILE_LIMIT=$(XETILE_LIMIT)) \
		/xetile/igt-tests/run /xetile/build/modules/$(KERNEL)/xetile.ko \
		/xetile/build/igt-tests $(TEST)

faults: vpvc igt-tests module-debug
	tools/lab/guests faults

long: vpvc igt-tests xetilectl module-6.12 module-7.2
	tools/lab/guests long
	! $(LAB) chroot env LINT_LAYER="$$($(LAB) lint-layer)" tools/lint/coccinelle --slow | grep .

# tools/lab/fuzz builds the module with coverage.
fuzz: SECONDS ?= 60
fuzz: SEED ?= 1
fuzz: KERNEL ?= debug
fuzz: vpvc igt-tests
	tools/lab/fuzz --kernel $(KERNEL) --seconds $(SECONDS) --seed $(SEED)

# libFuzzer over the virtual card, with the sanitizers; make test runs the inputs that were kept.
fuzz-card: SECONDS ?= 60
fuzz-card: root
	tools/vpvc/fuzz/libfuzzer -s $(SECONDS) -r 1000000000

coverage: vpvc igt-tests
	tools/lab/coverage $(if $(QUICK),--quick)

planted: root
	tools/lab/planted/check $(or $(KERNEL),debug)

matrix: root
	KERNELS="$(KERNELS)" tools/lab/guests matrix $(CARDS)

soak: MINUTES ?= 10
soak: SEED ?= 1
soak: vpvc igt-tests module-$(or $(KERNEL),6.12)
	KERNEL=$(KERNEL) MINUTES=$(MINUTES) SEED=$(SEED) tools/lab/guests soak

xe: DRIVER ?= xe
xe: vpvc igt-tests $(if $(filter xetile,$(DRIVER)),$(addprefix module-,$(or $(KERNEL),6.12 7.2)))
	tools/xe/run --driver $(DRIVER) $(if $(QUICK),--quick) $(if $(KERNEL),--kernel $(KERNEL)) \
		$(if $(TILES),--tiles $(TILES)) $(TEST)

comma := ,
runtimes: vpvc libxetile xetilectl module-$(or $(KERNEL),7.2)
	tools/runtimes/run --kernel $(or $(KERNEL),7.2) --tiles $(or $(TILES),1) \
		$(if $(CARD),--card-opt "$(CARD)") $(if $(QUICK),--quick) $(if $(DEBUG),--debug) \
		$(subst $(comma), ,$(ONLY))

cluster: SIZE ?= tiles
cluster: vpvc xetilectl module-$(or $(KERNEL),6.12)
	for mpi in openmpi mpich; do \
		$(LAB) cluster make --no-print-directory -C libxetile O=/xetile/build/libxetile halo \
			MPICC=mpicc.$$mpi HALO=halo.$$mpi || exit; \
	done
	KERNEL=$(KERNEL) tools/cluster/run $(SIZE)

conformance: vpvc libxetile module-6.12
	tools/conformance/run $(if $(QUICK),--quick) $(if $(MANIFEST),--manifest "$(MANIFEST)")

bench: vpvc module-$(or $(KERNEL),6.12)
	$(SUBMAKE) -C tools/bench O=/xetile/build/bench all
	tools/bench/run $(if $(KERNEL),--kernel $(KERNEL))
	tools/bench/run --library

bench-growth: vpvc module-6.12 module-7.2
	$(SUBMAKE) -C tools/bench O=/xetile/build/bench all
	tools/bench/run --growth $(if $(QUICK),1000,31000)

# The first run measures loops on the guest's CPU, the second kernels and loops on this machine.
bench-eu: vpvc module-6.12
	$(SUBMAKE) -C tools/vpvc/eu O=/xetile/build/vpvc-eu bench
	rm -f build/vpvc-eu/guest build/vpvc-eu/card
	@for round in 1 2 3; do \
		$(LAB) run --no-module -- /xetile/build/vpvc-eu/eu-bench --loops | \
			grep -aE '^(triad|matmul|nbody|reduce|diverge) [0-9]+' | tr -d '\r' \
			>> build/vpvc-eu/guest || exit; \
		$(LAB) chroot build/vpvc-eu/eu-bench --kernels >> build/vpvc-eu/card || exit; \
	done
	$(LAB) chroot build/vpvc-eu/eu-bench --beside build/vpvc-eu/guest build/vpvc-eu/card

lint: root
	tools/lab/lint

htmldocs: root
	tools/docs/html
	@echo "build/html/gpu/xetile/index.html"

man: root
	$(LAB) docs tools/docs/man /opt/kernel/scripts/kernel-doc build/man3

# Chromium is large, and no part of the sysroot or the CI.
report-test: vpvc xetilectl module-6.12
	mkdir -p build/report
	$(LAB) run --tiles 2 --log build/report -- /xetile/tools/xetilectl/tests/report_guest.sh \
		/xetile/build/xetilectl/xetilectl /xetile/libxetile/kernels/kernels.bin /out/report.html
	tools/xetilectl/tests/report_browser.sh build/report/out/report.html \
		cards topology map modes processes load health check dump versions log

screenshots: vpvc xetilectl module-6.12
	tools/docs/screenshots

map:
	mkdir -p build
	tools/lint/map > build/map.new
	mv build/map.new Documentation/gpu/xetile/map.svg

pictures: xetilectl
	$(LAB) chroot tools/docs/pictures build/xetilectl/xetilectl Documentation/gpu/xetile

clean:
	rm -rf build

.PHONY: help all module build modules kernels root vpvc libxetile xetilectl igt-tests programs
.PHONY: native-needs native check install uninstall deb deb-test
.PHONY: bench-growth bench-eu lint htmldocs man map pictures report-test screenshots clean
.PHONY: demo shell igt test faults fuzz fuzz-card coverage planted matrix long soak xe runtimes
.PHONY: cluster conformance bench
.NOTPARALLEL:
