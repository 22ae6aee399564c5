# shellcheck shell=bash
# Sourced by the scripts that do many things at once: an actor does one of them
# again and again until all are told to stop, is counted, and must neither fail
# nor do nothing. Needs lib.sh; `seed` is set by the script.

: "${seed:?the script has none}"
bad=() actors=()

# draw_from NUMBER: $RANDOM follows from it, in this shell
draw_from() { RANDOM=$1; }

# act NAME FUNCTION [ARGS..]: call it again and again in the background. It gets
# the round as its last argument. A subshell draws numbers of its own, so that
# each actor is seeded anew: what it does follows from the seed and its name's place.
act()
{
	local name=$1 own=$((seed * 1000 + ${#actors[@]}))
	shift
	(
		draw_from $own
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

# stop_actors: wait for the end of their rounds; what went wrong is in `bad`
stop_actors()
{
	local a name
	touch /tmp/enough
	for a in "${actors[@]}"; do
		name=${a%:*}
		wait "${a#*:}" || true
		result "rounds.$name" "$(cat "/tmp/count.$name" 2>/dev/null || echo 0)"
		[ -s "/tmp/count.$name" ] || bad+=("$name did nothing")
	done
	[ ! -s /tmp/failed ] || bad+=("$(tr '\n' ' ' </tmp/failed)")
}

# children_of PID: of its processes, those that are no zombies
children_of()
{
	sed -nE 's/^([0-9]+) \(.*\) [^Z] '"$1"' .*/\1/p' /proc/[0-9]*/stat 2>/dev/null || true
}

# tell_process PID: what it is, where it is in the kernel, and the same of its children
tell_process()
{
	local child
	say "  $1 ($(tr '\0' ' ' </proc/"$1"/cmdline)) in $(cat "/proc/$1/cgroup"):"
	sed 's/^\[<0>\] /#     /' "/proc/$1/stack"
	for child in $(children_of "$1"); do tell_process "$child"; done
}

# late_actors: which of them are still in a round, and what they wait for
late_actors()
{
	local a pid
	for a in "${actors[@]}"; do
		pid=${a#*:}
		children_of $$ | grep -qx "$pid" || continue
		say "actor ${a%:*} is in round $(cat "/tmp/count.${a%:*}" 2>/dev/null || echo 0):"
		tell_process "$pid" 2>/dev/null || true
	done
}

# count_up NAME [N]: one more of what an actor does besides its rounds; one writer each
count_up()
{
	local file=/tmp/also.$1 n=0
	[ ! -s "$file" ] || read -r n <"$file"
	echo $((n + ${2:-1})) >"$file"
}

# pass_time SECONDS: with a sign of life now and then
pass_time()
{
	local end=$((SECONDS + $1))
	while [ $SECONDS -lt $end ]; do
		sleep 5
		say "$((end - SECONDS)) s to go"
	done
}
