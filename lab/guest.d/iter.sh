#!/bin/bash
# iter.sh MODE TEST [ARGS..]: reclaim from a subtree of memory cgroups.
#
#   latency KIND OPS      2,000 children of which every twentieth holds 64 KiB of
#                         clean cache and two are busy, 64 MiB each, with 64 MiB
#                         of room in all; how long single limit hits take. KIND
#                         is read or anon: what the busy ones do, OPS times each
#   fair WRITERS SECONDS  64 equal children, WRITERS processes that write 256K to
#                         the parent's memory.reclaim, a hundred times a second in
#                         all; what each child gives
#   churn SECONDS         the same with one writer, while a hundred cgroups a
#                         second come and go
#   hits PROCESSES        as many processes hit the parent's limit at once with
#                         clean cache; nobody may be killed
#   oom                   one of 2,000 children cannot be served: it must be killed
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/memcg-lib.sh
. /lab/guest.d/iter-trace.sh
. /lab/guest.d/iter-fair.sh

FILES=/mnt/iter
CHILDREN=2000
PARENT=par

usage="usage: iter.sh MODE latency KIND OPS | fair WRITERS SECONDS | churn SECONDS | hits PROCESSES | oom"
[ $# -ge 2 ] || die "$usage"
mode=$1 what=$2
shift 2

drop_caches() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

make_children() { # NUMBER
	local i
	mkcg $PARENT
	echo +memory >"$CG/$PARENT/cgroup.subtree_control"
	for ((i = 0; i < $1; i++)); do echo "$CG/$PARENT/c$i"; done | xargs -r mkdir
}

# MB of room above what the parent's children hold already
limit_to() { echo $(($(cgstat $PARENT current) + ($1 << 20))) >$CG/$PARENT/memory.max; }

event() { awk -v k="$1" '$1 == k { print $2 }' $CG/$PARENT/memory.events; }

# 64 KiB of cache each, of a file of its own so that nobody reads ahead
hold_some() {
	local i
	for ((i = 0; i < CHILDREN; i += 20)); do
		head -c 65536 /dev/zero >"$FILES/small$i"
	done
	drop_caches
	for ((i = 0; i < CHILDREN; i += 20)); do
		(
			echo "$BASHPID" >"$CG/$PARENT/c$i/cgroup.procs"
			cat "$FILES/small$i" >/dev/null
		)
	done
}

busy() { # CHILD KIND OPS: its pid is in $!
	local file=()
	[ "$2" = anon ] || file=(--file "$FILES/$1")
	start_in "$PARENT/$1" accessgen --name "$1" --kind "$2" --pages 16384 --ops "$3" \
		--pattern uniform --seed 7 --ready "$READY/$1" "${file[@]}" >"/tmp/$1.out"
}

do_latency() { # KIND OPS
	local c pids=()
	case $1 in read | anon) ;; *) die "KIND \"$1\" is none of read, anon" ;; esac
	number OPS "$2" 1
	make_disk $FILES 200
	make_children $CHILDREN
	say "$CHILDREN children after $SECONDS s"
	for c in c505 c1515; do
		[ "$1" = anon ] || accessgen --kind create --file "$FILES/$c" --pages 16384 --name "$c"
	done
	hold_some
	limit_to 64
	trace_on
	for c in c505 c1515; do
		busy "$c" "$1" "$2"
		pids+=($!)
	done
	for c in "${pids[@]}"; do wait "$c" || die "a busy child failed"; done
	trace_off
	latency_results
	for c in c505 c1515; do result busy "$(cat /tmp/$c.out)"; done
	result oom_kill "$(event oom_kill)"
}

do_hits() { # PROCESSES
	local i rc=0 pids=()
	number PROCESSES "$1" 1
	make_disk $FILES 300
	make_children 50
	accessgen --kind create --file $FILES/big --pages 65536 --name big
	drop_caches
	limit_to 48
	trace_on
	for ((i = 0; i < $1; i++)); do
		start_in "$PARENT/c$((i % 50))" dd if=$FILES/big of=/dev/null bs=64k \
			skip=$((i * 4 % 4000)) count=40 status=none
		pids+=($!)
	done
	# Who is killed is counted below.
	for i in "${pids[@]}"; do wait "$i" || rc=$?; done
	trace_off
	result last_bad_status $rc
	latency_results
	for i in max oom oom_kill; do result $i "$(event $i)"; done
	say "$(tr '\n' ' ' <$CG/$PARENT/memory.events)"
}

# Four times of what is allowed, without swap; it must be killed.
overcommit() { # CHILD
	local rc=0
	start_in "$PARENT/$1" memtouch --name "$1" --mb 64 --ops 1
	wait $! || rc=$?
	[ $rc -eq 137 ] || die "$1 was not killed, but ended with status $rc"
}

# Once for the time, and once for the number of memcgs: counting takes time.
#   walks.next   memcg_walk_next (ours) or mem_cgroup_iter (stock; a few thousand
#                are of the search for whom to kill): a memcg came next
#   walks.visit  memcg_visit_begin: ours has looked at a memcg
#   walks.slab   shrink_slab: a memcg was asked for slab
do_oom() {
	local before name
	make_children $CHILDREN
	limit_to 16
	trace_on
	overcommit c77
	trace_off
	latency_results
	result oom_kill "$(event oom_kill)"
	if grep -q " memcg_walk_next$" /proc/kallsyms; then
		count_calls next memcg_walk_next
	else
		count_calls next mem_cgroup_iter
	fi
	count_calls visit memcg_visit_begin
	count_calls slab shrink_slab
	before=$(event oom_kill)
	trace_on
	overcommit c1717
	trace_off
	result oom_kill_counted $(($(event oom_kill) - before))
	durations >/tmp/us
	result walks.calls "$(wc -l </tmp/us)"
	for name in next visit slab; do
		result walks.$name "$(count_of $name)"
		say "$name: $(count_of $name) in $(wc -l </tmp/us) calls"
	done
}

calm
lru_mode "$mode"
[ "$what" = oom ] || setup_zram 2G
case $what/$# in
latency/2) do_latency "$@" ;;
fair/2) do_fair "$@" ;;
churn/1) do_churn "$@" ;;
hits/1) do_hits "$@" ;;
oom/0) do_oom ;;
*) die "$usage" ;;
esac
