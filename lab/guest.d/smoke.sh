#!/bin/bash
# smoke.sh: is everything there that the workloads count on? A result line for
# each part: `result PART ok` or `result PART FAILED why`; fails if one failed.
set -uo pipefail
. /lab/guest.d/lib.sh

failed=0

# check PART COMMAND..: COMMAND must succeed
check()
{
	local part=$1 why
	shift
	if why=$("$@" 2>&1); then
		result "$part" ok
		say "$part ok"
	else
		failed=1
		result "$part" FAILED "${why//$'\n'/; }"
		say "$part FAILED: ${why//$'\n'/; }"
	fi
}

cgroup2()
{
	grep -qw memory "$CGROOT/cgroup.subtree_control" || die "no memory controller"
	mkcg smoke/inner
	echo 16M >"$CGROOT/smoke/memory.high" || die "memory.high"
	cgstat smoke pgsteal >/dev/null
	rmdir "$CGROOT/smoke/inner" "$CGROOT/smoke" || die "rmdir"
}

# The v1 hierarchy is compiled in, though memory is bound to v2 here.
cgroup1()
{
	mkdir -p /tmp/v1 && mount -t cgroup -o none,name=smoke v1 /tmp/v1 &&
		umount /tmp/v1
}

# Pages of a cgroup must travel to zram and back with their content.
zram_swap()
{
	setup_zram 256M
	mkcg swapped
	(
		echo "$BASHPID" >"$CGROOT/swapped/cgroup.procs"
		head -c 25165824 /dev/urandom >/dev/shm/data
	)
	local before after
	before=$(md5sum </dev/shm/data)
	# Reading memory.stat brings the counters up to date. Without that the
	# classic LRU, which goes by them, does not know that it has to
	# deactivate first, and reclaims nothing.
	cgstat swapped pgsteal >/dev/null
	echo 16M >"$CGROOT/swapped/memory.reclaim" ||
		echo "memory.reclaim fell short" >&2
	[ "$(cgstat swapped swap.current)" -gt 1000000 ] || die "nothing was swapped out"
	after=$(md5sum </dev/shm/data)
	[ "$before" = "$after" ] || die "content differs after swap"
	[ "$(vmstat pswpin)" -gt 0 ] || die "nothing was swapped in"
	rm /dev/shm/data
	swapoff /dev/zram0 || die "swapoff"
}

ext4_on_ram()
{
	mke2fs -F -q /dev/ram0 2>/dev/null || die "mke2fs"
	mount -t ext4 /dev/ram0 /mnt && echo x >/mnt/x && umount /mnt
}

tracing()
{
	local t=/sys/kernel/tracing
	[ -d "$t/events/vmscan/mm_vmscan_memcg_reclaim_begin" ] || die "no vmscan events"
	echo 1 >"$t/events/vmscan/enable" && echo 0 >"$t/events/vmscan/enable" &&
		grep -qw function "$t/available_tracers"
}

lru_gen()
{
	local dir=/sys/kernel/mm/lru_gen
	if have_config LRU_GEN; then
		grep -qxE '0x[0-9a-f]{4}' "$dir/enabled" || die "enabled: $(cat "$dir/enabled")"
		[ -r "$dir/min_ttl_ms" ] || die "no min_ttl_ms"
	else
		[ ! -e "$dir" ] || die "$dir, though CONFIG_LRU_GEN is off"
	fi
}

present()
{
	local f
	for f in "$@"; do [ -e "$f" ] || die "no $f"; done
}

# Every node that was asked for has memory.
numa()
{
	local n
	for n in /sys/devices/system/node/node[0-9]*; do
		[ "$(awk '/MemTotal/ { print $4 }' "$n/meminfo")" -gt 0 ] ||
			die "${n##*/} has no memory"
	done
}

check cgroup2 cgroup2
check cgroup1 cgroup1
check zram_swap zram_swap
check ext4_on_ram ext4_on_ram
check tracing tracing
check lru_gen lru_gen
check numa numa
check psi present /proc/pressure/memory
check page_flags present /proc/kpageflags /proc/kpagecgroup
check idle_pages present /sys/kernel/mm/page_idle/bitmap
check ksm_thp present /sys/kernel/mm/ksm/run /sys/kernel/mm/transparent_hugepage/enabled
check damon present /sys/kernel/mm/damon/admin/kdamonds
check zswap present /sys/module/zswap/parameters/enabled
check debugfs present /sys/kernel/debug/provoke-crash/DIRECT
result kernel "$(uname -r)"
result nodes "$(find /sys/devices/system/node -name 'node[0-9]*' | wc -l)"
result memory_kb "$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)"
result booted_s "$(cut -d' ' -f1 /proc/uptime)"
exit $failed
