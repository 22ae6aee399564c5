# shellcheck shell=bash
# Sourced by iter.sh: how long limit reclaim takes, and how many memory cgroups it
# looks at. Needs lib.sh and load.sh.

T=/sys/kernel/tracing
LOADS='accessgen* dd memtouch'	# patterns of names, none with a blank in it

trace_on() {
	local name filter=''
	for name in $LOADS; do
		filter+="${filter:+ || }prev_comm ~ \"$name\" || next_comm ~ \"$name\""
	done
	echo 0 >$T/tracing_on
	echo 16384 >$T/buffer_size_kb
	echo >$T/trace
	echo "$filter" >$T/events/sched/sched_switch/filter
	echo 1 >$T/events/sched/sched_switch/enable
	echo 1 >$T/events/vmscan/mm_vmscan_memcg_reclaim_begin/enable
	echo 1 >$T/events/vmscan/mm_vmscan_memcg_reclaim_end/enable
	echo 1 >$T/tracing_on
}

trace_off() {
	echo 0 >$T/tracing_on
	cat $T/trace >/tmp/trace
	! grep -q 'LOST.*EVENTS' /tmp/trace || die "trace events were lost"
	# An old one that was overwritten is not said to be lost.
	[ "$(cat $T/per_cpu/cpu*/stats | awk '/^overrun:/ { s += $2 } END { print s }')" = 0 ] ||
		die "the trace buffer is too small"
}

# Microseconds of each limit reclaim: all of them, and those on a processor. Most
# of a long call may be the time that others had the processor.
durations() {
	grep -E 'sched_switch|mm_vmscan_memcg_reclaim_(begin|end)' /tmp/trace | awk '
		{ at = $4 * 1e6 }
		$5 == "sched_switch:" {
			p = substr($7, 10)
			n = substr($(NF - 1), 10)
			if (p in began) left[p] = at
			if (n in left) {
				off[n] += at - left[n]
				delete left[n]
			}
			next
		}
		{ pid = $1; sub(/.*-/, "", pid) }
		$5 == "mm_vmscan_memcg_reclaim_begin:" {
			began[pid] = at
			off[pid] = 0
		}
		$5 == "mm_vmscan_memcg_reclaim_end:" && pid in began {
			all = at - began[pid]
			printf "%d %d\n", all, all - off[pid]
			delete began[pid]
		}'
}

# COLUMN of /tmp/us; the histogram's buckets are a quarter of an octave wide
summary() {
	cut -d' ' -f"$1" /tmp/us | sort -n | awk '
		# four times the binary logarithm; this awk has no log()
		function bucket(n,  b) {
			for (; n >= 2; n /= 2) b += 4
			return b + (n >= 1.189207) + (n >= 1.414214) + (n >= 1.681793)
		}
		{ us[NR] = $1; total += $1; last = bucket($1); hist[last]++ }
		function at(q) { i = int(NR * q + 0.999999); return us[i < 1 ? 1 : i] }
		END {
			printf "calls %d p50 %d p90 %d p99 %d max %d total %d hist", NR,
				at(0.5), at(0.9), at(0.99), us[NR], total
			for (b = 0; b <= last; b++)
				if (b in hist)
					printf " %d:%d", b, hist[b]
			print ""
		}'
}

latency_results() {
	local all own
	durations >/tmp/us
	[ -s /tmp/us ] || die "the limit was never hit"
	all=$(summary 1) own=$(summary 2)
	result latency_us "$all"
	result latency_cpu_us "$own"
	say "us, all: ${all% hist*}"
	say "us, on a processor: ${own% hist*}"
}

# count_calls NAME FUNCTION: of the loads; in a buffer of its own, which need not
# hold them all
count_calls() {
	local dir=$T/instances/$1 name filter=''
	if ! echo "p:lab/$1 $2" >>$T/kprobe_events 2>/dev/null; then
		say "this kernel has no function $2"
		return
	fi
	for name in $LOADS; do filter+="${filter:+ || }comm ~ \"$name\""; done
	mkdir "$dir"
	echo 64 >"$dir/buffer_size_kb"
	echo "$filter" >"$dir/events/lab/$1/filter" || die "cannot filter calls of $2"
	echo 1 >"$dir/events/lab/$1/enable"
}
