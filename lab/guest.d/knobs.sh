#!/bin/bash
# knobs.sh: what /sys/kernel/mm/lru_gen/{enabled,min_ttl_ms} accept and show,
# held against the rules of 6.12. One TAP-like line a case; fails if any does.
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh

TTL=/sys/kernel/mm/lru_gen/min_ttl_ms
passed=0 failed=0

check() { # NAME WANT GOT
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
		result case ok "$1"
	else
		failed=$((failed + 1))
		result case not ok "$1: want $2, got $3"
	fi
}

# put FILE TEXT: writes exactly TEXT in one write(); the errno's text, or "fine"
put() {
	local said
	if said=$(printf %s "$2" 2>&1 >"$1"); then
		echo fine
	else
		echo "${said##*: }"
	fi
}

# try FILE START TEXT WANT-ERROR WANT-VALUE: from a known state
try() {
	local said
	printf %s "$2" >"$1"
	said=$(put "$1" "$3")
	check "$(basename "$1") $(printf %q "$3") from $2" "$4 / $5" "$said / $(cat "$1")"
}

accepted() { # TEXT WANT
	try $KNOB 0 "$1" fine "$2"
	try $KNOB 7 "$1" fine "$2"
}

refused() {
	try $KNOB 0 "$1" "Invalid argument" 0x0000
	try $KNOB 7 "$1" "Invalid argument" "$all"
}

[ -e $KNOB ] || die "this kernel has no $KNOB"
check "enabled's mode" 644 "$(stat -c %a $KNOB)"
check "min_ttl_ms' mode" 644 "$(stat -c %a $TTL)"

# x86-64 under QEMU has both optional parts, thus all three bits
printf y >$KNOB
all=$(cat $KNOB)
check "y turns everything on" 0x0007 "$all"
check "enabled ends in one newline" 7 "$(wc -c <$KNOB)"

for text in y Y yes $'y\n' 7 $'7\n' 0x7 07 +7 4294967295; do accepted "$text" "$all"; done
for text in n N no $'n\n' 0 $'0\n' 0x0 00 8 010; do accepted "$text" 0x0000; done
for text in 1 0x1 9; do accepted "$text" 0x0001; done
for text in 3 0x3 0X3; do accepted "$text" 0x0003; done
accepted 5 0x0005
accepted 2 0x0002
accepted 6 0x0006
for text in garbage $'\n' ' ' ' 1' '1 ' -1 5x 0x 0x8g 4294967296 99999999999999999999 1.0 on off t; do
	refused "$text"
done
# an empty write never reaches the kernel's parser
: >$KNOB
check "an empty write changes nothing" "$all" "$(cat $KNOB)"

ttl() { try $TTL 1000 "$1" fine "$2"; }
for text in 0 $'0\n'; do ttl "$text" 0; done
ttl 1000 1000
ttl $'4000\n' 4000
ttl 0x14 20
ttl 024 20
for text in y n -1 5x $'\n' 4294967296 garbage; do
	try $TTL 1000 "$text" "Invalid argument" 1000
done
printf 0 >$TTL

result knob_cases $passed passed $failed failed
[ $failed -eq 0 ] || die "$failed of $((passed + failed)) knob cases failed"
