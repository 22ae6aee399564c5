#!/bin/bash
# swapoff.sh: swapoff, with a node in the tree of a swap cache that has no entry since
# its leaf got no memory. It must be freed, or the kernel says so.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

FAILSLAB=/sys/kernel/debug/failslab
MANY=1000000000

calm
echo 1 >/sys/kernel/slab/radix_tree_node/failslab || die "no failslab"
echo Y >$FAILSLAB/cache-filter
echo Y >$FAILSLAB/ignore-gfp-wait
echo N >$FAILSLAB/task-filter
echo 0 >$FAILSLAB/verbose
echo $MANY >$FAILSLAB/times
echo 64M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
for mode in classic mglru; do
	lru_mode $mode
	swapon /dev/zram0
	swapnode || die "swapnode failed"
	swapoff /dev/zram0 || die "swapoff failed"
done
result failed $((MANY - $(cat $FAILSLAB/times)))
