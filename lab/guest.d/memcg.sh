#!/bin/bash
# memcg.sh MODE GROUPS WRITERS RATE WRITES SIZE INTERVAL
#
# What memory cgroups give to the root memory.reclaim. GROUPS is a list as
# 128*16 or 16*8,16*16L: how many, and of how many MiB each; L puts them under
# memory.low. In each runs a process that touches its memory at random, RATE
# times a second. WRITERS processes write SIZE, WRITES times, INTERVAL seconds
# apart. Every figure is a difference over the time of the writes.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

[ $# -eq 7 ] || die "usage: memcg.sh MODE GROUPS WRITERS RATE WRITES SIZE INTERVAL"
mode=$1 spec=$2 writers=$3 rate=$4 writes=$5 size=$6 interval=$7
number WRITERS "$writers" 1
number RATE "$rate"
number WRITES "$writes" 1
[[ $size =~ ^[0-9]+[KM]$ ]] || die "SIZE must look like 2M or 512K, not \"$size\""
pages=$((${size%[KM]} * 1024 / 4))
[ "${size: -1}" = M ] || pages=$((${size%K} / 4))

groups=() sizes=() pids=()
start_one() { # MB LOW
	local i=${#groups[@]}
	mkcg "job$i"
	[ -z "$2" ] || echo $(($1 * 2))M >"$CG/job$i/memory.low"
	groups+=("$CG/job$i")
	sizes+=("$1$2")
	start_in "job$i" memtouch --name "job$i" --mb "$1" --rate "$rate" \
		--pattern random --write 50 --seed $((i + 1)) --ready-file "$READY/$i"
	pids+=($!)
}

start_all() {
	local part n mb i
	for part in ${spec//,/ }; do
		[[ $part =~ ^([0-9]+)\*([0-9]+)(L?)$ ]] || die "\"$part\" is not like 128*16 or 4*16L"
		n=${BASH_REMATCH[1]} mb=${BASH_REMATCH[2]} low=${BASH_REMATCH[3]}
		for ((i = 0; i < n; i++)); do start_one "$mb" "$low"; done
	done
}

# one value a cgroup, in the order of the cgroups
each() { awk -v k="$1" '$1 == k { print $2 }' "${groups[@]/%//memory.stat}"; }

snapshot() {
	sleep $FLUSH_S
	each pgsteal >"/tmp/pgsteal.$1"
	each pgscan >"/tmp/pgscan.$1"
}

differences() { paste "/tmp/$1.0" "/tmp/$1.1" | awk '{ print $2 - $1 }'; }
total() { differences "$1" | awk '{ s += $1 } END { print s + 0 }'; }

write_all() {
	local i w=()
	for ((i = 0; i < writers; i++)); do
		reclaim-writes $CG/memory.reclaim "$size" "$writes" "$interval" >"/tmp/writes.$i" &
		w+=($!)
	done
	for i in "${w[@]}"; do wait "$i" || die "reclaim-writes failed"; done
}

calm
lru_mode "$mode"
setup_zram 2G
start_all
wait_ready 120 "${pids[@]}"
say "populated after $SECONDS s"
sleep 3
snapshot 0
write_all
snapshot 1
result alive "$(alive "${pids[@]}")"
stop_loads loads "${pids[@]}"

# shellcheck disable=SC2046 # one word each
result pgsteal $(differences pgsteal)
result sizes "${sizes[@]}"
result requested $((writers * writes * pages))
result pgsteal_sum "$(total pgsteal)"
result pgscan_sum "$(total pgscan)"
result writes "$(cat /tmp/writes.* | tr '\n' ' ')"
