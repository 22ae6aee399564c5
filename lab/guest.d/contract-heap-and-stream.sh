#!/bin/bash
# contract-heap-and-stream.sh MODE [TIMES]: 220 MB of anonymous memory, of which each page is
# written once in 10 s, beside 1,300 MB of a file read once, 20 MB in a second: the heap in the
# root and the stream in a memcg, then each in a memcg, then both in one; once, or TIMES times.
# Results: root, two, one (pages of the heap that were swapped in meanwhile, in 6.5 passes over it).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

HEAP_PAGES=56320
STREAM_PAGES=332800

# beside NAME HEAP_CG STREAM_CG: the heap runs for two passes before the stream begins
beside() {
	local heap before
	start_in "$2" accessgen --kind anon --pages $HEAP_PAGES --pattern seq --rate $((HEAP_PAGES / 10)) >/dev/null
	heap=$!
	sleep 20
	before=$(vm pswpin)
	run_in "$3" accessgen --kind read --file "$HOLES" --pages $STREAM_PAGES --pattern seq \
		--rate 5120 --secs 65 >/dev/null
	result "$1" $(($(vm pswpin) - before))
	kill $heap
	wait $heap || true
	echo 3 >/proc/sys/vm/drop_caches
}

begin "$1"
setup_zram 512M
for cg in heap stream both; do
	mkcg $cg
done
for ((i = 0; i < ${2:-1}; i++)); do
	beside root . stream
	beside two heap stream
	beside one both both
done
