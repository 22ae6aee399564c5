#!/bin/bash
# contract-idle-first.sh MODE: 64 memcgs of 4 MB of anonymous memory. 16 use a page of it in a
# second, 32 all of it in 10 s, 16 all in a second. After a minute, 48 MB are taken of all, 1 MB
# each half second.
# Results: idle, warm, hot (pages that each class has given); idle.jain, warm.jain, hot.jain (how
# evenly those of a class have given, in thousandths).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

PAGES=1024

# given PREFIX COUNT: pages each of these memcgs has given, a line each
given() {
	local i
	for i in $(seq "$2"); do cgstat "$1$i" pgsteal; done
}

# report NAME COUNT: its pages, and Jain's index
report() {
	given "$1" "$2" | awk -v name="$1" '{ s += $1; q += $1 * $1 }
		END { printf "%s %d %d\n", name, s, q ? 1000 * s * s / (NR * q) : 0 }' >>/tmp/given
}

begin "$1"
setup_zram 512M
for i in $(seq 32); do
	[ "$i" -gt 16 ] || mkcg "idle$i"
	mkcg "warm$i"
	[ "$i" -gt 16 ] || mkcg "hot$i"
done
for i in $(seq 32); do
	start_in "warm$i" accessgen --kind anon --pages $PAGES --pattern seq --rate $((PAGES / 10)) --seed "$i" >/dev/null
	[ "$i" -le 16 ] || continue
	start_in "idle$i" memtouch --mb 4 --rate 1 >/dev/null
	start_in "hot$i" accessgen --kind anon --pages $PAGES --pattern seq --rate $PAGES --seed "1$i" >/dev/null
done
sleep 60
for i in $(seq 48); do
	echo 1M >"$CG/memory.reclaim" || say "reclaim $i: got less"
	sleep 0.5
done
rm -f /tmp/given
report idle 16
report warm 32
report hot 16
while read -r name pages jain; do
	result "$name" "$pages"
	result "$name.jain" "$jain"
done </tmp/given
