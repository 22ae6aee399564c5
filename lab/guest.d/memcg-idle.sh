#!/bin/bash
# memcg-idle.sh BUSY MB IDLE SECONDS
#
# What kswapd's wake-ups cost beside memory cgroups that do nothing: BUSY ones
# with a process that writes MB MiB over and over, more than there is memory, and
# IDLE empty ones. Counts visits of kswapd to memory cgroups and its wake-ups.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

[ $# -eq 4 ] || die "usage: memcg-idle.sh BUSY MB IDLE SECONDS"
busy=$1 mb=$2 idle=$3 seconds=$4
T=/sys/kernel/tracing

calm
lru_mode asis
setup_zram 3G
mount -t tracefs none $T 2>/dev/null || true
for ((i = 0; i < idle; i++)); do mkdir "$CG/idle$i"; done
say "$idle idle ones made after $SECONDS s"
pids=()
for ((i = 0; i < busy; i++)); do
	mkcg "busy$i"
	start_in "busy$i" memtouch --name "busy$i" --mb "$mb" --rate 20000 \
		--pattern random --write 50 --seed $((i + 1)) --ready-file "$READY/$i"
	pids+=($!)
done
wait_ready 200 "${pids[@]}"
sleep 2
echo 0 >$T/tracing_on
echo 65536 >$T/buffer_size_kb
echo >$T/trace
echo 1 >$T/events/memcg_reclaim/memcg_reclaim_visit/enable
wakes=$(vm pageoutrun) steal=$(vm pgsteal_kswapd) cpu=$(kswapd_seconds)
echo 1 >$T/tracing_on
sleep "$seconds"
echo 0 >$T/tracing_on
wakes=$(($(vm pageoutrun) - wakes)) steal=$(($(vm pgsteal_kswapd) - steal))
visits=$(grep -c 'kswapd.*memcg_reclaim_visit' $T/trace || true)
result wakes "$wakes"
result visits "$visits"
result pgsteal_kswapd "$steal"
result kswapd_seconds "$cpu" "$(kswapd_seconds)"
tail -n 2 $T/trace
stop_loads loads "${pids[@]}"
