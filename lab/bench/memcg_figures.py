"""The memcg benchmark's cases, figures and targets, and what is judged over several."""
import statistics

import figures
from figures import Figure, Missing, Setup

EVEN = 5                # per cent, standard deviation over mean
EVEN_NODES = 8          # the same on several nodes
EXACT = (100, 101)      # per cent of what was requested
SCANNED = 2             # pages looked at for one that is taken
OFF_SHARE = 0.1         # of a class's proportion
FLAT = 1.1              # largest over smallest
LATE = 1                # per cent of the touches: the host was too slow for the load


def spread(run):
    """Standard deviation over mean, in per cent."""
    if not any(run["pgsteal"]):
        raise Missing("nothing taken")
    return 100 * statistics.pstdev(run["pgsteal"]) / statistics.mean(run["pgsteal"])


def got(key):
    return lambda run: 100 * run[key] / run["requested"]


def scanned(run):
    if not run["root_pgsteal"]:
        raise Missing("nothing taken")
    return run["root_pgscan"] / run["root_pgsteal"]


def writers(run):
    """What each writer printed, as {key: value}."""
    lines = run["writer"] if isinstance(run["writer"][0], list) else [run["writer"]]
    return [dict(zip(words[::2], words[1::2])) for words in lines]


def reclaim_cost(run):
    """Microseconds of the writers' processor time a page."""
    if not run["root_pgsteal"]:
        raise Missing("nothing taken")
    return 1e6 * sum(w["cpu_s"] for w in writers(run)) / run["root_pgsteal"]


def share(mb):
    """What all memcgs of one size gave, in per cent of what all gave."""
    def get(run):
        if not run["pgsteal_sum"]:
            raise Missing("nothing taken")
        mine = sum(n for n, size in zip(run["pgsteal"], run["sizes"]) if size == mb)
        return 100 * mine / run["pgsteal_sum"]
    return get


def protected(run):
    """Pages taken from those under memory.low."""
    return sum(n for n, size in zip(run["pgsteal"], run["sizes"]) if str(size).endswith("L"))


def visits(run):
    """Of memcgs, by kswapd: the largest of what this kernel lets one count."""
    counted = [run[f"visits.{name}"] for name in ("turn", "took", "slab")]
    counted = [n for n in counted if n != "-"]
    if not counted:
        raise Missing("not counted")
    return max(counted)


def visits_a_wake(run):
    return visits(run) / run["wakes"]


def visits_a_page(run):
    """Of memcgs, by kswapd, for 1,000 pages that it reclaimed."""
    if not run["pgsteal_kswapd"]:
        raise Missing("kswapd took nothing")
    return 1000 * visits(run) / run["pgsteal_kswapd"]


def kswapd_cost(run):
    """Microseconds in kswapd per page it reclaimed."""
    if not run["window_pgsteal_kswapd"]:
        raise Missing("kswapd took nothing")
    return 1e6 * run["window_kswapd_s"] / run["window_pgsteal_kswapd"]


def late(run):
    """Per cent of the touches that the host was too slow for."""
    done, too_late = run["touches"]
    return 100 * too_late / max(done + too_late, 1)


# ---- cases -----------------------------------------------------------------

RATE, SIZE, INTERVAL = 2000, "2M", 0.4
# GROUPS, WRITERS, WRITES of each; several writers ask for as much together
WRITES = {
    "equal": ("128*16", 1, 150),
    "sizes": ("16*8,16*16,16*32,16*64", 1, 150),
    "numa2": ("64*24", 1, 150),
    "numa4": ("64*24", 1, 150),
    "writers4": ("128*16", 4, 40),
    "writers8": ("128*16", 8, 20),
    "low": ("48*16,16*16L", 1, 150),
}
NODES = {"numa2": 2, "numa4": 4}
IDLE = {f"idle{n}": n for n in (10, 100, 1000, 2000)}
BUSY, BUSY_MB, BUSY_RATE, IDLE_SECONDS = 10, 195, 1000, 60
CASES = (*WRITES, *IDLE)
QUICK = ("equal", "sizes", "low", "idle10", "idle1000")
QUICKER = 5             # times as few writes and seconds


def setup(case, plan):
    made = idle_setup(case, plan) if case in IDLE else write_setup(case, plan)
    made.libraries = ("memcg-lib.sh", "load.sh", "lib.sh")
    made.programs = ("memtouch", "reclaim-writes")
    made.keyed = repr((made.arguments, made.memory, made.processors, made.options))
    return made


def idle_setup(case, plan):
    seconds = IDLE_SECONDS // QUICKER if plan.quick else IDLE_SECONDS
    return Setup("memcg-idle.sh",
                 [BUSY, BUSY_MB, IDLE[case], seconds, BUSY_RATE, plan.seed], "2G",
                 counting=True)


def write_setup(case, plan):
    groups, count, writes = WRITES[case]
    writes = writes // QUICKER if plan.quick else writes
    made = Setup("memcg.sh", [groups, count, RATE, writes, SIZE, INTERVAL, plan.seed], "4G")
    if case in NODES:
        made.options = ("--numa", str(NODES[case]))
        # A node without a processor would get hardly any pages.
        made.processors = NODES[case]
    return made


# ---- figures ---------------------------------------------------------------

def class_figure(mb, published):
    fair = 100 * mb / (8 + 16 + 32 + 64)
    return Figure("sizes", f"share of the {mb} MiB ones, %", share(mb),
                  (fair * (1 - OFF_SHARE), fair * (1 + OFF_SHARE)),
                  published=(None, published), digits=1)


def common(case, even=None, exact=None, published=((), ())):
    """What is of interest wherever memcgs of one size are asked for pages."""
    return [
        Figure(case, "stddev/mean of pgsteal, %", spread, even, published=published[0], digits=1),
        Figure(case, "all pages/requested, %", got("root_pgsteal"), exact, digits=2),
        Figure(case, "the memcgs' pages/requested, %", got("pgsteal_sum"),
               published=published[1], digits=2),
    ]


def idle_figures(case):
    return [
        Figure(case, "memcg visits a kswapd wake", visits_a_wake, better="less", digits=1),
        Figure(case, "memcg visits for 1,000 pages", visits_a_page, better="less", digits=1),
        Figure(case, "kswapd CPU, us a page", kswapd_cost, better="less", digits=1),
    ]


FIGURES = [
    *common("equal", EVEN, EXACT, ((130.2, 19.5), (101.9, 104.7))),
    Figure("equal", "pgscan/pgsteal", scanned, SCANNED, published=(52, 8.2), digits=2),
    Figure("equal", "reclaim CPU, us a page", reclaim_cost, better="less", digits=1),
    class_figure(8, 0.4),
    class_figure(16, 1.1),
    class_figure(32, 11.1),
    class_figure(64, 87.4),
    Figure("sizes", "all pages/requested, %", got("root_pgsteal"), digits=2),
    *common("numa2", EVEN_NODES, EXACT, ((None, 51.9), (None, 105.5))),
    *common("numa4", EVEN_NODES, EXACT),
    *common("writers4", EVEN),
    *common("writers8", EVEN),
    Figure("low", "pages of protected ones", protected, 0),
    Figure("low", "all pages/requested, %", got("root_pgsteal"), digits=2),
    *(figure for case in IDLE for figure in idle_figures(case)),
]


class Table(figures.Table):
    """The idle cases are judged beside each other."""
    figures = FIGURES

    def runs_of(self, kernel, cases):
        found = [self.results.get((c, kernel)) for c in cases if c in self.cases]
        return [r for r in found if isinstance(r, dict)]

    def grown(self, kernel, get):
        """Largest over smallest of a figure of the idle cases."""
        try:
            values = [get(r) for r in self.runs_of(kernel, IDLE)]
        except Missing:
            return None
        return max(values) / min(values) if len(values) > 1 and min(values) else None

    def add_growth(self, name, get, target=None):
        """Over all idle cases of this run; a part of them says little."""
        mine = [c for c in IDLE if c in self.cases]
        self.add_sum(Figure("all", f"{name}, largest/smallest", target=target, digits=2,
                            better="less"),
                     {k: self.grown(k, get) for k in self.kernels}, lambda k: self.part(k, mine))

    def part(self, kernel, cases):
        have = len(self.runs_of(kernel, cases))
        return "" if have == len(cases) else f" ({have})"

    def add_count(self, name, get, cases):
        """A row that is not judged."""
        runs = {k: self.runs_of(k, cases) for k in self.kernels}
        self.add_sum(Figure("all", name), {k: sum(map(get, of)) for k, of in runs.items() if of},
                     lambda k: self.part(k, cases))

    def add_sums(self):
        if len([c for c in IDLE if c in self.cases]) > 1:
            self.add_growth("idle: memcg visits a wake", visits_a_wake, FLAT)
            self.add_growth("idle: memcg visits a page", visits_a_page)
            self.add_growth("idle: kswapd CPU a page", kswapd_cost)
        mine = [c for c in WRITES if c in self.cases]
        if mine:
            self.add_count("writes that got too little",
                           lambda run: sum(w["eagain"] for w in writers(run)), mine)
            self.add_count("pages kswapd took meanwhile",
                           lambda run: run["root_pgsteal_kswapd"], mine)

    def notes(self):
        out = []
        if any(c in IDLE for c in self.cases):
            out.append("memcg visits: calls of shrink_slab (a memcg reclaimed from) or, where "
                       "there are more, of memcg_visit_begin (ours: a memcg looked at)")
        return out + self.quick_note() + self.late_note(late, LATE)
