#!/bin/bash
# torture.sh SECONDS SEED [PLANT]
#
# All that can happen to reclaim at once, for SECONDS: verifiers, whose every byte is
# known, live in memory cgroups at their limits, on two nodes, with anonymous memory,
# shared memory, huge pages, children, and files on ext4, mapped and read; actors
# switch lru_gen, make, fill, kill and remove cgroups, move processes, change limits,
# reclaim, add and remove swap, press whole nodes, split and collapse huge pages, fork
# and exec, take memory away from the system, and let allocations fail. Then, in
# quiet: is every page as it was left, do all counters agree, can everything be
# reclaimed, is everything freed that should be? SEED decides what the actors do;
# when they do it is up to the scheduler.
#
# Results: actor NAME ROUNDS, also NAME N, faults PHASE WHAT N, verifier .., drifts,
# aspect NAME ok|WHY. PLANT is for a trial of the torture itself: page (a verifier
# spoils one of its own), actor (one that fails), idle (one that does nothing).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/rest-lib.sh

[ $# -ge 2 ] || die "usage: torture.sh SECONDS SEED [PLANT]"
seconds=$1 seed=$2 plant=${3:-none}
number SECONDS "$seconds" 10
number SEED "$seed"
case $plant in none | page | actor | idle) ;; *) die "PLANT \"$plant\" is none of page, actor, idle" ;; esac
. /lab/guest.d/actors.sh
. /lab/guest.d/torture-actors.sh
. /lab/guest.d/torture-faults.sh
. /lab/guest.d/torture-rest.sh

MNT=/mnt/torture
DISK_MB=96
REST=/tmp/rest
HANG_S=40	# a round of an actor takes so long at most, on a slow host, too
HELD_MAX=2	# removed cgroups that may be left after a while
LEFT_PAGES=512	# pages the LRU may have more at the end than at the beginning
LOST_PAGES=512	# that may be in use for something not counted here
VMALLOC_PAGES=4096	# that vmalloc and per-cpu memory may have grown by, which keeps chunks
SLAB_PAGES=8192	# that caches of the slab may have grown by

pids=() idler=

# start_verifier PARENT/LEAF MB [OPTION..]: the actors come first, also on a slow host
start_verifier()
{
	local place=$1 name=${1/\//} mb=$2 spoil=()
	shift 2
	[ "$plant:$name" != page:p0l1 ] || spoil=(--plant 500)
	mkcg "$TOP/$place"
	start_in "$TOP/$place" patterncheck --name "$name" --mb "$mb" --rate 200 \
		--seed $((seed * 100 + ${#pids[@]})) --ready-file "$READY/$name" \
		--rest-file "$REST/$name" "$@" "${spoil[@]}" >"/tmp/out.$name" 2>"/tmp/err.$name"
	pids+=($!)
	renice -n 5 -p $! >/dev/null
}

start_verifiers()
{
	start_verifier p0/l0 8
	start_verifier p0/l1 6 --mode fork
	start_verifier p1/l0 6 --kind shmem
	start_verifier p1/l1 14 --kind shmem --mode thp
	start_verifier p2/l0 8 --kind map --file $MNT/mapped
	start_verifier p2/l1 8 --kind rw --file $MNT/read
	start_verifier p3/l0 14 --mode thp
	start_verifier p3/l1 6 --kind rw --file $MNT/read2
	wait_ready 240 "${pids[@]}"
}

prepare_thp()
{
	echo madvise >$THP/enabled
	echo advise >$THP/shmem_enabled
	echo 100 >$THP/khugepaged/scan_sleep_millisecs
	# It has the lowest priority, and a process's mmap_lock, for which many wait.
	renice -n -19 -p "$(threads khugepaged)" >/dev/null
}

prepare()
{
	calm
	mkdir -p $REST
	echo y >$KNOB
	# Elsewhere, that they are missing would leave out a part of the torture unnoticed.
	if has_thp; then
		prepare_thp
	elif ! grep PREEMPT_RT /proc/version >/dev/null; then
		die "this kernel has no transparent huge pages, and is not PREEMPT_RT"
	fi
	setup_zram 512M
	add_second_swap
	# All its pages are there from the start, as they stay to the end.
	dd if=/dev/zero of=/dev/ram0 bs=1M count=$DISK_MB 2>/dev/null
	make_disk $MNT $DISK_MB
	lru_before=$(rest)
	accounted_before=$(accounted_pages)
	slab_before=$(vm 'nr_slab_(un)?reclaimable')
	vmalloc_before=$(vmalloc_pages)
	depot_before=$(depot_pages)
}

vmalloc_pages() { awk '/^(VmallocUsed|Percpu):/ { s += $2 / 4 } END { print int(s) }' /proc/meminfo; }

# What records stacks (KASAN, kmemleak) keeps each for ever, in pools of four pages.
depot_pages()
{
	local stats=/sys/kernel/debug/stackdepot/stats
	[ -e $stats ] || { echo 0; return; }
	awk '$1 == "pools:" { s = 4 * $2 } END { print s + 0 }' $stats
}

# accounted_pages: those that are free, or in use for what is known. What is missing
# at the end, with everything gone, was lost. A processor keeps thousands of free ones
# and gives them back at any time: both are read from one file, at one moment.
accounted_pages()
{
	echo 1 >/proc/sys/vm/stat_refresh
	awk '$1 == "pages" && $2 == "free" { s += $3 }
		$1 == "count:" { s += $2 } END { print s + 0 }' /proc/zoneinfo >/tmp/free
	awk -v free="$(($(cat /tmp/free) + $(vmalloc_pages) + $(depot_pages)))" '
		/^nr_(slab_(un)?reclaimable|page_table_pages) / { s += $2 }
		/^nr_(in)?active_(anon|file) |^nr_unevictable / { s += $2 }
		$1 == "nr_kernel_stack" { s += $2 / 4 }
		END { print int(s + free) }' /proc/vmstat
}

begin()
{
	prepare
	start_verifiers
	limit_parents
	say "populated after $SECONDS s, seed $seed"
	start_actors
	case $plant in
	actor) act planted false ;;
	idle)
		act planted sleep 3600
		idler=${actors[-1]#*:} ;;
	esac
	start_faults
}

# where_it_hangs: if the actors' rounds do not end, the console shows where
where_it_hangs()
{
	sleep $HANG_S
	[ ! -e /tmp/stopped ] || return 0
	say "an actor has not come to an end for $HANG_S s"
	late_actors
	echo 8 >/proc/sys/kernel/printk
	for key in w l; do echo $key >/proc/sysrq-trigger; done
	echo 4 >/proc/sys/kernel/printk
}

end_load()
{
	say "stopping all but the verifiers"
	where_it_hangs &
	if [ -n "$idler" ]; then kill "$idler"; fi
	stop_actors
	echo >/tmp/stopped
	also_results
	aspect actors
	count_faults
}

main()
{
	[ -e $KNOB ] || die "this kernel has no $KNOB"
	result seed "$seed"
	begin
	pass_time "$seconds"
	end_load
	quiet
	compare_counters
	clear_away
	look_for_leaks
	refuse_kills
	[ ! -s /tmp/wrong ] || die "$(tr '\n' ' ' </tmp/wrong)"
	result outcome ok
}

# aspect NAME: say what of it is wrong, and begin anew with the next one
aspect()
{
	if [ ${#bad[@]} -eq 0 ]; then
		result aspect "$1" ok
	else
		result aspect "$1" "$(printf '%s; ' "${bad[@]}" | tr '\n' ' ')"
		echo "$1: ${bad[*]}" >>/tmp/wrong
	fi
	bad=()
}

main
