#!/bin/bash
# contract-no-swap-restamp.sh MODE: generations are opened by debugfs in a memcg with idle shared
# memory that nobody maps, without swap. Results: small, large, the longest opening in us; opens.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

DEBUG=/sys/kernel/debug/lru_gen

id_of() { awk -v cg="/$1" '$1 == "memcg" && $3 == cg { print $2 }' $DEBUG; }

open_some() { # CG MB: the longest of twelve openings, in us
	local id first now longest=0 i
	mkcg "$1"
	run_in "$1" dd if=/dev/zero of="/dev/shm/$1" bs=1M count="$2" 2>/dev/null
	id=$(id_of "$1") first=$(youngest "$1")
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		now=$(now_us)
		echo "+ $id 0 $(youngest "$1") 0" >$DEBUG
		now=$(($(now_us) - now))
		[ $now -le $longest ] || longest=$now
	done
	result opens $(($(youngest "$1") - first))
	result "$1" $longest
}

begin "$1"
mount -o remount,size=200M /dev/shm
open_some small 1
open_some large 100
