#!/bin/bash
# contract-dying.sh MODE: a task dies in the middle of a fork() at memory.max, where cache is
# left to reclaim. Results: killed, oom, oom_kill; slab LEFT in thousandths.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

# die DELAY: a task with 16 MB of page tables, in w, whose fork() is cut short. The cache
# fills the limit before the fork begins.
die() {
	local rc=0
	: >/tmp/forkkill
	# shellcheck disable=SC2094 # the file tells when to go on
	{
		until grep -q filled /tmp/forkkill; do sleep 0.05; done
		stream w 60
		slab w >/tmp/before
		echo go
	} | run_in w forkkill 8 "$1" >/tmp/forkkill || rc=$?
	if [ $rc -eq 137 ]; then killed=$((killed + 1)); else result ended "$rc"; fi
}

begin "$1"
mkcg w
echo 96M >"$CG/w/memory.max"
killed=0 lowest=1000
for delay in 2000 4000 8000; do die $delay; done
for delay in 2000 4000 8000; do
	fill_slab w 24
	die $delay
	left=$(($(slab w) * 1000 / $(cat /tmp/before)))
	[ $left -ge $lowest ] || lowest=$left
done
result killed $killed
result oom "$(events w oom)"
result oom_kill "$(events w oom_kill)"
result slab $lowest
