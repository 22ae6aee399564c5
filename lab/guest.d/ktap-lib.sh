# shellcheck shell=bash
# Sourced by what runs the kernel's selftests: run one, pass on what it says. Needs lib.sh.

# ktap ID LIMIT CMD..: CMD's result lines go to the results file behind "ktap ID", its
# status and seconds behind "status ID". "begin ID" comes before, for the host to know
# what ran when the guest went away.
ktap()
{
	local id=$1 limit=$2 rc=0 began=$SECONDS line
	shift 2
	result begin "$id"
	timeout -k 10 "$limit" "$@" >/tmp/ktap 2>&1 || rc=$?
	cat /tmp/ktap
	while IFS= read -r line; do
		result ktap "$id" "$line"
	done < <(awk -f /lab/guest.d/ktap.awk /tmp/ktap)
	result status "$id" $rc $((SECONDS - began))
}
