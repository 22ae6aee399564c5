#!/bin/bash
# contract-low-reserves.sh MODE: 100 MB of pinned cache in one memcg, 50 MB of clean cache in 100
# memcgs below memory.low, and an allocator that needs half of the latter.
# Results: pinned, protected in MB; kills; status of the allocator.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

protected() {
	local i sum=0
	for i in $(seq 100); do sum=$((sum + $(cgstat "low$i" file))); done
	echo $((sum >> 20))
}

begin "$1"
mkcg pins
mkcg out
start_in pins pipehold "$HOLES" 100 /tmp/pinned
holder=$!
until [ -e /tmp/pinned ]; do
	kill -0 $holder 2>/dev/null || die "the pages are not pinned"
	sleep 0.05
done
result pinned $(($(cgstat pins file) >> 20))
for i in $(seq 100); do
	mkcg "low$i"
	echo 1M >"$CG/low$i/memory.low"
	start_in "low$i" dd if="$HOLES" of=/dev/null bs=512k count=1 skip=$((400 + i)) 2>/dev/null
	wait $!
done
result protected "$(protected)"
free=$(($(awk '$1 == "MemFree:" { print $2 }' /proc/meminfo) >> 10))
status=0
run_in out timeout 10 memtouch --mb $((free + 20)) --ops 1 >/dev/null 2>/tmp/err || status=$?
result status $status
result free "$free"
result error "$(tail -n 1 /tmp/err)"
result kills "$(vm oom_kill)"
result left "$(protected)"
