#!/bin/bash
# contract-idle-ages.sh MODE: 40 MiB used five times a second, 60 MiB used once in ten seconds
# and 80 MiB never used again, in one memcg without pressure. A generation is opened every
# three seconds. Results: MiB in generations opened in the last 4 s, in the last 13 s but not
# the last 4 s (young, middle), and before (old).
set -euo pipefail
. /lab/guest.d/lib.sh
. /lab/guest.d/load.sh
. /lab/guest.d/contract-lib.sh

D=/sys/kernel/debug/lru_gen
STEP_S=3
STEPS=8

begin "$1"
mkcg w
loads=()
touch_mb() { # NAME MB RATE
	start_in w memtouch --name "$1" --mb "$2" --rate "$3" --pattern seq \
		--ready-file "$READY/$1" >/dev/null
	loads+=($!)
}
touch_mb hot 40 51200
touch_mb warm 60 1536
touch_mb cold 80 1
wait_ready 60 "${loads[@]}"

id=$(awk '$1 == "memcg" && $3 == "/w" { print $2 }' $D)
generations() { # SEQ AGE_MS PAGES of each
	awk -v id="$id" '$1 == "memcg" { here = $2 == id; next } $1 == "node" { next }
		here { print $1, $2, $3 + $4 }' $D
}
for ((i = 0; i < STEPS; i++)); do
	sleep $STEP_S
	s=$(generations | awk '{ s = $1 } END { print s }')
	write-once $D "+ $id 0 $s 60 1" >/dev/null
done
generations | sed 's/^/# /'
mib() { generations | awk -v from="$1" -v to="$2" '$2 >= from && $2 < to { n += $3 } END { print int(n / 256) }'; }
result young "$(mib 0 4000)"
result middle "$(mib 4000 13500)"
result old "$(mib 13500 999999999)"
kill "${loads[@]}"
