"""The real programs' cases and figures: bench-real.

A case has no target of its own: what counts is the better of the two stock kernels of the
same run. Pages brought in again must be no more than it has, and the program's own figure
no less than 0.98 of it.
"""
import os
from dataclasses import dataclass
from typing import Optional

import figures
from figures import Figure, Setup

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
LEAST = 0.98
RAM_DISK = 2 << 20      # KiB that an image may take; what it does not hold takes none


@dataclass
class Case:
    """A program of lab/guest.d/real.sh."""
    arguments: list                 # after MODE
    own: str                        # what the program's figure is
    short: Optional[list] = None    # the arguments of QUICK=1, if they are others
    data: Optional[str] = None      # the image with its data
    also: Optional[str] = None      # p99_us or longest_ms, if it has one


def leveldb(pattern, mix, scan=50, ops=60000):
    def arguments(ops):
        return ["leveldb", 64, ops, pattern, mix, scan]
    return Case(arguments(ops), "operations/s", arguments(ops // 4), "leveldb", "p99_us")


def fio(theta, rw):
    return Case(["fio", 64, 512, theta, rw], "operations/s", ["fio", 64, 128, theta, rw], "fio")


def server(name, pattern):
    def arguments(ops):
        return [name, 100, 140000, ops, pattern]
    return Case(arguments(400000), "operations/s", arguments(80000), also="p99_us")


def postgres(name, transactions):
    return Case([name, 128, transactions], "transactions/s", [name, 128, transactions // 4], "pg")


# YCSB's mixes: get, set, insert, scan, get and set, of 10,000
CASES = {
    "kbuild-j2": Case(["kbuild", 2, 24, 110], "files a minute", ["kbuild", 2, 6, 110]),
    "kbuild-j4": Case(["kbuild", 4, 24, 190], "files a minute", ["kbuild", 4, 8, 190]),
    "redis": server("redis", "zipf:0.99"),
    "redis-gauss": server("redis", "gauss"),
    "memcached": server("memcached", "zipf:0.99"),
    "leveldb-a": leveldb("zipf:0.99", "5000:5000:0:0:0"),
    "leveldb-b": leveldb("zipf:0.99", "9500:500:0:0:0"),
    "leveldb-c": leveldb("zipf:0.99", "10000:0:0:0:0"),
    "leveldb-d": leveldb("latest:0.99", "9500:0:500:0:0"),
    "leveldb-e": leveldb("zipf:0.99", "0:0:500:9500:0", ops=20000),
    "leveldb-f": leveldb("zipf:0.99", "5000:0:0:0:5000"),
    "leveldb-uniform": leveldb("uniform", "10000:0:0:0:0"),
    "leveldb-get-scan": leveldb("zipf:0.99", "9995:0:0:5:0", scan=40000),
    "pg": postgres("pg", 40000),
    "pg-write": postgres("pg_write", 8000),
    "pg-scan": postgres("pg_scan", 40000),
    "sqlite-grep": Case(["sqlite", 96, 12], "rounds a minute", ["sqlite", 96, 4], "sqlite",
                        "longest_ms"),
    "file-anon-mix": Case(["mix", 96, 88, 24, 128], "rounds a minute", ["mix", 96, 88, 24, 32],
                          "fio", "longest_ms"),
    "search-loop": Case(["search", 117, 10], "searches a minute", ["search", 117, 4]),
    "backup": Case(["backup", 100, 64], "backups a minute"),
    "jvm": Case(["jvm", 120, 80, 60], "rounds", ["jvm", 120, 80, 20], "fio", "longest_ms"),
    "desktop": Case(["desktop", 160, 100, 20], "rounds a minute", ["desktop", 160, 100, 6],
                    also="longest_ms"),
    "fio-0.5": fio(0.5, "read"),
    "fio-0.7": fio(0.7, "read"),
    "fio-1.2": fio(1.2, "read"),
    "fio-mixed": fio(0.7, "mixed"),
}
QUICK = ("kbuild-j2", "redis", "leveldb-c", "pg-scan", "search-loop", "file-anon-mix")
ALSO = {"p99_us": ("p99 of gets, us", 1), "longest_ms": ("longest step, ms", 0)}


def disk(name):
    return "--disk", os.path.join(ROOT, "build", "rootfs", name + ".ext4")


def setup(name, plan):
    case = CASES[name]
    arguments = case.short if plan.quick and case.short else case.arguments
    disks = disk("system") + (disk(case.data) if case.data else ())
    return Setup("real.sh", arguments, memory="4G", programs=("accessgen",),
                 options=("--append", f"brd.rd_size={RAM_DISK}", *disks),
                 libraries=("real-lib.sh", "load.sh", "lib.sh"), keyed=repr(arguments))


def value(key, scale=1):
    return lambda run: run[key] / scale


def refaults(run):
    return run["workingset_refault_anon"] + run["workingset_refault_file"]


def not_above_best(stock):
    return min(stock)


def nearly_best(stock):
    return LEAST * max(stock)


def also(case):
    name, digits = ALSO[CASES[case].also]
    return Figure(case, name, value(CASES[case].also), better="less", digits=digits)


def of_case(case):
    return [
        Figure(case, CASES[case].own, value("rate"), against=nearly_best, at_least=True, digits=1),
        Figure(case, "refaults", refaults, against=not_above_best),
        Figure(case, "refaults, anon", value("workingset_refault_anon"), better="less"),
        Figure(case, "refaults, file", value("workingset_refault_file"), better="less"),
        *([also(case)] if CASES[case].also else []),
        Figure(case, "wall time, s", value("wall_ms", 1e3), better="less", digits=1),
        Figure(case, "user time, s", value("user_us", 1e6), better="less", digits=1),
        Figure(case, "system time, s", value("system_us", 1e6), better="less", digits=1),
        Figure(case, "waited for memory, s", value("full_us", 1e6), better="less", digits=1),
        Figure(case, "major faults", value("pgmajfault"), better="less"),
        Figure(case, "pages scanned", value("pgscan"), better="less"),
        Figure(case, "pages reclaimed", value("pgsteal"), better="less"),
        Figure(case, "pages swapped in", value("pswpin"), better="less"),
        Figure(case, "pages swapped out", value("pswpout"), better="less"),
        Figure(case, "OOM kills", value("killed"), 0),
    ]


class Table(figures.Table):
    """Every case has the same figures, and some one more."""
    figures = [figure for case in CASES for figure in of_case(case)]

    def notes(self):
        return self.quick_note()
