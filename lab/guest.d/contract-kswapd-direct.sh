#!/bin/bash
# contract-kswapd-direct.sh MODE: streams by the classic LRU and by MODE, with three distances
# of the watermarks. Results: LRU.FACTOR SHARE of kswapd in what was reclaimed, in thousandths.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

# kswapd and direct reclaim, in pages, by LRU.FACTOR
declare -A kswapd direct

try() { # LRU FACTOR
	local k d key=$1.$2
	lru_mode "$1"
	echo "$2" >/proc/sys/vm/watermark_scale_factor
	echo 3 >/proc/sys/vm/drop_caches
	stream s 140
	k=$(vm pgsteal_kswapd) d=$(vm pgsteal_direct)
	stream s 150 200
	k=$(($(vm pgsteal_kswapd) - k)) d=$(($(vm pgsteal_direct) - d))
	[ $((k + d)) -gt 0 ] || die "nothing was reclaimed"
	echo "$key: kswapd $k direct $d"
	kswapd[$key]=$((${kswapd[$key]:-0} + k)) direct[$key]=$((${direct[$key]:-0} + d))
}

begin classic
mkcg s
# One run differs from the next by as much as the LRUs do: the turns are summed. The sum of four
# still differs by 25 from boot to boot. At 200 kswapd does it all, or something is broken.
for ((turn = 0; turn < 12; turn++)); do
	for factor in 10 20 200; do
		[ $factor -ne 200 ] || [ $((turn % 6)) -eq 0 ] || continue
		try classic $factor
		try "$1" $factor
	done
done
for key in "${!kswapd[@]}"; do
	result "$key" $((kswapd[$key] * 1000 / (kswapd[$key] + direct[$key])))
	result "$key.pages" "${kswapd[$key]}" "${direct[$key]}"
done
