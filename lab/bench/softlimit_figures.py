"""The soft limit benchmark's cases, figures and targets.

What was published is of another kernel's soft limits, on which they had an effect;
6.12 takes a limit and forgets it. So what the document has against "vanilla" is
here against upstream's multi-gen LRU of the same run, which presses both jobs alike.
"""
import os

import bench
import figures
from figures import Figure, Missing, Setup

ROUNDS, QUICK_ROUNDS = 12, 3
JOBS = {"node_set": ("node", "set"), "node_none": ("node", "none"),
        "limit_set": ("limit", "set"), "limit_none": ("limit", "none"),
        "control": ("control", "none")}
CASES = ("hier", "idle", "nodes", *JOBS)
QUICK = ("hier", "idle", "nodes", "node_set")

MAJOR = 1 - 0.79        # of MGLRU's
SCAN = 1 - 0.95         # of MGLRU's
SPARED = 5              # per cent: file refaults of the master for the slave's
EVEN = 1.15             # the more for the less, without limits
RIGHT = 95              # per cent of the pages are of those over their limits
LATENCY = 1.1           # with limits, for one without
BATCH = 32              # pages

JOB = ("master", "slave")
REFAULT_FILE, REFAULT_ANON = "workingset_refault_file", "workingset_refault_anon"


def rounds(env, default=ROUNDS):
    """Of the two jobs; fails if that is no number."""
    return bench.Plan.number(env, "ROUNDS", default, 1)


def setup(case, plan):
    options = ()
    if case in JOBS:
        arguments = ["jobs", *JOBS[case],
                     rounds(os.environ, QUICK_ROUNDS if plan.quick else ROUNDS)]
    else:
        arguments = [case]
    if case == "nodes":
        options = ("--numa", "2")
    return Setup("softlimit.sh", arguments, memory="1G", options=options,
                 libraries=("soft-lib.sh", "iter-trace.sh", "load.sh", "lib.sh"),
                 programs=("accessgen", "memtouch"), keyed=repr(arguments))


# ---- what is read from a run -----------------------------------------------

def last(name):
    """Of above.master: master."""
    return name.split(".")[-1]


def given(job, *keys, phase=""):
    """Pages that a group gave, or that were looked at in it."""
    def get(run):
        return sum(pages for name, key, pages in run.get("given" + phase, ())
                   if last(name) == job and key in keys)
    return get


def stat(job, wanted):
    def get(run):
        found = [value for name, key, value in run["stat"] if last(name.replace("/", ".")) == job
                 and key == wanted]
        return found[0]
    return get


def wall(job):
    def get(run):
        return dict(run["wall_us"])[job] / 1e6
    return get


def spared(run):
    slave = stat("slave", REFAULT_FILE)(run)
    if not slave:
        raise Missing("no refaults")
    return 100 * stat("master", REFAULT_FILE)(run) / slave


def uneven(run):
    less, more = sorted(stat(job, REFAULT_FILE)(run) for job in JOB)
    if not less:
        raise Missing("no refaults")
    return more / less


def right(run):
    """Per cent of the pages taken while somebody was over its limit."""
    if "excess" not in run or not run["excess"][2]:
        raise Missing("none over")
    taken, _, of = run["excess"]
    return 100 * taken / of


def over(run):
    """Per cent of the time in which somebody was."""
    lines = run.get("samples", [])
    lines = lines if lines and isinstance(lines[0], list) else [lines]
    counts = [(line[1], line[3]) for line in lines if line]
    if not counts:
        raise Missing("no limits")
    return max(100 * n / total for n, total in counts)


def latency(key, line="latency_us"):
    def get(run):
        words = run[line]
        words = words[:words.index("hist")]
        return dict(zip(words[::2], words[1::2]))[key]
    return get


def kept(node):
    """What was left there at the least, a batch more, for what is its part of the limit."""
    def get(run):
        part = run["limit_pages"] * run["present"][node] / sum(run["present"])
        return (run["least"][node] + BATCH) / part
    return get


def usage(name, line="usage"):
    def get(run):
        return dict(zip(run[line][::2], run[line][1::2]))[name] / 1024
    return get


# ---- figures ---------------------------------------------------------------

def of_mglru(share):
    """A target: that part of what upstream's multi-gen LRU has."""
    return {"against": lambda values: share * values[0], "beside": ("mglru",)}


SIX = (
    ("wall time, s", wall, {"digits": 1}),
    ("major faults", lambda job: stat(job, "pgmajfault"), {}),
    ("direct reclaim", lambda job: given(job, "pgsteal_direct"), {}),
    ("direct scan", lambda job: given(job, "pgscan_direct"), {}),
    ("kswapd reclaim", lambda job: given(job, "pgsteal_kswapd"), {}),
    ("kswapd scan", lambda job: given(job, "pgscan_kswapd"), {}),
)


def six(case, job, share=None):
    """The document's rows; in its second table all went down."""
    share = share or {}
    judged = case.endswith("_set")
    out = []
    for name, get, more in SIX:
        target = of_mglru(share.get(name, 1)) if judged else {"better": "less"}
        out.append(Figure(case, f"{job}: {name}", get(job), **target, **more))
    return out


def job_figures(case):
    out = [
        *six(case, "master", {"major faults": MAJOR}),
        *six(case, "slave", {"direct scan": SCAN, "kswapd scan": SCAN}),
        *(Figure(case, f"{job}: {kind} refaults", stat(job, key), better="less")
          for kind, key in (("file", REFAULT_FILE), ("anon", REFAULT_ANON)) for job in JOB),
    ]
    if case.endswith("_set"):
        out += [Figure(case, "file refaults, master/slave, %", spared, SPARED, digits=1),
                Figure(case, "pages from who is over, %", right, RIGHT, at_least=True, digits=1),
                Figure(case, "time in which one is over, %", over, digits=1)]
    elif case.endswith("_none"):
        out.append(Figure(case, "file refaults, more/less", uneven, EVEN, digits=2))
    if case != "control":
        out += [Figure(case, "reclaims", latency("calls")),
                Figure(case, "p50, us", latency("p50"), better="less"),
                Figure(case, "p99, us", latency("p99"), better="less"),
                Figure(case, "p99 on a processor, us", latency("p99", "latency_cpu_us"),
                       better="less")]
    return out


FIGURES = [
    *(figure for case in JOBS for figure in job_figures(case)),
    Figure("hier", "pages from who is over, %", right, RIGHT, at_least=True, digits=1),
    Figure("hier", "of these: a's child without limit", given("g", "pgsteal_direct")),
    Figure("hier", "a has, MiB", usage("a"), digits=1),
    Figure("hier", "b has, MiB", usage("b"), digits=1),
    Figure("hier", "limit 72M: a has, MiB", usage("a", "usage.tight"), digits=1),
    Figure("hier", "limit 72M: b has, MiB", usage("b", "usage.tight"), digits=1),
    Figure("idle", "pages from who is over, %", right, RIGHT, at_least=True, digits=1),
    Figure("idle", "the idle one has, MiB", usage("idle"), digits=1),
    Figure("nodes", "node 0: kept/part of the limit", kept(0), 1, at_least=True, digits=2),
    Figure("nodes", "node 1: kept/part of the limit", kept(1), 1, at_least=True, digits=2),
    Figure("nodes", "pages of the spread one", given("spread", "pgsteal_direct",
                                                     "pgsteal_kswapd")),
]


class Table(figures.Table):
    """How long direct reclaim takes with limits is judged by how long without."""
    figures = FIGURES

    def p99(self, kernel, how, line):
        pair = [self.results.get((f"{how}_{limits}", kernel)) for limits in ("set", "none")]
        if not all(isinstance(run, dict) for run in pair):
            return None
        with_limits, without = (latency("p99", line)(run) for run in pair)
        return with_limits / without if without else None

    def add_latency(self, how, name, line, target=None):
        # Each kernel against itself: between kernels it says nothing.
        self.add_sum(Figure("all", f"{how}: {name}, set/none", target=target, digits=2,
                            better=""),
                     {k: self.p99(k, how, line) for k in self.kernels})

    def add_sums(self):
        for how in ("node", "limit"):
            if {f"{how}_set", f"{how}_none"} <= set(self.cases):
                self.add_latency(how, "p99", "latency_us", LATENCY)
                self.add_latency(how, "p99 on a processor", "latency_cpu_us")

    def notes(self):
        out = ["scan and reclaim: pages that each kernel has counted for a memcg, as "
               "__count_memcg_events is told; cgroup v1 shows none of it"]
        out += self.quick_note()
        forgot = sorted({kernel for (_, kernel), run in self.results.items()
                         if isinstance(run, dict) and "soft_kept" in run
                         and 0 in (w[1] for w in self.kept_lines(run))})
        if forgot:
            out.append("take a soft limit and forget it: " + ", ".join(forgot))
        return out

    @staticmethod
    def kept_lines(run):
        lines = run["soft_kept"]
        return lines if isinstance(lines[0], list) else [lines]
