#!/bin/bash
# suites.sh ID..: runs rows of suites.table, which says what they are, or stressors of
# stress-ng (stress-NAME), one after the other; what they say goes to the results.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/ktap-lib.sh

WORK=/mnt/work
STRESS_S=5
STRESS_LIMIT_S=120
STRESS_MEMORY=128M

# --- preparations of suites.table ----------------------------------------------

compact()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >/proc/sys/vm/compact_memory
}

huge()
{
	compact
	echo "$1" >/proc/sys/vm/nr_hugepages
	[ "$(cat /proc/sys/vm/nr_hugepages)" -ge "$1" ] ||
		say "only $(cat /proc/sys/vm/nr_hugepages) of $1 huge pages"
}

thp() { compact; echo madvise >/sys/kernel/mm/transparent_hugepage/enabled; }
shm() { echo 268435456 >/proc/sys/kernel/shmmax; echo 4194304 >/proc/sys/kernel/shmall; }
overcommit() { echo 1 >/proc/sys/vm/overcommit_memory; }
zswap() { echo Y >/sys/module/zswap/parameters/enabled; }
hugememcg() { mount -o remount,memory_hugetlb_accounting "$CGROOT"; }
nobody() { prefix=(setpriv --reuid 65534 --clear-groups); }

xfs()
{
	mkdir -p /mnt/xfs
	mountpoint -q /mnt/xfs && return
	mkfs.xfs -q -f -d size=400m /dev/ram1 || die "cannot make an XFS on /dev/ram1"
	mount -t xfs /dev/ram1 /mnt/xfs || die "cannot mount /dev/ram1 as XFS"
}

cpuset1()
{
	mkdir -p /mnt/cpuset
	mountpoint -q /mnt/cpuset && return
	echo -cpuset >"$CGROOT/cgroup.subtree_control"
	mount -t cgroup -o cpuset cpuset /mnt/cpuset || die "cannot mount the cpusets of cgroup v1"
}

prepare()
{
	local step
	prefix=()
	for step in ${1//,/ }; do
		[ "$step" = - ] || ${step/=/ }
	done
}

# What a case left running must not run beside the next one; it carries its name.
restore()
{
	local left
	while IFS=/ read -r _ _ left _; do
		kill -KILL "$left" 2>/dev/null || true
	done < <(grep -lsz "^SUITES_ROW=" /proc/[0-9]*/environ)
	echo 0 >/proc/sys/vm/nr_hugepages
	echo 0 >/proc/sys/vm/overcommit_memory
}

# --- one row ----------------------------------------------------------------------

run_row()
{
	local id=$1 limit preparation command
	read -r _ _ limit preparation command < <(awk -v id="$id" '$1 == id' /lab/guest.d/suites.table) ||
		die "no row '$id' in suites.table"
	cd "$WORK/${command%%/*}"
	prepare "$preparation"
	# shellcheck disable=SC2086 # words of the table
	SUITES_ROW=$id ktap "$id" "$limit" "${prefix[@]}" ./${command#*/}
	cd /
	restore
}

# In a cgroup that holds less than most of them want; swap takes the rest.
run_stressor()
{
	local id=$1 preparation options
	read -r _ _ _ preparation options < <(awk -v id="$id" '$1 == id' /lab/guest.d/suites.table) ||
		preparation=- options="--${id#stress-} 1"
	prepare "$preparation"
	mkcg stress
	echo "$STRESS_MEMORY" >"$CGROOT/stress/memory.max"
	mkdir -p "$WORK/stress"
	chmod 777 "$WORK/stress"
	cd "$WORK/stress"
	# shellcheck disable=SC2016,SC2086 # for the shell that is started; words of the table
	ktap "$id" "$STRESS_LIMIT_S" bash -c 'echo 0 >"$1/cgroup.procs"; shift; exec "$@"' bash \
		"$CGROOT/stress" "${prefix[@]}" stress-ng $options --timeout "$STRESS_S" --verify --verbose
	cd /
	end_all "$CGROOT/stress"
}

# end_all CG: nothing of a case may run beside the next one
end_all()
{
	local left=100
	echo 1 >"$1/cgroup.kill"
	until rmdir "$1" 2>/dev/null; do
		[ $((left -= 1)) -gt 0 ] || die "cannot remove $1"
		sleep 0.1
	done
}

lay_out()
{
	local suite
	ip link set lo up 2>/dev/null || true
	mount -t tmpfs tmp /tmp
	echo 4 >/proc/sys/kernel/printk
	setup_zram 1G
	# the files must be on what can be reclaimed, which ramfs cannot
	mke2fs -q -t ext4 -F /dev/ram0 512M || die "cannot make an ext4 on /dev/ram0"
	mkdir -p "$WORK"
	mount -t ext4 /dev/ram0 "$WORK"
	for suite in /suites/*; do cp -r "$suite" "$WORK"; done
}

lay_out
for id; do
	case $id in
	stress-*) run_stressor "$id" ;;
	*) run_row "$id" ;;
	esac
done
