#!/bin/bash
# contract-dirty-limit.sh MODE: a file is read and written by turns, page after page, below a
# limit that it exceeds. Nothing but reclaim asks for writeback. With cgroup v2, then v1.
# Results, for V in v2 and v1: V.killed, V.limit, V.dirty (MiB, at most), V.woken
# (times that reclaim had a flusher begin).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

LIMIT=48
TRACE=/sys/kernel/tracing

woken() { grep -c 'reason=vmscan' $TRACE/trace || true; }

# Nobody else has dirty pages to speak of.
sample() { while :; do vmstat nr_dirty; sleep 0.02; done >/tmp/dirty; }

load() { # V
	local sampler
	echo >$TRACE/trace
	sample &
	sampler=$!
	run_in w memtouch --mb 150 --file "$DISK/w" --io read --pattern seq --write 50 --fill none \
		--ops 76800 >/dev/null || say "$1: the load was killed"
	kill $sampler
	result "$1.limit" $LIMIT
	result "$1.dirty" $(($(sort -n /tmp/dirty | tail -n 1) >> 8))
	result "$1.woken" "$(woken)"
	rm "$DISK/w"
}

# The controller has to leave version 2 first, which takes a moment.
use_v1() {
	local i
	echo -memory >"$CG/cgroup.subtree_control"
	umount "$CG"
	for ((i = 0; i < 50; i++)); do
		! mount -t cgroup -o memory cgroup "$CG" 2>/dev/null || return 0
		sleep 0.1
	done
	die "cannot mount the memory controller of cgroup v1"
}

begin "$1" 200
[ -d $TRACE/events ] || mount -t tracefs tracefs $TRACE
echo 1 >$TRACE/events/writeback/writeback_start/enable
echo 0 >/proc/sys/vm/dirty_writeback_centisecs
echo 90 >/proc/sys/vm/dirty_background_ratio
echo 95 >/proc/sys/vm/dirty_ratio
mkcg w
echo ${LIMIT}M >"$CG/w/memory.max"
load v2
result v2.killed "$(events w oom_kill)"
rmdir "$CG/w"
use_v1
mkdir "$CG/w"
echo ${LIMIT}M >"$CG/w/memory.limit_in_bytes"
load v1
result v1.killed "$(awk '$1 == "oom_kill" { print $2 }' "$CG/w/memory.oom_control")"
