# shellcheck shell=bash
# Sourced by torture.sh: what must hold when the load has ended. What is
# capital, `pids` (of the verifiers) and what was before are torture.sh's.
# shellcheck disable=SC2154

EVENT_SLACK=0	# events are exact, once they have been handed in
SLACK=62	# pages: two CPUs' batches on the way to the LRU, of who reads the counters

# Everybody but the verifiers has gone; they look at every page, and rest.
quiet()
{
	local until=$((SECONDS + 180)) have=0 i
	swapoff "$SECOND" 2>/dev/null || true
	for ((i = 0; i < PARENTS; i++)); do
		echo 0-1 >"$CG/$TOP/p$i/cpuset.mems"
		echo max >"$CG/$TOP/p$i/memory.high"
		echo max >"$CG/$TOP/p$i/memory.max"
	done
	echo 0 >/proc/sys/vm/nr_hugepages
	# It would go on, and what it collapses is on no list meanwhile.
	if has_thp; then
		echo never >"$THP"/shmem_enabled
		echo never >"$THP"/enabled
	fi
	[ -z "$(threads khugepaged)" ] || bad+=("khugepaged goes on")
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
	if has_thp; then
		[ "$(verifier_field /tmp/verifiers collapsed)" -gt 0 ] ||
			bad+=("no huge page was collapsed")
	fi
	[ "$(verifier_field /tmp/verifiers forks)" -gt 0 ] || bad+=("no child was forked")
	aspect integrity
}

# ---- counters ----

# All of them in one go, by one process, as each that starts and ends has pages of its
# own; what CPUs keep to themselves is handed in first. A memcg's file waits for a part
# of that to be much, its cpu.stat does not.
save_counters()
{
	local copy=(/proc/vmstat "$CG"/memory.{stat,numa_stat} /sys/kernel/debug/lru_gen
		/sys/devices/system/node/node[01]/vmstat "$CG/$TOP"/p[0-9]*/memory.stat
		"$CG/$TOP"/p[0-9]*/l*/memory.{stat,numa_stat})
	echo 1 >/proc/sys/vm/stat_refresh
	sleep "$FLUSH_S"
	grep -H '' "$CG/$TOP/cpu.stat" "${copy[@]}" >/tmp/counters
}

# worst WHAT BOUND VALUE..: the largest of them must be within the bound
worst()
{
	local what=$1 bound=$2 v most=0
	shift 2
	[ $# -gt 0 ] || die "$what: nothing was compared"
	for v; do
		[ "${v#-}" -le "${most#-}" ] || most=$v
	done
	expect "$what" "$bound" "$most"
	if [ "${most#-}" -gt "$bound" ]; then result drifts "$what: $*"; fi
}

# take_drifts STATE: and names the sizes that differ by more than is allowed
take_drifts()
{
	local on=1 where
	[ "$1" = on ] || on=
	save_counters
	awk -v top="/$TOP" -v on=$on -v slack=$SLACK -f /lab/guest.d/drifts.awk /tmp/counters \
		>/tmp/drifts 2>/tmp/where
	while read -r where; do say "$where"; done </tmp/where
}

# The files are read one after the other, so that what goes meanwhile is in some of them
# only. That decides nothing, but whoever looks for the cause wants to know if it lasts.
tell_if_it_lasts() # STATE
{
	[ -s /tmp/where ] || return 0
	say "taken again, to see if it lasts"
	take_drifts "$1"
	[ -s /tmp/where ] || say "it does not last"
}

compare() # STATE
{
	local name values i
	for ((i = 0; i < 3; i++)); do
		take_drifts "$1"
		# If a page came back from swap between two files, it will not do so each time.
		grep -E '^(pgscan|workingset)' /tmp/drifts | grep -q ' -\{0,1\}[1-9]' || break
	done
	while read -r name values; do
		# shellcheck disable=SC2086 # a list of numbers
		case $name in
		pgscan* | workingset | parents_less) worst "drift_${name}_$1" $EVENT_SLACK $values ;;
		*) worst "drift_${name}_$1" $SLACK $values ;;
		esac
	done </tmp/drifts
	tell_if_it_lasts "$1"
}

compare_counters()
{
	say "comparing counters"
	echo y >"$KNOB"
	compare on
	sync
	all_reclaimable on "$CG/$TOP"
	echo 0 >"$KNOB"
	compare off
	echo y >"$KNOB"
	aspect counters
}

# ---- nothing is left ----

clear_away()
{
	local lost grown
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
	lost=$((accounted_before - $(accounted_pages)))
	# there may be more than before, too
	expect pages_lost "$LOST_PAGES" $((lost > 0 ? lost : 0))
	expect slab_grown "$SLAB_PAGES" $(($(vm 'nr_slab_(un)?reclaimable') - slab_before))
	grown=$(($(vmalloc_pages) - vmalloc_before))
	expect vmalloc_grown "$VMALLOC_PAGES" $((grown > 0 ? grown : 0))
	result depot_grown $(($(depot_pages) - depot_before))
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
	local due=0 wrong='vmstat_refresh:|EXT4-fs (error|warning)'
	[ ! -s /tmp/also.hard-loads-killed ] || read -r due </tmp/also.hard-loads-killed
	expect kills 0 $(($(vm oom_kill) - due))
	# who had what then, and on which LRU: the console shows the last line only
	[ ${#bad[@]} -eq 0 ] || say "switched: $(tail -n 12 /tmp/switched | tr '\n' ',')"
	dmesg | sed -n '/invoked oom-killer/,/Killed process/p' | tail -n 200
	# In a hard phase zram, too, gets no memory; then the page stays where it was.
	result swap_write_errors "$(dmesg | grep -c 'Write-error on swap' || true)"
	[ -n "$faulty" ] || wrong+='|Write-error on swap'
	if dmesg | grep -E "$wrong" >/tmp/log; then
		bad+=("the kernel's log: $(head -n 3 /tmp/log | tr '\n' ' ')")
	fi
	aspect kills
}
