#!/bin/bash
# contract-foreign-shmem-walks.sh MODE: a stream in a memcg of 12 MB, one of whose tasks maps shared
# memory that another memcg is charged for. Results: small, large, ms of the stream.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

try() { # NAME MB
	local began mapper
	run_in other dd if=/dev/zero of="/dev/shm/$1" bs=1M count="$2" 2>/dev/null
	start_in w memtouch --name "$1" --mb "$2" --file "/dev/shm/$1" --fill same --pattern seq \
		--rate 400 --ready-file "$READY/$1" >/dev/null
	mapper=$!
	until [ -e "$READY/$1" ]; do sleep 0.05; done
	stream w 12
	began=$(now_us)
	stream w 80 100
	result "$1" $((($(now_us) - began) / 1000))
	kill $mapper
	wait $mapper || true
}

begin "$1"
mkcg w
mkcg other
mount -o remount,size=200M /dev/shm
echo 12M >"$CG/w/memory.max"
try small 1
try large 120
