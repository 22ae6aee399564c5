# shellcheck shell=bash
# What every check shares. Sourced, never run (hence not executable).
#
# A check prints result lines, one a thing checked, and lab/test counts them:
#   ok - NAME            not ok - NAME: WHY            ok - NAME # SKIP WHY
# Everything else it prints is detail for its log.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=$ROOT/build
CHECK=$(basename "$0")
TMP=$BUILD/tmp/check-$CHECK
FAILED=0
export ROOT BUILD
export -n TMP		# user-mode Linux, among others, would take it for its own
export PYTHONDONTWRITEBYTECODE=1
cd "$ROOT" || exit 1

ok() { echo "ok - $*"; }
skip() { echo "ok - $1 # SKIP $2"; }
not_ok() {
	echo "not ok - $1: $2"
	FAILED=1
}

# verdict NAME WHY COMMAND..: one result line from a command's status
verdict() {
	local name=$1 why=$2
	shift 2
	if "$@"; then ok "$name"; else not_ok "$name" "$why"; fi
}

finish() { exit "$FAILED"; }

fresh_tmp() {
	rm -rf "$TMP"
	mkdir -p "$TMP"
}

need() { # a tool that `make deps` installs
	local tool
	for tool; do
		command -v "$tool" >/dev/null && continue
		not_ok "$CHECK" "'$tool' is not installed; run: make deps"
		exit 1
	done
}

# The repository's files, also those not yet committed but not ignored ones
our_files() { # [PATHSPEC..]
	git ls-files -co --exclude-standard --deduplicate -- "$@" |
		while IFS= read -r f; do [ -f "$f" ] && echo "$f"; done | sort
}

# A page in Markdown is the lab's, not the kernel's (see NO_OVERLAY in lab/steps.py)
overlay_files() { our_files mm include Documentation tools MAINTAINERS.add ':!*.md'; }
overlay_code() { overlay_files | grep '\.[ch]$' || true; }

# Step files of the series, in order
steps() { sed 's/#.*//; s/[[:space:]]*$//; /^$/d' patches/series; }

# A pristine tree; unpacked first where there is none yet
pristine_tree() {
	if [ ! -f "$BUILD/base/mm/vmscan.c" ]; then lab/base >&2; fi
	echo "$BUILD/base"
}
