#!/bin/bash
# contract-slab-before-swap.sh MODE [ROUNDS [NAMES PAGES RATE ZRAM]]: idle names (90,000: 64 MB),
# 16 MB of a hot file, and anonymous memory in use that grows by so many pages, used at that rate,
# ten times (3,328: 130 MB); by the classic LRU and then by MODE, so many times.
# Results, with the number of the round from the second on: LRU.slab LEFT in thousandths,
# LRU.swapped and LRU.stolen pages, those that came LRU.back, LRU.free KiB; LRU.either, what is
# left of the slab and what is free, in thousandths of the slab.
#
# How much of the slab is left depends on whether kswapd has just begun or is just done when the
# load ends: with either LRU from 4 to 20 MB are free then. What has been taken from pages
# in place of slab does not.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

# Free pages, those on lists of a CPU, too
free_kib() {
	awk '$1 == "MemFree:" { kib = $2 } $1 == "count:" { kib += 4 * $2 } END { print kib }' \
		/proc/meminfo /proc/zoneinfo
}

try() { # LRU [ROUND]
	local before swapped stolen back loads=() i
	lru_mode "$1"
	swapoff /dev/zram0
	swapon /dev/zram0
	echo 3 >/proc/sys/vm/drop_caches
	negdentry "$DISK/names" $names "$idle"
	names=$((names + idle))
	before=$(slab '') swapped=$(vm pswpout) stolen=$(vm 'pgsteal_(kswapd|direct)')
	back=$(vm 'workingset_refault_(anon|file)')
	start_in s accessgen --kind read --file "$HOLES" --pages 4096 --rate 4000 >/dev/null
	loads+=($!)
	# All of what there is so far is in use while the next part is filled.
	for i in 1 2 3 4 5 6 7 8 9 10; do
		start_in s accessgen --kind anon --pages "$pages" --pattern seq --rate "$rate" --seed "$i" >/dev/null
		loads+=($!)
		sleep 1
	done
	sleep 2
	result "$1.slab$2" $(($(slab '') * 1000 / before))
	result "$1.swapped$2" $(($(vm pswpout) - swapped))
	result "$1.stolen$2" $(($(vm 'pgsteal_(kswapd|direct)') - stolen))
	result "$1.back$2" $(($(vm 'workingset_refault_(anon|file)') - back))
	result "$1.free$2" "$(free_kib)"
	result "$1.either$2" $((($(slab '') + $(free_kib)) * 1000 / before))
	kill "${loads[@]}"
	wait
}

idle=${3:-90000} pages=${4:-3328} rate=${5:-6000}
begin classic
setup_zram "${6:-256M}"
mkcg s
try classic ""
try "$1" ""
for round in $(seq 2 "${2:-1}"); do
	try classic "$round"
	try "$1" "$round"
done
