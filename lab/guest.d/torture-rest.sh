# shellcheck shell=bash
# Sourced by torture.sh: what must hold when the load has ended. What is
# capital, `pids` (of the verifiers) and what was before are torture.sh's.
# shellcheck disable=SC2154

EVENT_SLACK=0	# events are exact, once they have been handed in
SLACK=31	# pages: a batch on the way to the LRU, of the process that reads the counters

# Everybody but the verifiers has gone; they look at every page, and rest.
quiet()
{
	local until=$((SECONDS + 180)) have=0 i
	swapoff "$SECOND" 2>/dev/null || true
	echo 0-1 >"$CG/$TOP/cpuset.mems"
	for ((i = 0; i < PARENTS; i++)); do
		echo max >"$CG/$TOP/p$i/memory.high"
		echo max >"$CG/$TOP/p$i/memory.max"
	done
	echo 0 >/proc/sys/vm/nr_hugepages
	kill -USR1 "${pids[@]}" 2>/dev/null || true
	while [ $SECONDS -lt $until ]; do
		have=$(find "$REST" -type f | wc -l)
		[ "$have" -lt "$(alive "${pids[@]}")" ] || break
		sleep 0.5
	done
	[ "$have" -eq ${#pids[@]} ] || bad+=("only $have of ${#pids[@]} verifiers came to rest")
	aspect verifiers-alive
}

# verifier_field FILE KEY
verifier_field() { awk -v k="$2" '{ for (i = 1; i < NF; i++) if ($i == k) s += $(i + 1) } END { print s + 0 }' "$1"; }

end_verifiers()
{
	local pid f name status
	kill -TERM "${pids[@]}" 2>/dev/null || true
	for pid in "${pids[@]}"; do
		status=0
		wait "$pid" || status=$?
		[ $status -eq 0 ] || bad+=("a verifier ended with status $status")
	done
	for f in /tmp/out.*; do
		name=${f#/tmp/out.}
		[ -s "$f" ] && result verifier "$(cat "$f")" || bad+=("verifier $name said nothing at its end")
		[ ! -s "/tmp/err.$name" ] || bad+=("$(head -n 3 "/tmp/err.$name" | tr '\n' ' ')")
	done
	cat /tmp/out.* >/tmp/verifiers
	result pages verified "$(verifier_field /tmp/verifiers verified)" \
		mismatches "$(verifier_field /tmp/verifiers mismatches)"
	# Their pages are charged to the cgroups of those who wrote them.
	rm /tmp/out.* /tmp/err.*
	[ "$(verifier_field /tmp/verifiers collapsed)" -gt 0 ] || bad+=("no huge page was collapsed")
	[ "$(verifier_field /tmp/verifiers forks)" -gt 0 ] || bad+=("no child was forked")
	aspect integrity
}

# ---- counters ----

LRUS="inactive_anon active_anon inactive_file active_file unevictable"

# All of them in one go, by one process, as each that starts and ends has pages of its
# own; what CPUs keep to themselves is handed in first.
save_counters()
{
	local f copy=()
	for f in /proc/vmstat "$CG"/memory.stat "$CG"/memory.numa_stat /sys/kernel/debug/lru_gen \
		/sys/devices/system/node/node[01]/vmstat "$CG/$TOP"/p[0-9]*/l*/memory.numa_stat; do
		copy+=("$f")
	done
	echo 1 >/proc/sys/vm/stat_refresh
	sleep "$FLUSH_S"
	grep -H '' "${copy[@]}" >/tmp/c.all
	saved /proc/vmstat >/tmp/c.vmstat
	saved "$CG/memory.stat" >/tmp/c.stat
	saved "$CG/memory.numa_stat" >/tmp/c.numa
	for f in 0 1; do saved /sys/devices/system/node/node$f/vmstat >/tmp/c.node$f; done
	saved /sys/kernel/debug/lru_gen >/tmp/c.gens
}

saved() { sed -n "s|^$1:||p" /tmp/c.all; }

# numa FILE KEY NODE: pages
numa() { awk -v k="$2" -v n="N$3" -F '[ =]' '$1 == k { for (i = 2; i < NF; i++) if ($i == n) print $(i + 1) / 4096 }' "$1"; }

# value FILE REGEX: sum of the values of the keys that match
value() { awk -v k="^($2)\$" '$1 ~ k { s += $2 } END { print s + 0 }' "$1"; }

# worst WHAT BOUND VALUE..: the largest of them must be within the bound
worst()
{
	local what=$1 bound=$2 v most=0
	shift 2
	for v; do
		[ "${v#-}" -le "${most#-}" ] || most=$v
	done
	expect "$what" "$bound" "$most"
}

# The node's own counts, and what memory.stat of the root says of all cgroups
compare_lrus() # STATE
{
	local n k by_node=() whole=()
	for k in $LRUS; do
		for n in 0 1; do
			by_node+=($(($(value /tmp/c.node$n "nr_$k") - $(numa /tmp/c.numa "$k" $n))))
		done
		whole+=($(($(value /tmp/c.vmstat "nr_$k") - $(value /tmp/c.stat "$k") / 4096)))
	done
	result drifts "$1: $LRUS, of both nodes: ${by_node[*]}, of all: ${whole[*]}"
	worst "drift_nodes_memcgs_$1" $SLACK "${by_node[@]}"
	worst "drift_vmstat_memory_stat_$1" $SLACK "${whole[@]}"
}

# gens NODE COLUMN [PATH]: pages in all generations, of all memcgs or of one
gens() { awk -v n="$1" -v c="$2" -v p="${3:-}" '
	$1 == "memcg" { mine = p == "" || $3 == p }
	$1 == "node" { node = $2 }
	$1 ~ /^[0-9]+$/ && NF == 4 && mine && node == n { s += $c }
	END { print s + 0 }' /tmp/c.gens; }

compare_generations()
{
	local n dir leaf=() node=()
	for n in 0 1; do
		node+=($(($(value /tmp/c.node$n 'nr_(in)?active_anon') - $(gens $n 3))))
		node+=($(($(value /tmp/c.node$n 'nr_(in)?active_file') - $(gens $n 4))))
		for dir in "$CG/$TOP"/p[0-9]*/l*; do
			saved "$dir/memory.numa_stat" >/tmp/c.leaf
			leaf+=($(($(numa /tmp/c.leaf inactive_anon $n) + $(numa /tmp/c.leaf active_anon $n) -
				$(gens $n 3 "${dir#"$CG"}"))))
			leaf+=($(($(numa /tmp/c.leaf inactive_file $n) + $(numa /tmp/c.leaf active_file $n) -
				$(gens $n 4 "${dir#"$CG"}"))))
		done
	done
	result drifts "generations, anon and file of both nodes: ${node[*]}"
	worst drift_nodes_generations $SLACK "${node[@]}"
	worst drift_memcgs_generations $SLACK "${leaf[@]}"
}

# What the system counts and what the root's memory.stat has gathered from all
# cgroups, removed ones included; events are exact once they are handed in.
compare_events()
{
	local k drift=()
	for k in pgscan pgsteal; do
		drift+=($(($(value /tmp/c.vmstat "${k}_(anon|file)") - $(value /tmp/c.stat "$k"))))
		drift+=($(($(value /tmp/c.vmstat "${k}_kswapd") - $(value /tmp/c.stat ${k}_kswapd))))
	done
	result drifts "pgscan pgscan_kswapd pgsteal pgsteal_kswapd: ${drift[*]}"
	worst drift_pgscan_pgsteal $EVENT_SLACK "${drift[@]}"
	drift=()
	for k in workingset_{refault,activate,restore}_{anon,file}; do
		drift+=($(($(value /tmp/c.vmstat "$k") - $(value /tmp/c.stat "$k"))))
	done
	result drifts "workingset refault, activate, restore of anon, file: ${drift[*]}"
	worst drift_workingset $EVENT_SLACK "${drift[@]}"
}

# A parent has what its children have, and what those had that are gone.
compare_hierarchy()
{
	local k i less=0 sum own
	for k in $LRUS pgscan pgsteal workingset_refault_anon workingset_refault_file; do
		for ((i = 0; i < PARENTS; i++)); do
			own=$(value "$CG/$TOP/p$i/memory.stat" "$k")
			sum=$(cg_sum "$k" "$CG/$TOP/p$i/l0" "$CG/$TOP/p$i/l1")
			[ "$own" -ge "$sum" ] || less=$((less + 1))
		done
	done
	expect parents_with_less_than_their_children 0 $less
}

compare_counters()
{
	say "comparing counters"
	echo y >"$KNOB"
	save_counters
	compare_lrus on
	compare_generations
	compare_events
	compare_hierarchy
	sync
	all_reclaimable on "$CG/$TOP"
	echo 0 >"$KNOB"
	save_counters
	compare_lrus off
	compare_events
	echo y >"$KNOB"
	aspect counters
}

# ---- nothing is left ----

clear_away()
{
	end_verifiers
	rmdir "$CG/$TOP"/p[0-9]*/l* "$CG/$TOP"/p[0-9]*
	rm -r "${MNT:?}"/*
	umount "$MNT" || bad+=("the file system cannot be unmounted")
	# Slots of swap are kept by a processor after they were freed, and their memcg so long.
	swapoff /dev/zram0 || bad+=("swap cannot be switched off")
	refuse_held "$CG/$TOP" "$HELD_MAX"
	rmdir "$CG/$TOP"
	echo 1 >/sys/block/zram0/reset
	echo 1 >"/sys/block/${SECOND#/dev/}/reset"
	sleep 1
	expect lru_left "$LEFT_PAGES" $(($(rest) - lru_before))
	expect pages_lost "$LOST_PAGES" $((accounted_before - $(accounted_pages)))
	expect slab_grown "$SLAB_PAGES" $(($(vm 'nr_slab_(un)?reclaimable') - slab_before))
	aspect clearing
}

# An object is only reported if it has been around for a while, unreferenced.
look_for_leaks()
{
	local file=/sys/kernel/debug/kmemleak
	if ! echo scan 2>/dev/null >$file; then
		result kmemleak absent
		result aspect kmemleak "skip this kernel cannot look for leaks"
		return
	fi
	sleep 6
	echo scan >$file
	grep -c '^unreferenced' $file >/tmp/leaks || true
	result kmemleak "$(cat /tmp/leaks)"
	head -n 40 $file
	[ "$(cat /tmp/leaks)" -eq 0 ] || bad+=("$(cat /tmp/leaks) leaks: $(head -n 12 $file | tr '\n' ' ')")
	aspect kmemleak
}

refuse_kills()
{
	expect kills 0 "$(vm oom_kill)"
	if dmesg | grep -E 'invoked oom-killer|vmstat_refresh:|Write-error on swap|EXT4-fs (error|warning)' >/tmp/log; then
		bad+=("the kernel's log: $(head -n 3 /tmp/log | tr '\n' ' ')")
	fi
	aspect kills
}
