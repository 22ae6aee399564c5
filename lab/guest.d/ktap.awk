# The result lines of a selftest in what it prints, once each: a child that exits flushes
# its parent's lines again. Behind a line stands what was run, where the program says so.
# Two programs have words of their own for their cases: uffd-unit-tests and khugepaged.

function say(failed, name, skipped)
{
	cases += 1
	print (failed ? "not ok" : "ok"), cases, name (skipped == "" ? "" : " # SKIP " skipped)
}

function khugepaged_case()
{
	if (test != "") say(failed, test, skipped)
	test = ""
}

/^# \[RUN\] / { run = " [" substr($0, 9) "]" }
/^(not )?ok / && !seen[$0]++ {
	skip = index($0, "# SKIP")
	print (skip ? substr($0, 1, skip - 1) substr(run, 2) " " substr($0, skip) : $0 run)
}

/^Testing .*\.\.\. / {
	name = $0
	sub(/^Testing /, "", name)
	sub(/\.\.\. .*/, "", name)
	say($0 ~ /\.\.\. failed/, name, $0 ~ /\.\.\. skipped/ ? substr($0, index($0, "skipped") + 8) : "")
}

/^Run test: / {
	khugepaged_case()
	test = substr($0, 11)
	failed = 0
	skipped = ""
}
/\033\[31m/ { failed = 1 }
/\033\[33m/ { skipped = "a part of it" }
END { khugepaged_case() }
