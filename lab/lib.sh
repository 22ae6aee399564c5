# shellcheck shell=bash
# Shared by every shell script of the lab: `. "$(dirname "$0")/lib.sh"`.
# Sets ROOT, BUILD, LOGS and the ccache environment.

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
BUILD=$ROOT/build
LOGS=$BUILD/log
export ROOT BUILD LOGS

# One compiler cache for every kernel we build. Paths below the repository are
# made relative, so that a clone elsewhere, or another O= directory, still hits;
# the compiler is known by what it contains, not by its time stamp. What a file
# depends on the compiler says: a file that is not in the cache is read once.
export CCACHE_DIR=${CCACHE_DIR:-$BUILD/ccache}
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$ROOT}
export CCACHE_COMPILERCHECK=${CCACHE_COMPILERCHECK:-content}
export CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-5G}
export CCACHE_NOHASHDIR=1
export CCACHE_DEPEND=1

me() { basename -- "$0"; }

# say: a stage, for the reader.  note: a detail below a stage.
say() { printf '== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
warn() { printf '!! %s\n' "$*" >&2; }

die() {
	printf '%s: error: %s\n' "$(me)" "$*" >&2
	exit 1
}

# need_cmd NAME..: stop if a program is missing, saying how to get it.
need_cmd() {
	local c
	for c in "$@"; do
		command -v "$c" >/dev/null 2>&1 ||
			die "program '$c' is missing: run 'make deps' (see lab/deps --list)"
	done
}

# need_space DIR MIB WHAT: stop before a disk fills up half-way.
need_space() {
	local dir=$1 want=$2 what=$3 have
	have=$(df -Pm -- "$dir" | awk 'NR == 2 { print $4 }')
	[ "$have" -ge "$want" ] ||
		die "$what needs about $want MiB in $dir, which has $have MiB left"
}

# run_logged NAME CMD..: run CMD with all output in build/log/NAME.log. A line
# every ten seconds says that it is alive; if it fails, the end of the log and
# the log's name are shown and CMD's status is returned.
run_logged() {
	local name=$1 log pid rc=0 began=$SECONDS shown=$SECONDS
	shift
	mkdir -p "$LOGS"
	log=$LOGS/$name.log
	printf '+ %s\n' "$*" >"$log"
	# In a process group of its own, so that no child outlives an interrupt.
	set -m
	"$@" >>"$log" 2>&1 </dev/null &
	pid=$!
	set +m
	# shellcheck disable=SC2064 # the pid of now is meant
	trap "kill -- -$pid 2>/dev/null; exit 130" INT TERM
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		if [ $((SECONDS - shown)) -ge 10 ]; then
			shown=$SECONDS
			note "$name: $((SECONDS - began)) s: $(tail -n 1 "$log" | tr -d '\r' | cut -c1-100)"
		fi
	done
	wait "$pid" || rc=$?
	trap - INT TERM
	if [ "$rc" -ne 0 ]; then
		printf '!! %s failed with status %s; the last lines of build/log/%s.log:\n' \
			"$name" "$rc" "$name" >&2
		tail -n 30 "$log" >&2
		printf '!! the whole log: build/log/%s.log\n' "$name" >&2
	fi
	return "$rc"
}
