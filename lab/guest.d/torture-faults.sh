# shellcheck shell=bash
# Sourced by torture.sh: allocations that fail, in phases, so that it is known who
# must bear what. (Both: none of __GFP_HIGHMEM, hence no page of a process.)
#
#   soft  those that may not wait: what reclaim itself asks for. The verifiers, the
#         kswapds, and whoever writes to memory.reclaim or has a short load. All of
#         them must come to a good end.
#   hard  any at all, page tables and the like, of short loads only: these may end
#         in an error, but with no page wrong, and nothing leaked.
#   none  in between, until those that were made to fail before have ended

FAULTS=/sys/kernel/debug
MANY=100000000		# what `times` counts down from
PHASE=/tmp/phase
faulty=''

failing() # PHASE..: is it one of these?
{
	local now=off p
	[ ! -s $PHASE ] || now=$(cat $PHASE)
	for p; do [ "$p" != "$now" ] || return 0; done
	return 1
}

# may_fail COMMAND..: run it, and let its allocations fail in the soft phase
may_fail()
{
	local status=0
	(
		if failing soft; then echo 1 >/proc/self/make-it-fail; fi
		exec "$@"
	) || status=$?
	return $status
}

kswapds()
{
	local d name
	for d in /proc/[0-9]*; do
		read -r name <"$d/comm" || continue
		case $name in kswapd*) echo "${d#/proc/}" ;; esac
	done 2>/dev/null
}

# Children, which are in the same cgroups, have it from their parents.
flag() # 0|1
{
	local p
	for p in $KSWAPDS $(cat "$CG/$TOP"/p[0-9]*/l[0-9]*/cgroup.procs); do
		echo "$1" >"/proc/$p/make-it-fail" || true
	done 2>/dev/null
}

set_faults() # PROBABILITY WAITING-TOO(N|Y)
{
	local kind
	for kind in failslab fail_page_alloc; do
		echo 0 >$FAULTS/$kind/probability
		echo "$2" >$FAULTS/$kind/ignore-gfp-wait
		echo $MANY >$FAULTS/$kind/times
		echo "$1" >$FAULTS/$kind/probability
	done
}

# collect PHASE: what has failed since they were set
collect()
{
	local kind
	for kind in failslab fail_page_alloc; do
		count_up "$1.$kind" $((MANY - $(cat $FAULTS/$kind/times)))
	done
}

leave_phase() # PHASE
{
	echo none >$PHASE
	set_faults_off
	flag 0
	collect "$1"
	sleep 2
}

set_faults_off()
{
	echo 0 >$FAULTS/failslab/probability
	echo 0 >$FAULTS/fail_page_alloc/probability
}

phases() { # ROUND
	local phase=soft probability=$((5 + RANDOM % 20)) ignore=Y
	if [ $(($1 % 2)) -eq 1 ]; then phase=hard probability=$((1 + RANDOM % 5)) ignore=N; fi
	set_faults $probability $ignore
	echo $phase >$PHASE
	[ $phase != soft ] || flag 1
	# not too long, for an end in time
	sleep $((3 + RANDOM % 5))
	leave_phase $phase
}

start_faults()
{
	local kind
	for kind in failslab fail_page_alloc; do
		[ -d $FAULTS/$kind ] || return 0
		echo 1 >$FAULTS/$kind/task-filter
		echo 0 >$FAULTS/$kind/verbose
	done
	echo 0 >$FAULTS/fail_page_alloc/min-order
	faulty=1
	KSWAPDS=$(kswapds)
	act faults phases
}

# A phase in which nothing failed has tried nothing.
count_faults()
{
	local phase kind n
	if [ -z "$faulty" ]; then
		result aspect faults "skip this kernel cannot fail allocations"
		return
	fi
	for phase in soft hard; do
		for kind in failslab fail_page_alloc; do
			n=$(cat "/tmp/also.$phase.$kind" 2>/dev/null || echo 0)
			result faults $phase $kind "$n"
			[ "$n" -gt 0 ] || bad+=("no allocation failed: $phase $kind")
		done
	done
	aspect faults
}
