#!/bin/bash
# engine-overshoot.sh MODE SEED: by how much single reclaims exceed what they
# were asked for, in pages.
#
# One memory cgroup with a limit of 128 MiB under anonymous, mapped and read load;
# its limit hits, and writes of several sizes to its memory.reclaim meanwhile.
# Then the same with huge pages, where a reclaim may take one folio too many.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/engine-lib.sh

SIZES_KIB='128 512 2048 8192'
WRITES=8
WARM_S=5

[ $# -eq 2 ] || die "usage: engine-overshoot.sh MODE SEED"
mode=$1 seed=$2
number SEED "$seed"

# one write, by a process of its own: its pid tells its calls from limit hits
write_once() { # KIB
	reclaim-writes $CG/$GROUP/memory.reclaim "$1K" 1 0 >/tmp/write.out &
	local pid=$!
	wait $pid || die "reclaim-writes failed"
	echo "$pid $(($1 / 4))" >>/tmp/writes
}

writes() {
	local kib i
	: >/tmp/writes
	for ((i = 0; i < WRITES; i++)); do
		for kib in $SIZES_KIB; do
			write_once "$kib"
			sleep 0.3
		done
	done
}

# What a write took in all its calls; limit hits are the calls of everybody else.
over_results() { # NAME
	pair_calls >/tmp/calls
	awk 'FNR == NR { writer[$1]; next }
		!($1 in writer) { n++; if ($3 - $2 > max) max = $3 - $2 }
		END { printf "calls %d over %d", n, max }' /tmp/writes /tmp/calls >/tmp/hits
	result "$1.limit_hits" "$(cat /tmp/hits)"
	result "$1.writes" "$(awk 'FNR == NR { asked[$1] = $2; next }
		$1 in asked { took[$1] += $3 }
		END {
			for (pid in asked) {
				n++
				if (took[pid] - asked[pid] > max) max = took[pid] - asked[pid]
				if (took[pid] < asked[pid]) short++
			}
			printf "calls %d over %d short %d", n, max, short
		}' /tmp/writes /tmp/calls)"
}

load_and_write() { # NAME OPTIONS of the anonymous stream
	local name=$1 pids=() stream
	shift
	rm -f "${READY:?}"/*
	trace_reclaim
	start_stream anon anon 24576 0 zipf:0.7 $((seed + 1)) 20000 "$@"
	pids+=($!)
	start_stream mapped mmap 12800 0 zipf:0.7 $((seed + 2)) 20000
	pids+=($!)
	start_stream readers read 25600 0 zipf:0.7 $((seed + 3)) 20000
	pids+=($!)
	wait_ready 300 "${pids[@]}"
	sleep $WARM_S
	say "$name: streams run, writing to memory.reclaim"
	writes
	kill -TERM "${pids[@]}" || true
	for stream in anon mapped readers; do
		ended "${pids[0]}" $stream
		pids=("${pids[@]:1}")
	done
	over_results "$name"
	[ "$(awk '/calls/ { print $2 }' /tmp/hits)" -gt 0 ] || die "$name: the limit was never hit"
	echo 0 >$TRACING/events/lab/enable
}

calm
lru_mode "$mode"
setup_zram 2G
make_disk $FILES 300
file_for mapped 12800
file_for readers 25600
drop_caches
mkcg $GROUP
echo 128M >$CG/$GROUP/memory.max
load_and_write small
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
load_and_write huge --huge
result oom_kill "$(oom_kills)"
