# shellcheck shell=bash
# Sourced by what has the torture in it: how long, and by which seed.

torture_usage() {
	echo "${0##*/}: error: $*; usage: make ${0##*/} [MINUTES=N] [SEED=N] $torture_more" >&2
	exit 2
}

# torture_length MINUTES SEED [MORE]: sets minutes, seconds and seed, if need be to
# defaults; MORE is what else the usage says
torture_length() {
	minutes=${1:-3} seed=${2:-$RANDOM} torture_more=${3:-}
	[[ $minutes =~ ^[0-9]+(\.[0-9])?$ ]] ||
		torture_usage "MINUTES is \"$minutes\", no number such as 3 or 1.5"
	[[ $seed =~ ^(0|[1-9][0-9]{0,8})$ ]] ||
		torture_usage "SEED is \"$seed\", no whole number below a billion"
	seconds=$(awk -v m="$minutes" 'BEGIN { print int(m * 60) }')
	[ "$seconds" -ge 10 ] || torture_usage "MINUTES is \"$minutes\", less than ten seconds"
}
