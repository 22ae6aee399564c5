#!/bin/bash
# listlru.sh MODE memory N: N memory cgroups, N tmpfs mounts, a file in each by the
#	cgroup of its number; kernel memory after each stage, with nothing cached, and
#	what it costs to remove 100 cgroups then.
# listlru.sh MODE walk CGROUPS FILES ROUNDS: each of CGROUPS cgroups looks at FILES files
#	of its own on one file system, all at a time, ROUNDS times from a cold cache.
# listlru.sh MODE tar CGROUPS FILES ROUNDS LIMIT: each finds and archives its files, all
#	at a time, below a limit (or max), ROUNDS times; these fill the limit with slab.
#
# Results: mem.STAGE Slab SUnreclaim Percpu KernelStack (KiB); rmdir_ns until they are
# gone, offline_us in mem_cgroup_css_offline, and
# calls of it; walk files, ns of the whole; tar files, ms of all; oom_kill, limit_hits.
set -euo pipefail
. /lab/guest.d/lib.sh

MODE=${1:?mode}
WHAT=${2:?memory or walk}
T=/sys/kernel/tracing
M=$CGROOT/m
RMDIRS=100

lru_mode() {
	[ -e /sys/kernel/mm/lru_gen/enabled ] || return 0
	case $MODE in
	classic) echo n >/sys/kernel/mm/lru_gen/enabled ;;
	mglru) echo y >/sys/kernel/mm/lru_gen/enabled ;;
	*) die "MODE is classic or mglru, not \"$MODE\"" ;;
	esac
}

settle() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.5
}

take() { # STAGE
	settle
	# shellcheck disable=SC2046 # one word each
	result "mem.$1" $(awk '/^(Slab|SUnreclaim|Percpu|KernelStack):/ { v[$1] = $2 }
		END { print v["Slab:"], v["SUnreclaim:"], v["Percpu:"], v["KernelStack:"] }' /proc/meminfo)
	say "$1: after $SECONDS s"
}

# Times of calls of a function, into the trace buffer
probe() { # 0|1
	if [ "$1" = 1 ]; then
		echo "p:lab/enter mem_cgroup_css_offline" >$T/kprobe_events
		echo "r:lab/leave mem_cgroup_css_offline" >>$T/kprobe_events
	fi
	echo "$1" >$T/events/lab/enable
}

# One at a time, so each call ends before the next one begins.
offline_us() {
	awk '$1 !~ /^#/ { match($0, /[0-9]+\.[0-9]+:/); t = substr($0, RSTART, RLENGTH - 1) }
		/ enter:/ { at = t } / leave:/ { s += t - at; n++ }
		END { printf "%d %d", s * 1000000, n }' $T/trace
}

memory() { # N
	local n=$1
	mkdir "$M" /mnt/t
	echo +memory >"$CGROOT/cgroup.subtree_control"
	echo +memory >"$M/cgroup.subtree_control"
	mount -t tmpfs none /mnt/t -o size=64m,nr_inodes=100k
	take base
	manycg cgroups "$M" 0 "$n"
	take memcgs
	manycg mounts /mnt/t "$n"
	take mounts
	manycg files "$M" /mnt/t "$n"
	take files
	manycg cgroups "$M" "$n" $RMDIRS
	sleep 1
	result rmdir_ns "$(manycg rmdirs "$M" "$n" $RMDIRS)"
	manycg cgroups "$M" "$n" $RMDIRS
	sleep 1
	probe 1
	manycg rmdirs "$M" "$n" $RMDIRS >/dev/null
	probe 0
	# shellcheck disable=SC2046
	result offline_us $(offline_us)
	say "rmdirs: after $SECONDS s"
}

walker() { # I ROUNDS
	echo 0 >"$M/$1/cgroup.procs"
	exec manycg walk "/mnt/w/$1" "$2"
}

# Trees on one file system, and a cgroup for each
trees() { # CGROUPS FILES
	local i
	mkdir "$M" /mnt/w
	echo +memory >"$CGROOT/cgroup.subtree_control"
	echo +memory >"$M/cgroup.subtree_control"
	mke2fs -q -F /dev/ram0 2>/dev/null || mkfs.ext2 -F /dev/ram0 >/dev/null
	mount -t ext4 /dev/ram0 /mnt/w
	for ((i = 0; i < $1; i++)); do
		mkdir "$M/$i"
		manycg tree "/mnt/w/$i" "$2"
	done
	say "trees: after $SECONDS s"
}

walk() { # CGROUPS FILES ROUNDS
	local i round pids
	trees "$1" "$2"
	for ((round = 0; round < $3; round++)); do
		settle
		pids=()
		for ((i = 0; i < $1; i++)); do
			(walker "$i" 1) >"/tmp/walk.$i" &
			pids+=($!)
		done
		wait "${pids[@]}"
		# shellcheck disable=SC2046 # one word each
		result walk $(cat /tmp/walk.* | awk '{ f += $1; n += $2 } END { print f, n }')
	done
	say "walks: after $SECONDS s"
}

# How many files it has found, once they are archived
archiver() { # I
	local found
	echo 0 >"$M/$1/cgroup.procs"
	echo 0 >/proc/self/oom_score_adj
	cd "/mnt/w/$1"
	found=$(find . -type f | wc -l)
	tar cf - . | cat >/dev/null
	echo "$found"
}

# Who is killed is counted and found nothing; the killer leaves this script alone.
archive() { # CGROUPS FILES ROUNDS LIMIT
	local i round pids began
	echo -1000 >/proc/self/oom_score_adj
	trees "$1" "$2"
	settle
	for ((i = 0; i < $1; i++)); do echo "$4" >"$M/$i/memory.max"; done
	for ((round = 0; round < $3; round++)); do
		pids=()
		began=$(now_ms)
		for ((i = 0; i < $1; i++)); do
			archiver "$i" >"/tmp/found.$i" 2>/dev/null &
			pids+=($!)
		done
		wait "${pids[@]}" || true
		result tar "$(cat /tmp/found.* | awk '{ f += $1 } END { print f + 0 }')" $(($(now_ms) - began))
	done
	result oom_kill "$(awk '$1 == "oom_kill" { print $2 }' /proc/vmstat)"
	result limit_hits "$(cat "$M"/*/memory.events | awk '$1 == "max" { n += $2 } END { print n + 0 }')"
	say "archives: after $SECONDS s"
}

lru_mode
case $WHAT in
memory) memory "${3:?N}" ;;
walk) walk "${3:?CGROUPS}" "${4:?FILES}" "${5:?ROUNDS}" ;;
tar) archive "${3:?CGROUPS}" "${4:?FILES}" "${5:?ROUNDS}" "${6:?LIMIT}" ;;
*) die "memory, walk or tar, not \"$WHAT\"" ;;
esac
