#!/bin/bash
# oom.sh MODE..: cases for the OOM killer, with each LRU (mglru, classic), in a
# guest of 384M and two nodes. Each must, or must not, make it fire; who must die is
# said, too. Results: case MODE NAME DUE KILLS MILLISECONDS [wrong: WHY].
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/oom-lib.sh

MNT=/mnt/oom
KEEP=(--fill random)		# not to be compressed

# name, kills that are due, swap
CASES=(
	"limit 1 off" "limit-swap 0 on" "limit-swap-full 1 on" "limit-cache 0 off"
	"limit-dirty 0 off" "limit-mlock 1 on" "limit-shmem-group 2-3 off" "tree-low 0 off"
	"tree-min 1 off" "node 1 off" "node-swap 0 on" "global 1 off" "global-swap 0 on"
)

# memory.max, anonymous memory beyond it: who asks for more dies, who has little lives
case_limit()
{
	limits a 24M 0
	hold small a 4
	grow hog a 48
	must_die hog
	must_live small
}

case_limit-swap()
{
	limits a 24M max
	grow hog a 48
	must_end hog
}

# swap there is, but not for this one
case_limit-swap-full()
{
	limits a 24M 8M
	hold small a 4
	grow hog a 64 "${KEEP[@]}"
	must_die hog
	must_live small
}

# the limit is full of clean cache, used twice
case_limit-cache()
{
	limits a 24M 0
	start reader a memtouch --mb 32 --file "$MNT/clean" --fill none --pattern seq --ops 16384
	must_end reader
	cached a 16
	grow hog a 16
	must_end hog
}

# what is written must be waited for
case_limit-dirty()
{
	limits a 16M 0
	start writer a dd if=/dev/zero of="$MNT/dirty" bs=1M count=32
	grow hog a 8
	must_end hog writer
}

# swap is free, but nothing may go there
case_limit-mlock()
{
	limits a 24M max
	hold small a 4
	start hog a memlock 32 "$READY/hog"
	must_die hog
	must_live small
}

# shared memory cannot be freed by a kill; all of the group dies, nobody else
case_limit-shmem-group()
{
	limits a 24M 0
	limits b 24M 0
	echo 1 >"$CG/oom/a/memory.oom.group"
	hold mate a 2
	hold other b 2
	grow hog a 48 --file /dev/shm/hog
	must_die hog mate
	must_live other
}

# cache CG MB FILE: a sibling's cache, used twice
cache()
{
	start "${1##*/}" "$1" memtouch --mb "$2" --file "$3" --fill none --io read --pattern seq \
		--ops $(($2 * 512))
	must_end "${1##*/}"
}

# of a sibling, protected by memory.low, as far as there is something else: here is nothing
case_tree-low()
{
	mkcg oom/top
	echo 32M >"$CG/oom/top/memory.max"
	limits top/kept max 0
	limits top/hog max 0
	echo 20M >"$CG/oom/top/kept/memory.low"
	hold small top/kept 1
	cache top/kept 20 "$MNT/clean"
	grow hog top/hog 24
	must_end hog
	must_live small
}

# the same by memory.min, which holds whatever comes
case_tree-min()
{
	mkcg oom/top
	echo 32M >"$CG/oom/top/memory.max"
	limits top/kept max 0
	limits top/hog max 0
	echo 24M >"$CG/oom/top/kept/memory.min"
	hold small top/kept 1
	cache top/kept 20 "$MNT/clean"
	grow hog top/hog 24
	must_die hog
	must_live small
	cached top/kept 19
}

# one node is full, the other is not: its user dies, who holds memory elsewhere does not
case_node()
{
	limits a max 0
	limits b max 0
	hold other b 100 --fill same --policy bind:2
	grow hog a 220 --fill same --policy bind:1
	must_die hog
	must_live other
}

case_node-swap()
{
	limits a max max
	grow hog a 200 --fill same --policy bind:1
	must_end hog
}

# the largest dies, though it asks for nothing
case_global()
{
	limits a max 0
	limits b max 0
	hold large a 160 --fill same
	grow hog b 150 --fill same
	must_die large
	must_end hog
}

case_global-swap()
{
	limits a max max
	limits b max max
	hold large a 160 --fill same
	grow hog b 150 --fill same
	must_end hog
	must_live large
}

swap()
{
	if [ "$1" = on ]; then
		[ -n "$(tail -n +2 /proc/swaps)" ] || swapon /dev/zram0
	elif [ -n "$(tail -n +2 /proc/swaps)" ]; then
		swapoff /dev/zram0
	fi
}

run_case()
{
	local name=$2
	swap "$4"
	begin_case
	"case_$name"
	judge "$1" "$name" "$3"
	clean
}

[ $# -ge 1 ] || die "usage: oom.sh MODE.."
calm
echo 1 >/proc/sys/kernel/printk
setup_zram 512M
make_disk "$MNT" 80
result cases ${#CASES[@]}
memtouch --mb 32 --file "$MNT/clean" --io read --ops 1 >/dev/null
for mode; do
	lru_mode "$mode"
	for line in "${CASES[@]}"; do
		# shellcheck disable=SC2086 # three words
		run_case "$mode" $line
	done
done
