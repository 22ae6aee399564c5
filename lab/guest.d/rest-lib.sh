# shellcheck shell=bash
# Sourced by the scripts that look at the counters in a quiet moment, after a load:
# do they agree, and can all that is counted be reclaimed? Needs lib.sh and load.sh;
# what is wrong goes to the array `bad`.

LRU='nr_(in)?active_(anon|file)'
LEFT_MAX=64	# pages a cgroup may keep when all of it was to be reclaimed
TRIES=6		# writes to memory.reclaim to get there

expect() # WHAT BOUND VALUE
{
	local value=${3#-}
	result "$1" "$3"
	[ "$value" -le "$2" ] || bad+=("$1 is $3, allowed $2")
}

# no_ooms DIR: did the cgroup never run out of memory?
no_ooms() { ! grep -qE '^oom(_kill)? [1-9]' "$1/memory.events"; }

on_lru() { awk '/^(in)?active_(anon|file) / { s += $2 } END { print s / 4096 }' "$1/memory.stat"; }

# all_reclaimable WHAT CGROUP..: a page that dropped off its list stays behind
# here. Pages used lately may well survive one write, so there are several, as
# long as they help.
all_reclaimable()
{
	local what=$1 g try left most=0
	shift
	for ((try = 0; try < TRIES; try++)); do
		for g; do
			echo 1G >"$g/memory.reclaim" 2>/dev/null || true
		done
		sleep "$FLUSH_S"
		most=0
		for g; do
			left=$(on_lru "$g")
			[ "$left" -le "$most" ] || most=$left
		done
		[ "$most" -gt $LEFT_MAX ] || break
	done
	expect "unreclaimed_$what" $LEFT_MAX "$most"
}

# pages on the LRU once all caches are gone
rest()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >/proc/sys/vm/stat_refresh
	vm "$LRU"
}

# held_below CGROUP: cgroups below it that were removed and are still there
held_below() { awk '$1 == "nr_dying_descendants" { print $2 }' "$1/cgroup.stat"; }

# who_is_held NAME: the memcgs below it, and pages each still has on the LRU
who_is_held()
{
	awk -v at="^/$1(/|$)" '$1 == "memcg" { mine = $3 ~ at; who = $2 " " $3; if (mine) n[who] += 0 }
		NF == 4 && mine { n[who] += $3 + $4 }
		END { for (w in n) print "held: memcg " w ": " n[w] " pages" }' /sys/kernel/debug/lru_gen
	grep -v ' 0$' "$CGROOT/$1/memory.stat" | head -n 20
}

# refuse_held CGROUP MOST: what is left of removed ones goes with their pages, which
# reclaim takes, once no processor keeps them in a batch on the way to the LRU
refuse_held()
{
	local i
	for ((i = 0; i < 30 && $(held_below "$1") > $2; i++)); do
		echo 1 >/proc/sys/vm/compact_memory
		echo 64M >"$1/memory.reclaim" 2>/dev/null || true
		sleep 0.5
	done
	expect held "$2" "$(held_below "$1")"
	[ "$(held_below "$1")" -le "$2" ] || who_is_held "${1##*/}"
}
