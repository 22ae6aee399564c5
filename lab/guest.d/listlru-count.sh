#!/bin/bash
# listlru-count.sh MODE SECONDS: no object of a memory cgroup is lost. Memory cgroups,
# some below others, look at files on one ext4 and come and go, while slab is reclaimed
# from them, files they have made are deleted by somebody else when they go, file
# systems are mounted and unmounted, and, if the kernel can, requests for slab memory
# fail. Then the count of each shrinker must be what the lists hold:
# everything can be dropped, the file system can be unmounted, no cgroup stays behind.
#
# Results: rounds, dying (cgroups left behind), left (dentries and inodes that are still
# on a list of the file system after all was dropped).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

MODE=${1:?mode}
TIME=${2:?seconds}
M=$CGROOT/m
D=/sys/kernel/debug
OWN=30	# files that a process makes

fail_slab() { # PROBABILITY
	[ -d $D/failslab ] || return 0
	echo N >$D/failslab/ignore-gfp-wait 2>/dev/null || true
	echo 1 >$D/failslab/task-filter
	echo 0 >$D/failslab/verbose
	echo -1 >$D/failslab/times
	echo 7 >$D/failslab/interval
	echo "$1" >$D/failslab/probability
}

# A process that allocates in cgroup $1, with failing allocations if $2 says so
user() { # CGROUP FAIL TREE OWN
	local i
	echo 0 >"$1/cgroup.procs"
	mkdir "$4"
	for ((i = 0; i < OWN; i++)); do : >"$4/$i"; done
	[ ! -e /proc/self/make-it-fail ] || echo "$2" >/proc/self/make-it-fail
	# No other process, whose making could fail; that it fails itself is the point.
	exec manycg walk "$3" 3 >/dev/null 2>&1
}

one_round() { # I
	local c=$M/c$(($1 % 7)) pids=() i
	mkdir -p "$c"
	echo +memory >"$c/cgroup.subtree_control"
	mkdir -p "$c/a" "$c/b"
	for i in a b; do
		(user "$c/$i" $(($1 % 3 == 0)) "/mnt/w/$(($1 % 4))" "/mnt/w/$i") &
		pids+=($!)
	done
	mount -t tmpfs none /mnt/t
	echo >/mnt/t/file
	echo 200K >"$c/memory.reclaim" 2>/dev/null || true
	[ $(($1 % 5)) != 0 ] || echo 2 >/proc/sys/vm/drop_caches
	wait "${pids[@]}" || failures=$((failures + 1))
	umount /mnt/t
	echo 100K >"$c/a/memory.reclaim" 2>/dev/null || true
	# Their objects are the parent's from here on, when they are looked for.
	rmdir "$c/a" "$c/b"
	rm -r /mnt/w/a /mnt/w/b
	[ $(($1 % 2)) != 0 ] || rmdir "$c"
}

# What the shrinkers named $1 count, in all memcgs and on all nodes; "-" if the kernel
# does not say
counted() {
	if [ ! -d $D/shrinker ]; then
		echo -
		return
	fi
	cat "$D/shrinker/$1"*/count |
		awk '{ for (i = 2; i <= NF; i++) s += $i } END { print s + 0 }'
}

dying() { awk '$1 == "nr_dying_descendants" { print $2 }' "$M/cgroup.stat"; }

[ ! -e /sys/kernel/mm/lru_gen/enabled ] || case $MODE in
classic) echo n >/sys/kernel/mm/lru_gen/enabled ;;
mglru) echo y >/sys/kernel/mm/lru_gen/enabled ;;
*) die "MODE is classic or mglru, not \"$MODE\"" ;;
esac
mount -t debugfs none $D 2>/dev/null || true
mkdir -p "$M" /mnt/t
echo +memory >"$CGROOT/cgroup.subtree_control"
echo +memory >"$M/cgroup.subtree_control"
make_disk /mnt/w 64
for i in 0 1 2 3; do manycg tree "/mnt/w/$i" 300; done
fail_slab 10
failures=0
for ((round = 0; SECONDS < TIME; round++)); do one_round "$round"; done
[ ! -d $D/failslab ] || echo 0 >$D/failslab/probability
result rounds "$round"
result failures "$failures"
say "$(counted sb-ext4) objects counted"
for c in "$M"/c*; do [ ! -d "$c" ] || rmdir "$c"; done
for ((i = 0; i < 20; i++)); do
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.3
	[ "$(dying)" != 0 ] || break
done
left=$(counted sb-ext4)
result dying "$(dying)"
result left "$left"
[ "$(dying)" = 0 ] || die "$(dying) cgroups stay behind"
umount /mnt/w || die "the file system cannot be unmounted"
