#!/bin/bash
# contract-kswapd-direct.sh MODE: a stream by the classic LRU and then by MODE, with three distances
# of the watermarks. Results: LRU.FACTOR SHARE of kswapd in what was reclaimed, in thousandths.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

try() { # LRU FACTOR
	local kswapd direct
	lru_mode "$1"
	echo "$2" >/proc/sys/vm/watermark_scale_factor
	echo 3 >/proc/sys/vm/drop_caches
	stream s 140
	kswapd=$(vm pgsteal_kswapd) direct=$(vm pgsteal_direct)
	stream s 150 200
	kswapd=$(($(vm pgsteal_kswapd) - kswapd)) direct=$(($(vm pgsteal_direct) - direct))
	[ $((kswapd + direct)) -gt 0 ] || die "nothing was reclaimed"
	result "$1.$2" $((kswapd * 1000 / (kswapd + direct)))
	result "$1.$2.pages" $kswapd $direct
}

begin classic
mkcg s
for factor in 10 20 200; do
	try classic $factor
	try "$1" $factor
done
