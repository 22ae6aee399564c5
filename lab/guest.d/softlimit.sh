#!/bin/bash
# softlimit.sh MODE TEST [ARGS..]: soft limits of memory cgroups, version 1.
#
#   jobs HOW LIMITS ROUNDS  two jobs at once, ROUNDS times each: 50 MiB of anonymous
#                    memory filled and touched, and beside it 25,000 reads of a file
#                    of 100 MiB. HOW is node: 170 MiB are available; limit: a limit
#                    of 170 MiB above both; control: 400 MiB are available. LIMITS is
#                    set: 150 MiB for the master, 10 MiB for the slave; or none
#   hier             below a limit of 96 MiB: a, over its soft limit of 16 MiB, part
#                    of it in a/g which has none; b without one; then the limit is 72
#   idle             one that is over its limit and does nothing, beside one that
#                    takes memory
#   nodes            two nodes; one over its limit, its memory interleaved, and one
#                    that takes memory on the first node again and again
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/iter-trace.sh
. /lab/guest.d/soft-lib.sh

FILES=/mnt/soft

usage="usage: softlimit.sh MODE jobs node|limit|control set|none ROUNDS | hier | idle | nodes"
[ $# -ge 2 ] || die "$usage"
mode=$1 what=$2
shift 2

# ---- two jobs ----

FILE_PAGES=25600 READS=25000 ANON_PAGES=12800 TOUCHES=25000
MASTER_MB=150 SLAVE_MB=10 TIGHT_MB=170 AMPLE_MB=400

# The rounds are its own processes', so that the last round's memory goes.
job() { # NAME GROUP SEED ROUNDS
	local r anon began=${EPOCHREALTIME/./}
	echo "$BASHPID" >"$CG/$2/cgroup.procs"
	for ((r = 0; r < $4; r++)); do
		accessgen --name "$1" --kind anon --pages $ANON_PAGES --ops $TOUCHES \
			--pattern uniform --seed $(($3 + r)) >"/tmp/$1.anon" &
		anon=$!
		accessgen --name "$1" --kind read --file "$FILES/$1" --pages $FILE_PAGES \
			--ops $READS --pattern zipf:0.5 --seed $(($3 + r)) >"/tmp/$1.read"
		wait $anon
	done
	echo $((${EPOCHREALTIME/./} - began)) >"/tmp/$1.us"
}

# Direct reclaim of the system is of another event than that of a limit.
direct_trace_on() {
	trace_on
	echo 32768 >$T/buffer_size_kb
	echo 1 >$T/events/vmscan/mm_vmscan_direct_reclaim_begin/enable
	echo 1 >$T/events/vmscan/mm_vmscan_direct_reclaim_end/enable
}

# As if all were limit reclaims, which is what durations looks for.
direct_latency() {
	trace_off
	sed -i 's/mm_vmscan_direct_reclaim_/mm_vmscan_memcg_reclaim_/' /tmp/trace
	durations >/tmp/us
	result latency_us "$(summary 1)"
	result latency_cpu_us "$(summary 2)"
}

make_jobs() { # HOW LIMITS
	local above='' name
	case $1 in
	limit)
		v1cg above $TIGHT_MB
		above=above/ ;;
	node | control) ;;
	*) die "HOW \"$1\" is none of node, limit, control" ;;
	esac
	case $2 in
	set)
		v1cg ${above}master 0 $MASTER_MB
		v1cg ${above}slave 0 $SLAVE_MB ;;
	none)
		v1cg ${above}master
		v1cg ${above}slave ;;
	*) die "LIMITS \"$2\" is none of set, none" ;;
	esac
	for name in master slave; do
		accessgen --kind create --file $FILES/$name --pages $FILE_PAGES --name $name
	done
	count_begin
	# The buffers are made now, not of what is available.
	direct_trace_on
	case $1 in
	limit) echo 3 >/proc/sys/vm/drop_caches ;;
	node) leave_available $TIGHT_MB ;;
	control) leave_available $AMPLE_MB ;;
	esac
}

do_jobs() { # HOW LIMITS ROUNDS
	local above='' name pids=()
	number ROUNDS "$3" 1
	[ "$1" != limit ] || above=above/
	make_disk $FILES 230
	make_jobs "$1" "$2"
	sample_on
	job master ${above}master 1000 "$3" &
	pids+=($!)
	job slave ${above}slave 2000 "$3" &
	pids+=($!)
	for name in "${pids[@]}"; do wait "$name" || die "a job failed"; done
	direct_latency
	count_end
	for name in master slave; do
		result wall_us $name "$(cat /tmp/$name.us)"
		stat_results $above$name
	done
	result oom_kill "$(vm oom_kill)"
}

# ---- who gives ----

touches() { # NAME GROUP MB [OPTION..]: its pid is in $!
	local name=$1 group=$2 mb=$3
	shift 3
	start_in "$group" memtouch --name "$name" --mb "$mb" --pattern random --write 50 \
		--rate 2000 --ready-file "$READY/$name" "$@" >"/tmp/load.$name"
}

# What each gives to the limit above, and to a lower one that a alone cannot serve.
do_hier() {
	local pids=()
	v1cg p 96
	v1cg p/a 0 16
	v1cg p/a/g
	v1cg p/b
	count_begin
	sample_on
	touches a p/a 32
	pids+=($!)
	touches g p/a/g 32
	pids+=($!)
	touches b p/b 64
	pids+=($!)
	wait_ready 120 "${pids[@]}"
	sleep 10
	result usage a "$(usage_kb p/a)" g "$(usage_kb p/a/g)" b "$(usage_kb p/b)"
	phase tight
	echo 72M >$CG/p/memory.limit_in_bytes || die "the limit of 72M is refused"
	sleep 10
	result usage.tight a "$(usage_kb p/a)" g "$(usage_kb p/a/g)" b "$(usage_kb p/b)"
	count_end
	stop_loads loads "${pids[@]}"
}

# The idle one has had all its memory before it gets its limit, and never charges
# again; half of what is over goes.
do_idle() {
	local pids=()
	v1cg idle
	v1cg busy
	count_begin
	leave_available 224
	touches idle idle 128 --fill same
	pids+=($!)
	wait_ready 120 "${pids[@]}"
	kill -STOP "${pids[0]}"
	soft_limit idle 16
	sample_on
	touches busy busy 128 --fill same
	pids+=($!)
	wait_ready 120 "${pids[@]}"
	sleep 5
	result usage idle "$(usage_kb idle)" busy "$(usage_kb busy)"
	count_end
	kill -CONT "${pids[0]}"
	stop_loads loads "${pids[@]}"
}

node_pages() { # NAME NODE
	sed -n "s/^total=.* N$2=\([0-9]*\).*/\1/p" "$CG/$1/memory.numa_stat"
}

present_pages() {
	awk '$1 == "Node" { n = $2 + 0 } $1 == "present" { p[n] += $2 }
		END { print p[0] + 0, p[1] + 0 }' /proc/zoneinfo
}

free_mb() { awk -v n="$1" '$3 == "MemFree:" { print int($4 / 1024) }' "/sys/devices/system/node/node$1/meminfo"; }

# Rounds of taking what is free on the first node and 12 MiB more.
do_nodes() {
	local pids=() i least0=999999 least1=999999 n0 n1 mb
	v1cg spread 0 64
	v1cg taker
	count_begin
	sample_on
	touches spread spread 128 --policy interleave:3 --fill same
	pids+=($!)
	wait_ready 120 "${pids[@]}"
	result before "$(node_pages spread 0)" "$(node_pages spread 1)"
	mb=$(($(free_mb 0) + 12))
	say "$mb MiB are taken on node 0"
	for ((i = 0; i < 6; i++)); do
		start_in taker memtouch --name taker --mb $mb --policy bind:1 --fill same --ops 50000 --pattern seq
		while kill -0 $! 2>/dev/null; do
			n0=$(node_pages spread 0) n1=$(node_pages spread 1)
			[ "$n0" -ge "$least0" ] || least0=$n0
			[ "$n1" -ge "$least1" ] || least1=$n1
			sleep 0.1
		done
		wait $! || die "the taker failed"
	done
	result least "$least0" "$least1"
	# shellcheck disable=SC2046 # one word each
	result present $(present_pages)
	result limit_pages $((64 * 256))
	result after "$(node_pages spread 0)" "$(node_pages spread 1)"
	count_end
	stop_loads loads "${pids[@]}"
}

calm
lru_mode "$mode"
setup_zram 1G
mount_v1
case $what/$# in
jobs/3) do_jobs "$@" ;;
hier/0) do_hier ;;
idle/0) do_idle ;;
nodes/0) do_nodes ;;
*) die "$usage" ;;
esac
