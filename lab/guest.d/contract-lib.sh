# shellcheck shell=bash
# Sourced by the scripts of the contracts (lab/check/contracts): what they share.
# Needs lib.sh and load.sh.

DISK=/mnt/disk
HOLES=$DISK/holes	# a large file without a block: clean page cache, no input
DENTRY_BYTES=704	# of a name of negdentry: the dentry, and a slab object of 512
names=0			# names that negdentry has looked up

# begin MODE [MB]: a quiet guest with that LRU, and a file system of MB on a RAM disk
begin() {
	calm
	lru_mode "$1"
	make_disk "$DISK" "${2:-16}"
	mkdir "$DISK/names"
	echo 1 >/proc/sys/vm/overcommit_memory
	truncate -s 8G "$HOLES"
}

# run_in CG CMD..: to its end, in a cgroup
run_in() {
	start_in "$@"
	wait $!
}

# stream CG MB [FIRST]: read MB of the file of holes, from its megabyte FIRST on, in CG
stream() {
	run_in "$1" dd if="$HOLES" of=/dev/null bs=256k count=$(($2 * 4)) skip=$((${3:-0} * 4)) 2>/dev/null
}

# files_in CG FILE: 30 MB of the new FILE, mapped and in use, in CG
files_in() {
	accessgen --kind create --file "$2" --pages 7680 >/dev/null 2>&1
	sync
	echo 3 >/proc/sys/vm/drop_caches
	start_in "$1" accessgen --kind mmapd --file "$2" --pages 7680 --pattern seq --rate 7680 >/dev/null
}

# hot_and_idle_in CG: 50 MB of hot and 50 MB of idle anon, 30 MB of a mapped file in use, and 75 MB
# that were read once, some seconds ago
hot_and_idle_in() {
	files_in "$1" "$DISK/h"
	start_in "$1" memtouch --mb 50 --rate 1 --ready-file "$READY/idle" >/dev/null
	start_in "$1" accessgen --kind anon --pages 12800 --pattern seq --rate 12800 >/dev/null
	sleep 3
	stream "$1" 75
	sleep 8
}

# rounds CG MB N [FIRST]: N times, read MB of the file of holes, and then fill as much anonymous
# memory, in CG. Read-ahead allocates without __GFP_FS, and so cannot free dentries; page
# faults can.
rounds() {
	local i
	for i in $(seq "$3"); do
		stream "$1" "$2" $((${4:-0} + i * $2))
		run_in "$1" memtouch --mb "$2" --fill same --ops 1 >/dev/null
	done
}

# slab CG: its reclaimable slab in KiB; of all memory if CG is empty
slab() {
	if [ -n "$1" ]; then
		echo $(($(cgstat "$1" slab_reclaimable) >> 10))
	else
		awk '$1 == "SReclaimable:" { print $2 }' /proc/meminfo
	fi
}

# fill_slab CG MB: look up new names until CG has that much reclaimable slab
fill_slab() {
	local more=$((($2 * 1024 - $(slab "$1")) * 1024 / DENTRY_BYTES))
	[ $more -gt 0 ] || return 0
	run_in "$1" negdentry "$DISK/names" $names $more
	names=$((names + more))
}

# names_of_all COUNT PART MORE: look up PART new names in each of the cgroups idle/1 to COUNT, and
# MORE in the root
names_of_all() {
	local i
	for i in $(seq "$1"); do
		run_in "idle/$i" negdentry "$DISK/names" $names "$2"
		names=$((names + $2))
	done
	negdentry "$DISK/names" $names "$3"
	names=$((names + $3))
}

slab_of_memcgs() { cg_sum slab_reclaimable "$CG"/idle/*/ | awk '{ print int($1 / 1024) }'; }

# Names in all of memory, without those of the memcgs
slab_of_root() {
	local all
	read -r _ _ _ _ all _ </proc/sys/fs/dentry-state
	echo $((all * DENTRY_BYTES / 1024 - $(slab_of_memcgs)))
}

# kills CG: OOM kills in a cgroup
events() { awk -v k="$2" '$1 == k { print $2 }' "$CG/$1/memory.events"; }

# youngest CG: the number of its youngest generation on node 0
youngest() {
	awk -v cg="/$1" '$1 == "memcg" { mine = $3 == cg; node = -1; next }
		mine && $1 == "node" { node = $2; next }
		mine && node == 0 && $1 ~ /^[0-9]+$/ { n = $1 }
		END { print n + 0 }' /sys/kernel/debug/lru_gen
}

# now_us: of the guest's clock
now_us() { echo "${EPOCHREALTIME/./}"; }
