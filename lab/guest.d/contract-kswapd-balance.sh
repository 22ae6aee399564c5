#!/bin/bash
# contract-kswapd-balance.sh MODE: a stream with numa_balancing=2, by the classic LRU and then MODE.
# Results for each: LRU.unreclaimable, how often the node was found given up; LRU.stalls; LRU.free,
# the most pages free in the second after the stream; promo, the watermark.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

stalls() { vm 'allocstall_.*'; }

# The DMA zone keeps out of it: its watermarks are small.
zone() { # KEY: of zone DMA32, in pages
	awk -v k="$1" '/^Node/ { in_zone = $4 == "DMA32" }
		in_zone && ($1 == k || $1 == "pages" && $2 == k) { print $NF; exit }' /proc/zoneinfo
}

given_up() { awk '$1 == "node_unreclaimable:" { print $2; exit }' /proc/zoneinfo; }

# Once kswapd sleeps, whoever reads this takes a few pages, and nobody frees any for them before
# the low watermark. So nothing is started here, and the most is what kswapd has come to.
most_free() { # sets most
	local i first second third name in_zone=
	most=0
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		read -rt 0.05 -u "$tick" || true
		while read -r first second third name; do
			[ "$first" != Node ] || in_zone=$name
			[ "$in_zone $first $second" = "DMA32 pages free" ] || continue
			[ "$third" -le "$most" ] || most=$third
			break
		done </proc/zoneinfo
	done
}

try() { # LRU
	local before i bad=0
	lru_mode "$1"
	echo 3 >/proc/sys/vm/drop_caches
	stream s 230
	before=$(stalls)
	for i in $(seq 1 20); do
		stream s 12 $((300 + i * 12))
		sleep 0.05
		bad=$((bad + $(given_up)))
	done
	most_free
	result "$1.unreclaimable" $bad
	result "$1.stalls" $(($(stalls) - before))
	result "$1.free" "$most"
}

begin classic
exec {tick}<> <(:)
mkcg s
echo 200 >/proc/sys/vm/watermark_scale_factor
echo 2 >/proc/sys/kernel/numa_balancing
result promo "$(zone promo)"
result high "$(zone high)"
try classic
try "$1"
