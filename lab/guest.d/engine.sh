#!/bin/bash
# engine.sh MODE CASE SEED LIMIT_MIB SECS: one refault case of the engine.
#
# All processes of the case live in one memory cgroup with a limit of LIMIT_MIB.
# A background stream starts first, the foreground stream 3 s later (or when the
# background's pages are filled, if that takes longer); the run ends with the
# foreground stream, at the latest SECS seconds after its start. SEED is added to
# the streams' seeds. Counters are the cgroup's own, from its making to that end.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/engine-lib.sh

FOREGROUND_AT=3

# NAME KIND PAGES OPS PATTERN SEED RATE, the background first
streams() {
	case $1 in
	cold) echo 'back anon 25600 0 hot:20:100 1 20000
		fore read 102400 400000 zipf:0.7 2 0' ;;
	zipfmmap | zipfmmapd) echo "back anon 25600 0 hot:20:90 1 20000
		fore ${1#zipf} 102400 400000 zipf:0.7 2 0" ;;
	anon) echo 'fore anon 65536 600000 zipf:0.7 5 0' ;;
	scan) echo 'back read 153600 0 seq 3 20000
		fore read 40960 500000 zipf:0.8 2 0' ;;
	phase*) echo 'back read 40960 0 zipf:0.7 2 20000
		fore anon 98304 1500000 phase:6 5 0' ;;
	le9) echo 'back anon 65536 0 seq 5 20000
		fore mmap 12800 600000 hot:30:95 2 30000' ;;
	le9d) echo 'back anon 65536 0 seq 5 20000
		fore mmapd 12800 600000 hot:30:95 2 30000' ;;
	*) die "no case \"$1\"" ;;
	esac
}

# take_stream NAME..: one line of the table into "back" or "fore"
take_stream() {
	local seeded=("${@:1:5}" $(($6 + seed)) "$7")
	case $1 in
	back) back=("${seeded[@]}") ;;
	fore) fore=("${seeded[@]}") ;;
	esac
	[ "$2" = anon ] || file_for "$1" "$3"
}

start_back() {
	start_stream "${back[@]}"
	back_pid=$!
	sleep $FOREGROUND_AT
	wait_ready 120 $back_pid
	kill -USR1 $back_pid
}

[ $# -eq 5 ] || die "usage: engine.sh MODE CASE SEED LIMIT_MIB SECS"
mode=$1 case=$2 seed=$3 limit=$4 secs=$5
number SEED "$seed"
number LIMIT_MIB "$limit" 16
number SECS "$secs" 1
back=() fore=() back_pid=''
table=$(streams "$case")

calm
lru_mode "$mode"
setup_zram 2G
make_disk $FILES 1000
while read -ra line; do take_stream "${line[@]}"; done <<<"$table"
drop_caches
mkcg $GROUP
echo $((limit << 20)) >$CG/$GROUP/memory.max
trace_reclaim
say "$case: files are made, streams start"
began=$SECONDS
[ ${#back[@]} -eq 0 ] || start_back
result foreground_at_s $((SECONDS - began))
start_stream "${fore[@]}" --secs "$secs"
fore_pid=$!
wait_stream $fore_pid fore
[ -z "$back_pid" ] || kill -TERM "$back_pid" || true
stat_results
limit_hit_results
ended $fore_pid fore
[ -z "$back_pid" ] || ended "$back_pid" back
