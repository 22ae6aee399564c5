# shellcheck shell=bash
# Runs steps one after the other and counts their result lines (lab/check/lib.sh says
# what these are). Sourced by what ends with a total: lab/test and the like, which set
# STEPS, the beginning of the logs' names.
#
# A step's log is build/log/STEPS-NAME.log. A step that dies, or that ends well without
# having said "ok", has failed.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LOG=$ROOT/build/log
BEAT=10			# seconds between two signs of life
LIMIT=${LIMIT:-2400}	# seconds a step may take

# `make` must not hand its own flags to the builds below
unset MAKEFLAGS MFLAGS MAKELEVEL

passed=0 failed=0 skipped=0 child=''
skips=() failures=() table=()

# Lines count as results only in the exact form; TAP of a guest does not
results() { grep -cE "$1" "$2" || true; }

keep() { # ARRAY-NAME REGEX FILE: the matching lines, cut to what they say
	local line
	local -n into=$1
	while IFS= read -r line; do into+=("$line"); done < <(
		sed -nE "s/$2/\\1/p" "$3")
}

fail() { # NAME WHY
	failed=$((failed + 1))
	failures+=("$1: $2")
}

# The status alone decides only where the result lines say nothing
judge() { # NAME STATUS LOGFILE -> word and counts for the table
	local bad good left
	bad=$(results '^not ok - ' "$3")
	left=$(results '^ok - .*# SKIP' "$3")
	good=$(($(results '^ok - ' "$3") - left))
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
	keep skips '^ok - (.*# SKIP.*)$' "$3"
	keep failures '^not ok - (.*)$' "$3"
	if [ "$2" -eq 124 ]; then
		fail "$1" "still running after $LIMIT s"
		bad=$((bad + 1))
	elif [ "$2" -ne 0 ] && [ "$bad" -eq 0 ]; then
		fail "$1" "died with status $2"
		bad=1
	elif [ "$2" -eq 0 ] && [ $((good + left + bad)) -eq 0 ]; then
		fail "$1" "ended without a single result: it cannot fail"
		bad=1
	elif [ "$bad" -eq 0 ]; then
		word=ok
		[ "$good" -gt 0 ] || word=skip
	fi
	counts=$(printf '%6d %6d %7d' "$good" "$bad" "$left")
}

watch_child() { # NAME LOGFILE START
	local beat=0
	while kill -0 "$child" 2>/dev/null; do
		sleep 0.2
		beat=$((beat + 1))
		[ $((beat % (BEAT * 5))) -eq 0 ] || continue
		printf '        %s, %d s: %s\n' "$1" $((SECONDS - $3)) \
			"$(tail -c 300 "$2" | tr '\r' '\n' | tail -n 1 | cut -c 1-90)"
	done
}

run_step() { # NAME COMMAND..
	local name=$1 log=$LOG/$STEPS-$1.log start=$SECONDS status=0 word=FAILED counts
	shift
	timeout -k 20 "$LIMIT" "$@" </dev/null >"$log" 2>&1 &
	child=$!
	watch_child "$name" "$log" "$start"
	wait "$child" || status=$?
	child=
	judge "$name" "$status" "$log"
	report "$name" "$word" $((SECONDS - start)) "$log"
}

report() { # NAME WORD SECONDS LOGFILE
	table+=("$(printf '%6d s %s  %-6s %s' "$3" "$counts" "$2" "$1")")
	printf '%-7s %s (%d s)\n' "$2" "$1" "$3"
	[ "$2" = FAILED ] || return 0
	{ grep '^not ok' "$4" | head -n 10 || true; echo ...; tail -n 20 "$4"; } | sed 's/^/    | /'
	echo "    log: ${4#"$ROOT"/}"
}

section() { # TITLE LINE..
	[ $# -gt 1 ] || return 0
	echo
	echo "$1"
	shift
	printf '  %s\n' "$@"
}

conclude() {
	section "      time passed failed skipped" "${table[@]}" \
		"$(printf '%6d s %6d %6d %7d  together' $SECONDS $passed $failed $skipped)"
	section "failed:" "${failures[@]}"
	if [ $skipped -eq 0 ]; then skips=("none"); fi
	section "skipped:" "${skips[@]}"
	echo "total: $passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ] && [ $passed -gt 0 ]
}

interrupted() { # COMMAND: ends what runs beside the step
	trap - INT TERM
	"$1"
	if [ -n "$child" ]; then kill "$child" 2>/dev/null || true; fi
	fail "${0##*/}" "interrupted"
	conclude || exit 130
}
