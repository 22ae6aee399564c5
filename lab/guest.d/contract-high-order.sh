#!/bin/bash
# contract-high-order.sh MODE BOOT: memory full of cache, in pieces; 32 huge pages are asked for, again
# and again until they are there. Results: huge, pages got; cost, pages reclaimed for each; rounds.
#
# A boot has one try. What one leaves behind is what the next one finds: memory in more pieces, and
# compaction that is put off. Compaction put off for longer each time is also why the demand has to
# last: of 32 pages asked for four times, twelve boots of two kernels got from 0 to 30. Two boots
# are often alike, page for page, so each reads a little more than the one before.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

HUGE=/proc/sys/vm/nr_hugepages
WANTED=32

steals() { vm 'pgsteal_(kswapd|direct|khugepaged)'; }

# Names among the cache: slab that compaction cannot move, all over memory.
scatter() {
	local i
	for i in $(seq 0 14); do
		run_in s negdentry "$DISK/names" $((i * 2000)) 2000
		stream s 16 $((i * 16))
	done
}

begin "$1"
mkcg s
scatter
stream s "$((2 * ${2:-1}))" 240
before=$(steals)
for ((round = 1; round <= 60; round++)); do
	echo $WANTED >$HUGE
	huge=$(cat $HUGE)
	[ "$huge" -lt $WANTED ] || break
done
result huge "$huge"
result cost $((($(steals) - before) / (huge > 0 ? huge : 1)))
result rounds "$round"
