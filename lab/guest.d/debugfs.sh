#!/bin/bash
# debugfs.sh: the files and commands of debugfs, and memory.lru_gen.
#
# On any kernel with debugfs' lru_gen: a table of commands, good and bad, each
# from a known state, and the shape of what is shown. "result grammar" and
# "result shape" lines are for the host, which holds two kernels against each
# other; "result case" lines are verdicts on this kernel alone.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

D=/sys/kernel/debug/lru_gen
FULL=/sys/kernel/debug/lru_gen_full
AGED=$CGROOT/aged
MB=24
BESIDE=36	# memcgs whose lines are some pages of the file
passed=0 failed=0

case_ok() { passed=$((passed + 1)); result case ok "$1"; }
case_not() { failed=$((failed + 1)); result case not ok "$1: $2"; }
check() { # NAME WANT GOT
	if [ "$2" = "$3" ]; then case_ok "$1"; else case_not "$1" "want $2, got $3"; fi
}
within() { # NAME MIN MAX GOT
	if [ "$4" -ge "$2" ] && [ "$4" -le "$3" ]; then
		case_ok "$1"
	else
		case_not "$1" "want $2..$3, got $4"
	fi
}

# --- what the plain file says ----------------------------------------------

memcg_id() { awk -v path="$1" '$1 == "memcg" && $3 == path { print $2 }' $D; }

# of_node ID NODE: the generations' lines of one memcg on one node
of_node() {
	awk -v id="$1" -v node="$2" '$1 == "memcg" { here = $2 == id; next }
		$1 == "node" { there = here && $2 == node; next } there' $D
}
youngest() { of_node "$id" 0 | awk '{ s = $1 } END { print s }'; }
oldest() { of_node "$id" 0 | awk 'NR == 1 { print $1 }'; }
# pages UP-TO: in generations up to and including that one, both types
pages() { of_node "$id" 0 | awk -v top="$1" '$1 <= top { s += $3 + $4 } END { print s + 0 }'; }

# --- formats ----------------------------------------------------------------

# Every line must be one of these; numbers may outgrow their columns
NUM='([ 0-9]{9}[0-9]|[0-9]{11,})'
MEMCG='^memcg [ 0-9]{4}[0-9] /.*$'
NODE='^ node [ 0-9]{4}[0-9]$'
GEN="^ $NUM $NUM $NUM  $NUM \$"
GENX="^ $NUM $NUM ${NUM}[ x] ${NUM}[ x]\$"
TIER="^ {21}[0-3]( ${NUM}[Rrx] ${NUM}[Tex] ${NUM}[px]){2}\$"
WALK="^ {22} ${NUM}[Ttx] ${NUM}[Yyx] ${NUM}[Ffx] ${NUM}[Aax]\$"

odd_lines() { # FILE REGEX..: lines that match none
	local file=$1 all
	shift
	all=$(IFS='|'; echo "$*")
	grep -cvE "$all" "$file" || true
}

# order FILE: what follows what, one letter a line
order() {
	awk '/^memcg/ { print "m"; next } / node / { print "n"; next }
		/^ +[0-3]( +[0-9]+[RTrepx]){6}$/ { print "t"; next }
		/^ +[0-9]+[TYFAtyfax]( +[0-9]+[TYFAtyfax]){3}$/ { print "w"; next }
		{ print "g" }' "$1" | tr -d '\n'
}

# shapes FILE NAME: every distinct layout: N where a number ends
shapes() {
	sed -E -e 's/^(memcg +[0-9]+) .*/\1 PATH/' -e '/^ /s/([0-9])[a-zA-Z]/\1 /g' \
		-e ':a' -e 's/[0-9]([0-9])/ \1/' -e 'ta' -e 's/[0-9]/N/g' "$1" | sort -u |
		while IFS= read -r shape; do result shape "$2 [$shape]"; done
}

# formats WHEN
formats() {
	cp $D /tmp/plain
	cp $FULL /tmp/full
	check "$1: every line of lru_gen has its form" 0 "$(odd_lines /tmp/plain "$MEMCG" "$NODE" "$GEN")"
	check "$1: every line of lru_gen_full has its form" 0 \
		"$(odd_lines /tmp/full "$MEMCG" "$NODE" "$GENX" "$TIER" "$WALK")"
	check "$1: lru_gen goes memcg, nodes, 2 to 8 generations each" 0 \
		"$(order /tmp/plain | grep -cvxE '(m(ng{2,8})+)+')"
	check "$1: lru_gen_full has four tiers and a walk line below each generation" 0 \
		"$(order /tmp/full | grep -cvxE '(m(n(gttttw){2,8})+)+')"
	check "$1: a memcg for every cgroup" "$(find $CGROOT -type d | wc -l)" "$(grep -c ^memcg /tmp/plain)"
	check "$1: every memcg has every node" "$(($(grep -c ^memcg /tmp/full) * $(grep -c . /tmp/nodes)))" \
		"$(grep -c '^ node' /tmp/full)"
	check "$1: a read in small pieces is complete" "$(awk '{ print $1, NF }' /tmp/full | md5sum)" \
		"$(dd if=$FULL bs=61 2>/dev/null | awk '{ print $1, NF }' | md5sum)"
	shapes /tmp/plain plain
	shapes /tmp/full full
}

# shown_below DIR: of names of 1 to 249 characters there, how many are in the file
shown_below() {
	local n name='' shown=0
	for ((n = 1; n < 250; n++)); do
		name+=n
		mkcg "$1/$name"
		! grep -qE "^memcg +[0-9]+ /$1/$name\$" <(cat $D) || shown=$((shown + 1))
		rmdir "$CGROOT/$1/$name"
	done
	echo $shown
}

# A path may begin where the reader's buffer ends. Paths of all lengths up to more
# than the lines of a memcg have, which come before others, take each of these there.
long_names() {
	local n long
	long=named/$(printf 'x%.0s' {1..240})
	mkcg named
	for ((n = 0; n < BESIDE; n++)); do mkdir "$CGROOT/beside$n"; done
	check "paths of 7 to 255 characters are all shown" 249 "$(shown_below named)"
	mkcg "$long"
	check "paths of 248 to 496 characters are all shown" 249 "$(shown_below "$long")"
	rmdir "$CGROOT"/beside* "$CGROOT/$long" "$CGROOT/named"
}

modes() {
	check "mode of lru_gen" 644 "$(stat -c %a $D)"
	check "mode of lru_gen_full" 444 "$(stat -c %a $FULL)"
	check "nothing is read as nobody" EACCES "$(write-once --uid 65534 --read $D)"
}

# --- grammar ----------------------------------------------------------------

# try NAME TEXT [OPTION..]: from where the window is; what the errno was and by how much it moved
try() {
	local name=$1 text=$2 before said
	shift 2
	before=$(youngest)
	said=$(write-once "$@" $D "$text")
	result grammar "$name|$said +$(($(youngest) - before))"
}

grammar() {
	local line name text
	# $id, $s (youngest) and $g (oldest) are filled in for each
	while IFS='|' read -r name text; do
		[ -n "$name" ] || continue
		s=$(youngest) g=$(oldest)
		text=${text//\$id/$id} text=${text//\$w/$((id + (1 << 32)))} text=${text//\$s-1/$((s - 1))} text=${text//\$s-2/$((s - 2))}
		text=${text//\$s+1/$((s + 1))} text=${text//\$s/$s} text=${text//\$g/$g}
		text=${text//\\n/$'\n'} text=${text//\\t/$'\t'}
		try "$name" "$text"
	done <<'TABLE'
age|+ $id 0 $s
age without a blank|+$id 0 $s
age with many blanks|  + \t$id  0 \t$s \t
age with a newline|+ $id 0 $s\n
age with zeroes before|+ 00$id 00 0$s
age done already|+ $id 0 $s-1
age of long ago|+ $id 0 0
age of the future|+ $id 0 $s+1
age of never|+ $id 0 18446744073709551615
age without swapping|+ $id 0 $s 0
age at swappiness 200|+ $id 0 $s 200
age at swappiness 201|+ $id 0 $s 201
age by force|+ $id 0 $s 1 1
age twice|+ $id 0 $s;+ $id 0 $s+1
age twice with a comma and newlines|\n+ $id 0 $s\n,\n+ $id 0 $s+1\n
evict with nothing there|- $id 0 0 60
evict the last but two|- $id 0 $s-2 60 0
evict the last but one|- $id 0 $s-1
evict the youngest|- $id 0 $s
evict the future|- $id 0 $s+1
evict at swappiness 200|- $id 0 0 200
evict at swappiness 201|- $id 0 0 201
evict none|- $id 0 0 60 0
nothing at all|
only a blank|\t
only a newline|\n
only separators|,;,\n
no such verb|x $id 0 $s
no verb|$id 0 $s
verb alone|+
verb twice|++ $id 0 $s
one argument|+ $id
two arguments|- $id 0
six arguments|+ $id 0 $s 1 1 1
letter behind the third|+ $id 0 $sx
letter behind the fourth|- $id 0 $g 1x
letter behind the fifth|- $id 0 $g 1 1x
letter for a number|+ $id 0 x
hexadecimal|+ 0x$id 0 $s
negative memcg|+ -$id 0 $s
plus sign|+ +$id 0 $s
negative generation|- $id 0 -1
negative swappiness|- $id 0 $g -1
fraction|+ $id.0 0 $s
comma within|+ $id,0 $s
no such memcg|+ 59999 0 $s
memcg 0|+ 0 0 $s
memcg beyond 16 bits|+ 65536 0 $s
node without memory|+ $id 2 $s
node that is none|+ $id 999 $s
node beyond 32 bits|+ $id 4294967296 $s
garbage behind a separator only|;x
bad before good|x;+ $id 0 $s
good before bad|+ $id 0 $s;x
wrapping memcg|+ $w 0 $s
wrapping swappiness|- $id 0 0 4294967297
large swappiness|- $id 0 0 3000000000
unsaid swappiness|- $id 0 0 4294967295
wrapping amount|- $id 0 0 60 99999999999999999999
wrapping generation|- $id 0 18446744073709551615
TABLE
	try "text that faults" 40 --fault
	try "2 MB of blanks" ' ' --fill 2000000
	try "20 MB of garbage" 'x' --fill 20000000
	try "500 kB of commands, one bad" "+ $id 0 0;+ $id 0 ;" --fill 500000
	text="+ $id 0 0;"
	try "500 kB of commands" "$text" --fill $((${#text} * 60000))
	result grammar "write to lru_gen_full|$(write-once $FULL "+ $id 0 0")"
	result grammar "write as nobody|$(write-once --uid 65534 $D "+ $id 0 0")"
}

gone_memcg() {
	local old said
	mkcg gone
	old=$(memcg_id /gone)
	check "a memcg that is there" ok "$(write-once $D "+ $old 0 0")"
	rmdir $CGROOT/gone
	# The kernel lets it go when it comes to it
	for _ in $(seq 20); do
		sleep 1
		said=$(write-once $D "+ $old 0 0")
		[ "$said" = ok ] || break
	done
	check "a memcg that has gone" EINVAL "$said"
}

# --- what commands do -------------------------------------------------------

# What is not in use keeps its generation open; the window is full some time
full_window() {
	local n said=ok
	for n in 1 2 3 4 5 6 7 8; do
		said=$(write-once $D "+ $id 0 $(youngest) 60 0")
		[ "$said" = ok ] || break
	done
	check "without force a full window is ERANGE (command $n)" ERANGE "$said"
	n=$(youngest)
	check "with force it is aged" "ok $((n + 1))" "$(write-once $D "+ $id 0 $n 60 1") $(youngest)"
}

# on the first processor, hence on node 0
load_on() { # KIND: anon or file, MB of it, then idle
	case $1 in
	anon) start_in aged taskset 1 memtouch --name anon --mb $MB --rate 1 --pattern random \
		--seed 3 --ready-file $READY/anon >/dev/null ;;
	file) start_in aged taskset 1 cat /data/file >/dev/null ;;
	esac
	pid=$!
	if [ "$1" = anon ]; then wait_ready 60 $pid; else wait $pid; fi
}

age_all() { # N generations
	local i
	for ((i = 0; i < $1; i++)); do
		s=$(youngest)
		check "+ raises the youngest generation by one" "ok $((s + 1))" \
			"$(write-once $D "+ $id 0 $s") $(youngest)"
	done
}

stolen() { # pages so far
	sleep $FLUSH_S
	cgstat aged pgsteal
}

evict_some() {
	local before stolen after s
	s=$(youngest)
	stolen=$(stolen)
	before=$(pages $((s - 2)))
	check "- with an amount" ok "$(write-once $D "- $id 0 $((s - 2)) 60 256")"
	after=$(pages $((s - 2)))
	stolen=$(($(stolen) - stolen))
	within "- evicts that amount, and no more than 32 pages over" 256 288 $stolen
	# the load faults one page a second, which may come back to there
	within "- evicts it from there, but for what comes back" $((stolen - 8)) $((stolen + 32)) \
		$((before - after))
	check "- without an amount" ok "$(write-once $D "- $id 0 $((s - 2)) 200")"
	within "- evicts what is old (of $after pages)" 0 $((after / 20)) "$(pages $((s - 2)))"
	check "- opens no generation" "$s" "$(youngest)"
}

interrupted() {
	local s before said
	age_all 2
	s=$(youngest)
	before=$(pages $((s - 2)))
	said=$(write-once --alarm 10 $D "- $id 0 $((s - 2)) 200")
	check "a signal stops eviction (of $before pages)" EINTR "$said"
	within "there is something left then" 1 "$before" "$(pages $((s - 2)))"
}

# --- tracepoints --------------------------------------------------------------

events() { grep -cE "lru_gen_$1: nid=0 memcg=$id $2" /tmp/trace || true; }

# A command of each kind, and the file read back in
traced() {
	local dir=/sys/kernel/tracing s
	[ -d $dir/events/lru_gen ] || return 0
	load_on file
	age_all 1
	s=$(youngest)
	echo >$dir/trace
	echo 1 >$dir/events/lru_gen/enable
	write-once $D "+ $id 0 $s;- $id 0 $((s - 1)) 0 256" >/dev/null
	load_on file
	echo 0 >$dir/events/lru_gen/enable
	cp $dir/trace /tmp/trace
	check "lru_gen_open: one for a command" 1 "$(events open "max_seq=$((s + 1)) ")"
	within "lru_gen_walk: seen leaf entries of the memcg" 1 99 \
		"$(events walk 'walked=[1-9][0-9]* skipped=[0-9]+ ptes=[1-9][0-9]* young=[0-9]+ complete=[01]')"
	within "lru_gen_evict: adds up to what was asked for" 256 288 "$(
		sed -nE "s/.*lru_gen_evict: nid=0 memcg=$id .*reclaimed=//p" /tmp/trace |
			awk '{ n += $1 } END { print n + 0 }')"
	within "lru_gen_refault: what was read back" 1 99999 \
		"$(events refault 'type=file class=[0-9] near=[01]')"
}

# Many at once; each names the youngest it knows, so most find it done already
concurrent() {
	local i s pids=() bad=0
	s=$(youngest)
	for i in 1 2 3 4 5 6 7 8; do
		(for ((n = 0; n < 40; n++)); do
			said=$(write-once $D "+ $id 0 $((s + n));- $id 0 $((s + n - 2)) 60 8")
			case $said in ok | EINVAL) ;; *) echo "$said"; exit 1 ;; esac
			cat $FULL >/dev/null
		done) &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid" || bad=$((bad + 1)); done
	check "8 writers at once get no other error" 0 $bad
	check "and the window moved once for each generation named" $((s + 40)) "$(youngest)"
}

# --- memory.lru_gen ---------------------------------------------------------

# sums CG: nodes, generations, anon and file bytes of memory.lru_gen
sums() {
	awk '{ split($1, key, ":"); nodes[key[1]] = 1; n++
		split($3, a, "="); split($4, f, "="); anon += a[2]; file += f[2] }
		END { print length(nodes), n, anon, file }' "$1/memory.lru_gen"
}

stat_sums() {
	echo $(($(cgstat aged inactive_anon) + $(cgstat aged active_anon))) \
		$(($(cgstat aged inactive_file) + $(cgstat aged active_file)))
}

cgroup_file() {
	local nodes gens anon file
	if [ ! -e $AGED/memory.lru_gen ]; then
		result no_cgroup_file 1
		return
	fi
	# memory.stat is brought up to date now and then
	for _ in $(seq 20); do
		sleep 1
		read -r nodes gens anon file <<<"$(sums $AGED)"
		[ "$anon $file" != "$(stat_sums)" ] || break
	done
	check "memory.lru_gen: mode" 444 "$(stat -c %a $AGED/memory.lru_gen)"
	check "memory.lru_gen: every line has its form" 0 "$(odd_lines $AGED/memory.lru_gen \
		'^N[0-9]+:[0-9]+ age_ms=[0-9]+ anon=[0-9]+ file=[0-9]+$')"
	check "memory.lru_gen: all nodes" "$(grep -c . /tmp/nodes)" "$nodes"
	within "memory.lru_gen: generations" $((2 * nodes)) $((8 * nodes)) "$gens"
	check "memory.lru_gen: anon and file are those of memory.stat" "$(stat_sums)" "$anon $file"
	within "memory.lru_gen: there is something of both" 1 999999999999 $((anon < file ? anon : file))
	check "memory.lru_gen: ages fall" 0 "$(awk -F '[: =]' '$1 == node && $4 > age { bad++ }
		{ node = $1; age = $4 } END { print bad + 0 }' $AGED/memory.lru_gen)"
	check "memory.lru_gen: as nobody" ok "$(write-once --uid 65534 --read $AGED/memory.lru_gen)"
	check "memory.lru_gen: no writing" EINVAL "$(write-once $AGED/memory.lru_gen 1)"
	check "memory.lru_gen: at the root too" ok "$(write-once --read $CGROOT/memory.lru_gen)"
	echo n >$KNOB
	check "memory.lru_gen: empty while switched off" 0 "$(wc -c <$AGED/memory.lru_gen)"
	check "commands while switched off" ok "$(write-once $D "+ $id 0 $(youngest)")"
	echo y >$KNOB
}

calm
[ -e $D ] || die "this kernel has no $D"
lru_mode mglru
setup_zram 512M
make_disk /data 256
dd if=/dev/urandom of=/data/file bs=1M count=$MB 2>/dev/null
sync
echo 3 >/proc/sys/vm/drop_caches
ls -d /sys/devices/system/node/node[0-9]* >/tmp/nodes
mkcg aged
id=$(memcg_id /aged)
[ -n "$id" ] || die "cgroup /aged is not in $D"

say "formats and grammar"
modes
formats empty
long_names
grammar
gone_memcg

say "commands"
load_on anon
pid_anon=$pid
load_on file
full_window
age_all 3
cgroup_file
interrupted
evict_some
traced
formats used
concurrent
kill -TERM "$pid_anon"
wait "$pid_anon" || case_not "the load whose memory was swapped" "status $?"

result debugfs_cases $passed passed $failed failed
[ $failed -eq 0 ] || die "$failed of $((passed + failed)) cases failed"
