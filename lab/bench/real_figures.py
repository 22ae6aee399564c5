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


@dataclass
class Case:
    """A program of lab/guest.d/real.sh."""
    arguments: list                 # after MODE, SEED, IMAGES
    own: str                        # what the program's figure is
    images: tuple = ()              # of lab/rootfs, beside the system's
    also: Optional[str] = None      # p99_us or longest_ms, if it has one


def leveldb(pattern, mix, scan=50, ops=45000, also="p99_us"):
    return Case(["leveldb", 64, ops, pattern, mix, scan], "operations/s", ("leveldb",), also)


def fio(theta, rw):
    return Case(["fio", 64, 1024, theta, rw], "operations/s", ("fio",))


def server(name, pattern):
    return Case([name, 48, 66000, 60000, pattern], "operations/s", also="p99_us")


def postgres(name, transactions):
    return Case([name, 48, transactions], "transactions/s", ("pg",), "p99_us")


# YCSB's mixes: get, set, insert, scan, get and set, of 10,000
CASES = {
    "kbuild-j2": Case(["kbuild", 2, 6, 110], "files a minute", ("kernel",)),
    "kbuild-j4": Case(["kbuild", 4, 8, 190], "files a minute", ("kernel",)),
    "redis": server("redis", "zipf:0.99"),
    "redis-gauss": server("redis", "gauss"),
    "memcached": server("memcached", "zipf:0.99"),
    "leveldb-a": leveldb("zipf:0.99", "5000:5000:0:0:0"),
    "leveldb-b": leveldb("zipf:0.99", "9500:500:0:0:0"),
    "leveldb-c": leveldb("zipf:0.99", "10000:0:0:0:0"),
    "leveldb-d": leveldb("latest:0.99", "9500:0:500:0:0"),
    "leveldb-e": leveldb("zipf:0.99", "0:0:500:9500:0", ops=10000, also=None),
    "leveldb-f": leveldb("zipf:0.99", "5000:0:0:0:5000"),
    "leveldb-uniform": leveldb("uniform", "10000:0:0:0:0"),
    "leveldb-get-scan": leveldb("zipf:0.99", "9995:0:0:5:0", scan=40000),
    "pg": postgres("pg", 20000),
    "pg-write": postgres("pg_write", 4000),
    "pg-scan": postgres("pg_scan", 20000),
    "sqlite-grep": Case(["sqlite", 48, 12], "rounds a minute", ("sqlite", "kernel"), "longest_ms"),
    "file-anon-mix": Case(["mix", 96, 88, 24, 128], "rounds a minute", ("fio",), "longest_ms"),
    "search-loop": Case(["search", 117, 10], "searches a minute", ("kernel",)),
    "backup": Case(["backup", 100, 64], "backups a minute", ("kernel",)),
    "jvm": Case(["jvm", 150, 80, 20], "rounds", ("java", "fio"), "longest_ms"),
    "desktop": Case(["desktop", 160, 100, 6], "rounds a minute", ("kernel",), "longest_ms"),
    "fio-0.5": fio(0.5, "read"),
    "fio-0.7": fio(0.7, "read"),
    "fio-1.2": fio(1.2, "read"),
    "fio-mixed": fio(0.7, "mixed"),
}
QUICK = ("kbuild-j2", "redis", "leveldb-c", "pg-scan", "search-loop", "file-anon-mix")
ALSO = {"p99_us": {"p99_us": ("p99, us", 1), "p999_us": ("p99.9, us", 1)},
        "longest_ms": {"longest_ms": ("longest step, ms", 0)}}


def disks(images):
    for name in images:
        yield from ("--disk", os.path.join(ROOT, "build", "rootfs", name + ".ext4"))


def setup(name, plan):
    case = CASES[name]
    images = ("system", *case.images)
    arguments = [plan.seed, ",".join(images), *case.arguments]
    return Setup("real.sh", arguments, memory="3G", programs=("accessgen",),
                 options=("--seed", str(plan.seed + 1), *disks(images)),
                 libraries=("real-lib.sh", "load.sh", "lib.sh"), keyed=repr(arguments[1:]))


def value(key, scale=1):
    return lambda run: run[key] / scale


def refaults(run):
    return run["workingset_refault_anon"] + run["workingset_refault_file"]


def not_above_best(stock):
    return min(stock)


def nearly_best(stock):
    return LEAST * max(stock)


def also(case):
    return [Figure(case, name, value(key), better="less", digits=digits)
            for key, (name, digits) in ALSO.get(CASES[case].also, {}).items()]


def of_case(case):
    return [
        Figure(case, CASES[case].own, value("rate"), against=nearly_best, at_least=True, digits=1),
        Figure(case, "refaults", refaults, against=not_above_best),
        Figure(case, "refaults, anon", value("workingset_refault_anon"), better="less"),
        Figure(case, "refaults, file", value("workingset_refault_file"), better="less"),
        *also(case),
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
        return [] if self.judged else ["QUICK=1: not judged"]
