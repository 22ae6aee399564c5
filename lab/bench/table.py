#!/usr/bin/env python3
"""table.py LABEL=JSON.. : the fairness test's runs, one row each."""
import json
import statistics
import sys

HEAD = (("", "pgsteal:", "pgsteal sum", "pgscan", "", "reclaim", "short"),
        ("kernel", "stddev/mean", "/ requested", "/ pgsteal", "refaults", "CPU s", "writes"))


def row(label, path):
    with open(path, encoding="utf-8") as f:
        run = json.load(f)
    steals = run["pgsteal"]
    if not isinstance(steals, list):
        steals = [steals]
    total = sum(steals)
    if not total:
        return (label, "nothing was reclaimed", "", "", "", "", str(run["eagain"]))
    return (label,
            f"{100 * statistics.pstdev(steals) / statistics.mean(steals):.1f} %",
            f"{100 * total / run['requested']:.1f} %",
            f"{run['pgscan_sum'] / total:.2f}",
            f"{run['refaults']:,}",
            f"{run['reclaim_cpu_s'] + run['kswapd_cpu_s']:.2f}",
            f"{run['eagain']}")


def main():
    if len(sys.argv) < 2 or any("=" not in a for a in sys.argv[1:]):
        sys.exit("usage: table.py LABEL=JSON..")
    rows = [*HEAD, *(row(*a.split("=", 1)) for a in sys.argv[1:])]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for i, cells in enumerate(rows):
        print("  ".join([cells[0].ljust(widths[0]),
                         *(c.rjust(w) for c, w in zip(cells[1:], widths[1:]))]).rstrip())
        if i == len(HEAD) - 1:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))


if __name__ == "__main__":
    main()
