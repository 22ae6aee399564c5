#!/bin/bash
# memcg.sh MODE GROUPS WRITERS RATE WRITES SIZE INTERVAL [SEED]
#
# What memory cgroups give to the root memory.reclaim. GROUPS is a list as
# 128*16 or 16*8,16*16L: how many, and of how many MiB each; L puts them under
# memory.low. In each runs a process that touches its memory at random, RATE
# times a second. WRITERS processes write SIZE, WRITES times, INTERVAL seconds
# apart. SEED is added to the seeds of all. Every figure is a difference over the
# time of the writes.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/memcg-lib.sh

[ $# -eq 7 ] || [ $# -eq 8 ] ||
	die "usage: memcg.sh MODE GROUPS WRITERS RATE WRITES SIZE INTERVAL [SEED]"
mode=$1 spec=$2 writers=$3 rate=$4 writes=$5 size=$6 interval=$7 seed=${8:-0}
number WRITERS "$writers" 1
number RATE "$rate"
number WRITES "$writes" 1
number SEED "$seed"
pages=$(pages_of "$size")

sizes=()
start_one() { # MB LOW
	local name=job${#groups[@]}
	mkcg "$name"
	[ -z "$2" ] || echo $(($1 * 2))M >"$CG/$name/memory.low"
	sizes+=("$1$2")
	start_load "$name" "$1" "$rate" $((seed + ${#groups[@]} + 1))
}

start_all() {
	local part n mb i low
	for part in ${spec//,/ }; do
		[[ $part =~ ^([0-9]+)\*([0-9]+)(L?)$ ]] || die "\"$part\" is not like 128*16 or 4*16L"
		n=${BASH_REMATCH[1]} mb=${BASH_REMATCH[2]} low=${BASH_REMATCH[3]}
		for ((i = 0; i < n; i++)); do start_one "$mb" "$low"; done
	done
}

# pages of each node on the lists that reclaim looks at
node_pages() {
	local node
	for node in /sys/devices/system/node/node*; do
		awk '/^nr_(in)?active_(anon|file) / { s += $2 } END { print s + 0 }' "$node/vmstat"
	done
}

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
# shellcheck disable=SC2046 # one word each
result node_pages $(node_pages)
snapshot 0
write_all
snapshot 1
result alive "$(alive "${pids[@]}")"
stop_all

# shellcheck disable=SC2046 # one word each
result pgsteal $(differences pgsteal)
result sizes "${sizes[@]}"
result requested $((writers * writes * pages))
result pgsteal_sum "$(total pgsteal)"
result pgscan_sum "$(total pgscan)"
result root_pgsteal "$(root_delta pgsteal)"
result root_pgscan "$(root_delta pgscan)"
result root_pgsteal_kswapd "$(root_delta pgsteal_kswapd)"
result refaults "$(root_delta 'workingset_refault_(anon|file)')"
result oom_kill "$(vm_delta /tmp/vmstat.0 /tmp/vmstat.1 oom_kill)"
for ((i = 0; i < writers; i++)); do result writer "$(cat "/tmp/writes.$i")"; done
