"""The iterator benchmark's cases, figures and targets.

Latencies are judged against upstream's multi-gen LRU of the same run. In the case
anon what a limit hit takes is mostly the swap-out of 32 pages, the same for every
way to find them: there ours has only not to be slower.
"""
import figures
from figures import Figure, Missing, Setup

P50, TAIL = 1 / 5, 1 / 3        # of MGLRU's
TOTAL = 4 / 15.7                # published: 15.7 s, to become 4 s
EVEN = 0.99                     # Jain's index
HALVES = (0.9, 1.1)             # what the second half gives for what the first does
CHURN = 95                      # cgroups a second, of 100 that are asked for
HITS = 1000
ONE_WALK = 2002                 # 2,000 children, their parent, and the end
LATE = 1                        # per cent of the touches: the host was too slow

OPS = {"read": 250_000, "anon": 60_000}
FAIR = {"fair1": 1, "fair4": 4, "fair16": 16}
SECONDS = 20
CASES = (*OPS, *FAIR, "churn", "hits", "oom")
QUICK = ("read", "fair4", "churn", "oom")
QUICKER = 5                     # times as few operations and seconds


def setup(case, plan):
    quicker = QUICKER if plan.quick else 1
    if case in OPS:
        arguments = ["latency", case, OPS[case] // quicker]
    elif case in FAIR:
        arguments = ["fair", FAIR[case], SECONDS // quicker]
    elif case == "churn":
        arguments = ["churn", SECONDS // quicker]
    else:
        arguments = {"hits": ["hits", HITS], "oom": ["oom"]}[case]
    return Setup("iter.sh", arguments,
                 libraries=("iter-trace.sh", "iter-fair.sh", "memcg-lib.sh", "load.sh", "lib.sh"),
                 programs=("accessgen", "memtouch", "reclaim-writes", "cgchurn"),
                 keyed=repr(arguments))


# ---- what is read from a run -----------------------------------------------

def pairs(words):
    """{key: value} of the line `key value key value ..`."""
    return dict(zip(words[::2], words[1::2]))


def histogram(run):
    """{quarter octave of microseconds: calls}."""
    words = run["latency_us"]
    found = (word.split(":") for word in words[words.index("hist") + 1:])
    return {int(bucket): int(calls) for bucket, calls in found}


def latency(key, line="latency_us"):
    def get(run):
        words = run[line]
        return pairs(words[:words.index("hist")])[key]
    return get


def total_seconds(run):
    return latency("total")(run) / 1e6


def jain(run):
    """Jain's index of what the children gave: 1 if all gave the same."""
    taken = run["pgsteal"]
    if not any(taken):
        raise Missing("nothing taken")
    return sum(taken) ** 2 / (len(taken) * sum(n * n for n in taken))


def scanned(run):
    if not run["all_pgsteal"]:
        raise Missing("nothing taken")
    return run["all_pgscan"] / run["all_pgsteal"]


def got(run):
    return 100 * run["all_pgsteal"] / run["requested"]


def writers(run):
    """What each writer printed, as {key: value}."""
    lines = run["writer"] if isinstance(run["writer"][0], list) else [run["writer"]]
    return [pairs(words) for words in lines]


def too_little(run):
    return sum(w["eagain"] for w in writers(run))


def wait(run):
    """Milliseconds a write took, on average."""
    return 1000 * sum(w["wall_s"] for w in writers(run)) / sum(w["writes"] for w in writers(run))


def halves(run):
    """Pages scanned in the second half of the children for one in the first."""
    scans = run["pgscan"]
    first, second = sum(scans[:len(scans) // 2]), sum(scans[len(scans) // 2:])
    if not first:
        raise Missing("no scans")
    return second / first


def churned(run):
    """Cgroups made a second."""
    found = pairs(run["churned"])
    return found["made"] / found["seconds"]


def walked(name):
    """Memcgs a limit reclaim."""
    def get(run):
        if run[f"walks.{name}"] == "-":
            raise Missing("not counted")
        return run[f"walks.{name}"] / run["walks.calls"]
    return get


def late(run):
    """Per cent of the touches that the host was too slow for."""
    done, too_late = run.get("touches", (0, 0))
    return 100 * too_late / max(done + too_late, 1)


# ---- figures ---------------------------------------------------------------

def of_mglru(share):
    """A target: that part of what upstream's multi-gen LRU took."""
    return {"against": lambda values: share * values[0], "beside": ("mglru",)}


def latency_figures(case, p50=1, tail=1, total=1):
    return [
        Figure(case, "limit reclaims", latency("calls")),
        Figure(case, "p50, us", latency("p50"), **of_mglru(p50)),
        Figure(case, "p99, us", latency("p99"), **of_mglru(tail)),
        Figure(case, "max, us", latency("max"), **of_mglru(tail)),
        Figure(case, "total, s", total_seconds, **of_mglru(total), digits=2),
        *(Figure(case, f"{key} on a processor, us", latency(key, "latency_cpu_us"), better="less")
          for key in ("p99", "max")),
    ]


def fair_figures(case):
    return [
        Figure(case, "Jain's index of pgsteal", jain, EVEN, at_least=True, digits=4),
        Figure(case, "pgscan/pgsteal", scanned, better="less", digits=2),
        Figure(case, "pages taken/requested, %", got, digits=1),
        Figure(case, "writes that got too little", too_little, better="less"),
        Figure(case, "a write, ms", wait, better="less", digits=2),
    ]


FIGURES = [
    *latency_figures("read", P50, TAIL, TOTAL),
    *latency_figures("anon"),
    *(figure for case in FAIR for figure in fair_figures(case)),
    Figure("churn", "scans, second half/first", halves, HALVES, digits=3),
    Figure("churn", "cgroups made a second", churned, CHURN, at_least=True, digits=1,
           better=""),
    *fair_figures("churn"),
    Figure("hits", "OOM kills", lambda run: run["oom_kill"], 0),
    Figure("hits", "limit reclaims", latency("calls"), HITS, at_least=True, better=""),
    Figure("hits", "p50, us", latency("p50"), better="less"),
    Figure("hits", "p99, us", latency("p99"), better="less"),
    Figure("hits", "p99 on a processor, us", latency("p99", "latency_cpu_us"), better="less"),
    Figure("oom", "OOM kills", lambda run: run["oom_kill"], (1, 1)),
    Figure("oom", "limit reclaims before", latency("calls")),
    Figure("oom", "reclaim before the kill, s", total_seconds, against=min, digits=3),
    Figure("oom", "memcgs walked a reclaim", walked("next"), ONE_WALK, digits=1),
    Figure("oom", "memcgs asked for slab a reclaim", walked("slab"), better="less",
           digits=1),
]


class Table(figures.Table):
    """Whether the host kept up is said below."""
    figures = FIGURES

    def notes(self):
        out = []
        if "oom" in self.cases:
            out.append("memcgs walked: those that a full walk came to; ours passes over those "
                       "that are charged for nothing by a read each, uncounted")
        return out + self.quick_note() + self.late_note(late, LATE)
