#!/bin/bash
# smoke.sh: is everything there that the workloads count on? A result line for
# each part: `result PART ok` or `result PART FAILED why`; fails if one failed.
set -uo pipefail
. /lab/guest.d/lib.sh

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

zram_swap()
{
	setup_zram 256M
	swap_and_back swapped
	swapoff /dev/zram0 || die "swapoff"
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

part cgroup2 cgroup2
part cgroup1 cgroup1
part zram_swap zram_swap
part ext4_on_ram ext4_on_ram
part tracing tracing
part lru_gen lru_gen
part numa numa
part psi present /proc/pressure/memory
part page_flags present /proc/kpageflags /proc/kpagecgroup
part idle_pages present /sys/kernel/mm/page_idle/bitmap
part ksm_thp present /sys/kernel/mm/ksm/run /sys/kernel/mm/transparent_hugepage/enabled
part damon present /sys/kernel/mm/damon/admin/kdamonds
part zswap present /sys/module/zswap/parameters/enabled
part debugfs present /sys/kernel/debug/provoke-crash/DIRECT
result kernel "$(uname -r)"
result nodes "$(find /sys/devices/system/node -name 'node[0-9]*' | wc -l)"
result memory_kb "$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)"
result booted_s "$(cut -d' ' -f1 /proc/uptime)"
exit $failed
