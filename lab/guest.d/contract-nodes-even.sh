#!/bin/bash
# contract-nodes-even.sh MODE: cache of one memcg on two nodes. Its processor is on node 0.
# Results: CAUSE SHARE, what node 1 gave, in thousandths of what both gave.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

on_node() { # NODE: file cache in KiB
	local key words word
	while read -r key words; do
		[ "$key" = file ] || continue
		for word in $words; do
			case $word in "N$1="*) echo $((${word#*=} >> 10)) ;; esac
		done
	done <"$CG/w/memory.numa_stat"
}

# place MB0 MB1: a new memcg with so much cache on each node
at=0
place() {
	echo 3 >/proc/sys/vm/drop_caches
	[ ! -d "$CG/w" ] || rmdir "$CG/w"
	mkcg w
	echo 0 >"$CG/w/cpuset.mems"
	stream w "$1" $at
	echo 1 >"$CG/w/cpuset.mems"
	stream w "$2" $((at + $1))
	at=$((at + $1 + $2))
	echo >"$CG/w/cpuset.mems"
}

# taken KEY CMD..: who gave what CMD has taken. What CMD reads anew is on node 0.
taken() {
	local key=$1 new=$2 node0 node1
	shift 2
	node0=$(on_node 0) node1=$(on_node 1)
	"$@"
	node0=$((node0 + new * 1024 - $(on_node 0))) node1=$((node1 - $(on_node 1)))
	[ $((node0 + node1)) -gt 0 ] || die "$key: nothing was taken"
	result "$key" $((node1 * 1000 / (node0 + node1)))
	result "$key.kib" "$node0" "$node1"
}

reclaim() { echo "$1" >"$CG/w/memory.reclaim" || result short "$1"; }

limit() { # max|high MB: less than there is, by so much
	echo $(($(cgstat w current) - ($2 << 20))) >"$CG/w/memory.$1"
}

hits() { # MB
	cgstat w current >"$CG/w/memory.max"
	echo 0 >"$CG/w/cpuset.mems"
	stream w "$1" $at
}

begin "$1"
place 40 40
taken reclaim 0 reclaim 24M
place 40 40
taken max 0 limit max 24
place 40 40
taken high 0 limit high 24
place 40 40
taken hits 20 hits 20
place 16 64
taken uneven 0 reclaim 20M
