# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the nodes of a cluster have beside the sysroot: two MPIs and Slurm, from the distribution. It
# is a layer, because nothing else needs it. It has only what the sysroot lacks, and is laid over
# the sysroot, so that programs and plugins are in the folders that they were built for. A folder
# that is laid over another one cannot be in that, so it is beside the sysroot.

cluster_packages=(openmpi-bin libopenmpi-dev mpich libmpich-dev
	slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge)

# usage: cluster_get ROOT
# Prints the folder that is laid over the sysroot ROOT; makes it if it is not there.
cluster_get()
{
	local key path

	key=$({ cat "$LAB_DIR/lib/cluster.sh" && basename "$1"; } | layer_key)
	path=$(layer "$LAB_CACHE" /opt/cluster/ "$key" "Open MPI, MPICH and Slurm, 400 MB" \
		cluster_make "$1") && echo "$LAB_CACHE$path"
}

# usage: cluster_make CACHE PATH ROOT
cluster_make()
{
	local folder=$1$2 root=$3

	rm -rf --one-file-system "$folder"
	mkdir "$folder" || return
	# shellcheck disable=SC2016 # expanded by the inner shell
	chroot_exec "$root" /tmp sh -euc '
		{
			apt-get -q update
			mkdir -p archives/partial
			apt-get -q -y --no-install-recommends --download-only \
				-o Dir::Cache::archives=/tmp/archives install "$@"
		} >&2
		for package in archives/*.deb; do
			dpkg-deb --fsys-tarfile "$package"
		done' sh "${cluster_packages[@]}" |
		tar -x --ignore-zeros -C "$folder" --exclude=./usr/share/doc --exclude=./usr/share/man
}

# usage: cluster_run CMD...
# Runs CMD in the tree, in the sysroot with the layer. What CMD changes outside of the tree is gone
# afterwards.
cluster_run()
{
	local root path

	[ $# -gt 0 ] || die "cluster: no command"
	root=$(root_get) || exit
	path=$(cluster_get "$root") || exit
	unshare --mount --propagation private -- "$LAB_DIR/lib/over" "$path:$root" \
		"$LAB_DIR/lib/enter" "$TREE" "" /xetile "$@"
}
