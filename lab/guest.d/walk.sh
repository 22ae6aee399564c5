#!/bin/bash
# walk.sh: does a walk of page tables find what has been touched, and no more?
# Every case of walktest, with non-leaf accessed bits and without; once with
# walks switched off, where the test must fail; and, in a kernel that can fail
# allocations on demand, reclaim while the walker gets no memory.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

CASES="anon fault file thp protections holes mremap fork nodes random sequential
	mlocked userfaultfd hugetlb page_idle"
# Where what is touched is dense, and was when its table was walked before: by
# filter, no other tables are walked. (That of a fork has no accessed bit set.)
DENSE="anon file page_idle"
FAILSLAB=/sys/kernel/debug/failslab
failed=0

# run_cases TITLE BITS WORDS..: walktest WORDS.. with these bits of `enabled`
run_cases() {
	local title=$1 line
	say "walktest: $title"
	echo "$2" >$KNOB
	shift 2
	walktest "$@" >/tmp/walk || true
	[ -s /tmp/walk ] || die "walktest $*: no result"
	while read -r line; do
		result case "$title: $line"
		case $line in "not ok"*) failed=1 ;; esac
	done </tmp/walk
}

# Without walks, touches are not found: a test that passes would see nothing.
run_control() {
	echo 1 >$KNOB
	if walktest anon >/tmp/walk; then die "passes with walks switched off: $(cat /tmp/walk)"; fi
	grep -q 'touched' /tmp/walk || die "fails for another reason with walks off: $(cat /tmp/walk)"
	result case "walks off: ok (as it must) $(cat /tmp/walk)"
	echo 7 >$KNOB
}

# left_failures: how many more allocations failslab would fail
left_failures() { cat $FAILSLAB/times; }

# fail_kmalloc 0|1: that of the filter, but not of the swap cache's nodes, without
# which no kernel swaps
fail_kmalloc() {
	local cache
	for cache in /sys/kernel/slab/kmalloc-[0-9]*; do echo "$1" >"$cache/failslab"; done
}

# The shell itself asks for the reclaim, and is the one whose allocations fail:
# those that may not wait, as all in the walker. It allocates its filter, which
# is in use with leaf bits only. What the load fetches back meanwhile counts as
# reclaimed.
run_without_memory() {
	local before after left pid written=ok
	echo 3 >$KNOB
	mkdir -p $READY
	mkcg starved
	start_in starved memtouch --name starved --mb 96 --rate 500 --pattern zipf:0.9 --secs 600 \
		--ready-file $READY/starved >/dev/null
	pid=$!
	wait_ready 120 $pid
	fail_kmalloc 1
	echo Y >$FAILSLAB/cache-filter
	echo Y >$FAILSLAB/task-filter
	echo 100 >$FAILSLAB/probability
	echo 0 >$FAILSLAB/verbose
	echo 1000000 >$FAILSLAB/times
	before=$(cgstat starved pgsteal)
	echo 1 >/proc/self/make-it-fail
	echo 48M >$CG/starved/memory.reclaim || written=short
	echo 0 >/proc/self/make-it-fail
	left=$(left_failures)
	echo 0 >$FAILSLAB/probability
	echo N >$FAILSLAB/cache-filter
	fail_kmalloc 0
	sleep "$FLUSH_S"
	after=$(cgstat starved pgsteal)
	kill $pid
	result starved failed_allocations $((1000000 - left)) pages $((after - before)) written $written
	if [ $written != ok ] || [ $((after - before)) -lt $((48 << 8)) ]; then failed=1; fi
	[ "$left" -lt 1000000 ] || die "not one allocation failed: nothing has been tested"
}

[ -e $KNOB ] || die "this kernel has no $KNOB"
[ -w /sys/kernel/debug/lru_gen ] || die "this kernel has no debugfs lru_gen"
echo 4 >/proc/sys/kernel/printk
setup_zram 1G
make_disk /scratch 64
mount -o remount,noatime /scratch
echo 4 >/proc/sys/vm/nr_hugepages

# shellcheck disable=SC2086 # lists of words
{
	run_cases "all tables" 7 $CASES races
	run_cases "all tables, leaf bits only" 3 $CASES races
	run_cases "used tables" 7 --by-need $CASES
	run_cases "tables by filter" 3 --by-need $DENSE
}
run_control
if have_config FAILSLAB; then run_without_memory; else result starved skip "no CONFIG_FAILSLAB"; fi
[ $failed -eq 0 ] || die "see the results"
result outcome ok
