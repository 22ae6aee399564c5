#!/bin/bash
# tree-churn.sh SECONDS [SEED]
#
# Everything that changes a tree of cgroups, at once, while memory is taken from
# every level of it: eight loads two levels down, whose parents are at their limits;
# writes to memory.reclaim of the top, of a parent and of the root; cgroups that
# come with a process in them, hit a limit and go; limits that are lowered and
# raised; processes that move from one cgroup to another; lru_gen off and on. Then:
# every load has found every page as it had left it, nobody was killed, and what
# has been removed is gone. SEED makes the pauses.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

[ $# -ge 1 ] || die "usage: tree-churn.sh SECONDS [SEED]"
seconds=$1 seed=${2:-1}
number SECONDS "$seconds" 1
number SEED "$seed"
# The actors inherit it.
RANDOM=$seed
TOP=tree
PARENTS=4
HELD_MAX=2	# removed cgroups that may be left after a while

bad=() pids=() actors=()

# act NAME FUNCTION [ARGS..]: call it again and again in the background, count
act() {
	local name=$1
	shift
	(
		i=0
		while [ ! -e /tmp/enough ]; do
			"$@" $i || { echo "$name: round $i failed" >>/tmp/failed; exit 1; }
			i=$((i + 1))
			echo $i >"/tmp/count.$name"
			sleep "0.0$((RANDOM % 10))"
		done
	) &
	actors+=("$name:$!")
}

# It may get less than it asked for.
ask() { # CGROUP SIZE
	reclaim-writes "$CG/$1/memory.reclaim" "$2" 3 0.01 >/dev/null
}

come_and_go() { # ROUND
	local name=$TOP/p$(($1 % PARENTS))/guest$1 status=0
	mkdir "$CG/$name" || return 1
	echo 2M >"$CG/$name/memory.max"
	start_in "$name" memtouch --name "guest$1" --mb 3 --ops 800 --rate 4000 --verify \
		--write 50 --seed "$1" >/dev/null
	wait $! || status=$?
	rmdir "$CG/$name" && return $status
}

# Nothing in it, at the place where the next one may be.
flicker() { # ROUND
	mkdir "$CG/$TOP/p$(($1 % PARENTS))/x" && rmdir "$CG/$TOP/p$(($1 % PARENTS))/x"
}

squeeze() { # ROUND
	local file=$CG/$TOP/p$(($1 % PARENTS))/memory.max
	echo $((7 + RANDOM % 3))M >"$file" && sleep 0.2 && echo 10M >"$file"
}

move_about() { # ROUND
	echo "${pids[$((2 * ($1 % PARENTS)))]}" >"$CG/$TOP/p$(($1 % PARENTS))/l$((RANDOM % 2))/cgroup.procs"
}

switch() { # ROUND
	echo $(($1 % 2 * 7)) >$KNOB
	sleep 1
}

start_all() {
	local i j
	for ((i = 0; i < PARENTS; i++)); do
		for j in 0 1; do
			mkcg "$TOP/p$i/l$j"
			start_in "$TOP/p$i/l$j" memtouch --name "l$i$j" --mb 6 --rate 600 --verify \
				--pattern zipf:0.6 --write 30 --seed $((2 * i + j + seed)) \
				--ready-file "$READY/$i$j"
			pids+=($!)
		done
	done
	wait_ready 240 "${pids[@]}"
	for ((i = 0; i < PARENTS; i++)); do echo 10M >"$CG/$TOP/p$i/memory.max"; done
}

stop_actors() {
	local a
	touch /tmp/enough
	for a in "${actors[@]}"; do
		wait "${a#*:}" || true
		result "rounds.${a%:*}" "$(cat "/tmp/count.${a%:*}" 2>/dev/null || echo 0)"
		[ -s "/tmp/count.${a%:*}" ] || bad+=("${a%:*} did nothing")
	done
	[ ! -s /tmp/failed ] || bad+=("$(tr '\n' ' ' </tmp/failed)")
}

held() { awk '$1 == "nr_dying_descendants" { print $2 }' "$CG/$TOP/cgroup.stat"; }

# What is left of removed ones goes with their pages, which reclaim takes.
refuse_held() {
	local i
	for ((i = 0; i < 30 && $(held) > HELD_MAX; i++)); do
		echo 64M >$CG/$TOP/memory.reclaim 2>/dev/null || true
		sleep 0.5
	done
	result held "$(held)"
	[ "$(held)" -le $HELD_MAX ] || bad+=("$(held) removed cgroups are held")
}

[ -e $KNOB ] || die "this kernel has no $KNOB"
calm
echo y >$KNOB
setup_zram 512M
start_all
say "populated after $SECONDS s"
act top ask $TOP 256K
act parent ask $TOP/p1 128K
act root ask . 512K
act guests come_and_go
act flicker flicker
act squeeze squeeze
act move move_about
act switch switch
end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ]; do
	sleep 10
	say "$((end - SECONDS)) s to go"
done
stop_actors
echo y >$KNOB
[ "$(alive "${pids[@]}")" -eq ${#pids[@]} ] || bad+=("only $(alive "${pids[@]}") of ${#pids[@]} loads are alive")
stop_loads verified "${pids[@]}"
refuse_held
result oom_kill "$(vm oom_kill)"
[ "$(vm oom_kill)" -eq 0 ] || bad+=("$(vm oom_kill) were killed")
[ ${#bad[@]} -eq 0 ] || die "$(printf '%s; ' "${bad[@]}")"
result outcome ok
