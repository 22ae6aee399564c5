#!/bin/bash
# contract-slab-pressure.sh MODE: names in the root and in 4 memcgs without folios, and one memcg
# that streams for a minute; by the classic LRU and then by MODE.
# Results: LRU.asked.WHOSE, the slab that shrinkers were asked for, a priority of n counting as
# 2 * 2 ^ -n, and LRU.left.WHOSE, both in thousandths of the slab before; LRU.scanned, pages in
# thousandths of memory; LRU.slabs_scanned, objects of all.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

COUNT=4
PART=15000	# names of each
TRACING=/sys/kernel/tracing
PAGES=65536	# of the guest

# The kernel's addresses of the memcgs: drop_caches asks all of them in order, the root first
# and the youngest last. The first line is the root's.
addresses() {
	echo 'p:lab/asked shrink_slab memcg=%dx:x64 prio=%cx:s32' >$TRACING/kprobe_events ||
		die "cannot probe shrink_slab"
	echo 1 >$TRACING/events/lab/asked/enable
	echo 2 >/proc/sys/vm/drop_caches
	echo 0 >$TRACING/events/lab/asked/enable
	grep -o 'memcg=0x[0-9a-f]*' $TRACING/trace | cut -d= -f2 | awk '!seen[$0]++' >/tmp/memcgs
	[ "$(wc -l </tmp/memcgs)" -gt $((COUNT + 1)) ] || die "drop_caches asked too few memcgs"
}

# count_asked NAME ADDRESS..: count what they are asked for, by priority. A buffer of its own
# counts what went through it, whether or not it holds it.
count_asked() {
	local name=$1 who='' a prio dir
	shift
	for a; do who+="${who:+ || }memcg == $a"; done
	for prio in $(seq 0 12); do
		dir=$TRACING/instances/$name.$prio
		mkdir "$dir"
		echo 8 >"$dir/buffer_size_kb"
		echo "prio == $prio && ($who)" >"$dir/events/lab/asked/filter" || die "cannot filter"
		echo 1 >"$dir/events/lab/asked/enable"
	done
}

forget() {
	local f
	for f in "$TRACING"/instances/*/trace; do : >"$f"; done
}

# asked NAME PARTS: thousandths of the slab, on average of so many memcgs
asked() {
	local prio nr sum=0 f=$TRACING/instances/$1
	for prio in $(seq 0 12); do
		nr=$(awk '/^(entries|overrun):/ { n += $2 } END { print int(n) }' \
			"$f.$prio/per_cpu/cpu0/stats")
		sum=$((sum + nr * 2000 * 4096 / (1 << prio)))
	done
	echo $((sum / 4096 / $2))
}

try() { # LRU
	local i scanned memcgs root slabs
	lru_mode "$1"
	echo 3 >/proc/sys/vm/drop_caches
	names_of_all $COUNT $PART 30000
	memcgs=$(slab_of_memcgs) root=$(slab_of_root) slabs=$(vmstat slabs_scanned)
	scanned=$(vm "pgscan_(kswapd|direct)")
	forget
	for i in $(seq 120); do
		stream s 32 $((i * 32))
		sleep 0.4
	done
	result "$1.asked.root" "$(asked root 1)"
	result "$1.asked.memcgs" "$(asked memcgs $COUNT)"
	result "$1.scanned" $((($(vm "pgscan_(kswapd|direct)") - scanned) * 1000 / PAGES))
	result "$1.left.memcgs" $(($(slab_of_memcgs) * 1000 / memcgs))
	result "$1.left.root" $(($(slab_of_root) * 1000 / root))
	result "$1.slabs_scanned" $(($(vmstat slabs_scanned) - slabs))
}

begin classic
mkcg s
for i in $(seq $COUNT); do mkcg "idle/$i"; done
addresses
count_asked root "$(head -n 1 /tmp/memcgs)"
# shellcheck disable=SC2046 # an address a word
count_asked memcgs $(tail -n $COUNT /tmp/memcgs)
try classic
try "$1"
