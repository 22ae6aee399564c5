"""The engine benchmark's cases, figures and targets, and what is judged over all."""
import statistics

import figures
from figures import Figure, Missing, Setup

UNIT = 32               # pages reclaim is asked for at least
HUGE = 512              # pages of the largest folio here


def stream(run, name):
    """What a stream printed, as {key: value}."""
    lines = run.get("stream", [])
    lines = lines if lines and isinstance(lines[0], list) else [lines]
    for words in lines:
        if words and words[0] == name:
            found = dict(zip(words[5::2], words[6::2]))
            return {**found, "ops": words[2], "wanted": words[4]}
    raise Missing("OOM kill" if run.get("killed") else f"no stream {name}")


def complete(run):
    fore = stream(run, "fore")
    return fore["ops"] >= fore["wanted"]


def refaults(*kinds):
    def get(run):
        stream(run, "fore")
        return sum(run[f"stat.workingset_refault_{k}"] for k in kinds)
    return get


def sweep_rate(run):
    back = stream(run, "back")
    return back["measured_ops"] / back["measured_s"]


def after(words, key):
    return words[words.index(key) + 1]


def limit_overshoot(run):
    return after(run["limit_hits"], "over")


def over(key):
    return lambda run: after(run[key], "over")


NS_PER_INSTRUCTION = 2  # icount shift=1


def kswapd_cost(run):
    """Instructions in kswapd per page it reclaimed."""
    if not run["vm.pgsteal_kswapd"]:
        raise Missing("kswapd reclaimed nothing")
    return run["kswapd_s"] * 1e9 / NS_PER_INSTRUCTION / run["vm.pgsteal_kswapd"]


LOOKED = 10             # instructions a page that a walk which saw it takes at least


def walks(run, layout):
    """{part: (pages referenced, instructions of the cheapest aging that saw them)}

    Some of stock MGLRU's agings, if not forced, look at nothing and say so to nobody.
    """
    out = {}
    for kind, part, pages, ns in run["walk"]:
        cost = ns / NS_PER_INSTRUCTION
        if kind == layout and cost >= LOOKED * pages:
            out[part] = (pages, min(cost, out[part][1]) if part in out else cost)
    return out


def walk_cost(layout, part):
    return lambda run: walks(run, layout)[part][1]


def worst_share(run):
    """By how much a page's cost is off the mean one, at worst, in per cent."""
    costs = [cost / pages for pages, cost in walks(run, "tables").values()]
    mean = statistics.mean(costs)
    return 100 * max(abs(c / mean - 1) for c in costs)


def not_above_best(stock):
    return min(stock)


def nine_tenths(stock):
    return 0.9 * max(stock)


def half(stock):
    return 0.5 * min(stock)


FILE, ANON, BOTH = refaults("file"), refaults("anon"), refaults("anon", "file")
FIGURES = [
    Figure("cold", "file refaults", FILE, 88000, published=(117389, 190423)),
    Figure("cold", "anon refaults", ANON, better="less"),
    Figure("zipfmmap", "file refaults", FILE, 95000, published=(133256, 212940)),
    Figure("zipfmmap", "anon refaults", ANON, 12000, published=(6162, 0)),
    Figure("zipfmmapd", "file refaults", FILE, 105000, published=(8085939, 7629040)),
    Figure("zipfmmapd", "anon refaults", ANON, 14000, published=(170384, 668475)),
    Figure("anon", "anon refaults", ANON, 156000, published=(164194, 163170)),
    Figure("scan", "file refaults", FILE, 30000, published=(52207, 52363)),
    Figure("phase", "anon refaults", ANON, better="less", published=(111156, 98361)),
    Figure("phase", "file refaults", FILE, better="less", published=(59179, 53102)),
    Figure("phase", "sum of both", BOTH, 150000, published=(170335, 151463)),
    Figure("phase64", "sum, 64 MiB limit", BOTH, against=not_above_best),
    Figure("phase96", "sum, 96 MiB limit", BOTH, against=not_above_best),
    Figure("le9", "file refaults", FILE, 15000, published=(56583, 129121)),
    Figure("le9", "sweep, pages/s", sweep_rate, against=nine_tenths, at_least=True),
    Figure("le9d", "file refaults", FILE, 7500, published=(89654, 109456)),
    Figure("le9d", "sweep, pages/s", sweep_rate, better="more"),
    Figure("cpu", "kswapd instructions a page", kswapd_cost, 7200, published=(12760, 9010)),
    Figure("overshoot", "limit hit, pages over", over("small.limit_hits"), UNIT),
    Figure("overshoot", "memory.reclaim, pages over", over("small.writes"), UNIT),
    Figure("overshoot", "limit hit, huge pages", over("huge.limit_hits"), UNIT + HUGE),
    Figure("overshoot", "memory.reclaim, huge pages", over("huge.writes"), UNIT + HUGE),
    Figure("aging", "instr., 1/64 of tables", walk_cost("tables", "1/64"), against=half),
    *(Figure("aging", f"instr., {name}", walk_cost("tables", part), better="less")
      for name, part in (("1/16 of tables", "1/16"), ("1/4 of tables", "1/4"),
                         ("all pages", "1/1"))),
    Figure("aging", "off proportional, %", worst_share, 25),
    Figure("aging", "instr., 1/64, forced", walk_cost("forced", "1/64"), against=half),
    Figure("aging", "instr., all pages, forced", walk_cost("forced", "1/1"), better="less"),
    *(Figure("aging", f"instr., {name} a table", walk_cost("spread", part), better="less")
      for name, part in (("1 page", "1/512"), ("8 pages", "1/64"), ("64 pages", "1/8"))),
]
REFAULT_CASES = ("cold", "zipfmmap", "zipfmmapd", "anon", "scan", "phase", "phase64", "phase96",
                 "le9", "le9d")
CASES = (*REFAULT_CASES, "cpu", "overshoot", "aging")


LIBRARIES = ("engine-lib.sh", "load.sh", "lib.sh")
PROGRAMS = {"engine-aging.sh": ("agewalk",),
            "engine-overshoot.sh": ("accessgen", "reclaim-writes")}


def setup(case, plan):
    made = of_case(case, plan.seed)
    made.libraries = LIBRARIES
    made.programs = PROGRAMS.get(made.script, ("accessgen",))
    return made


def of_case(case, seed):
    if case == "cpu":
        return Setup("engine-cpu.sh", [seed, CPU_ACCESSES], "2600M", counting=True)
    if case == "overshoot":
        return Setup("engine-overshoot.sh", [seed], "2G")
    if case == "aging":
        return Setup("engine-aging.sh", [1024], "2G", counting=True, needs_aging=True)
    limit = {"phase64": 64, "phase96": 96}.get(case, 128)
    return Setup("engine.sh", [case, seed, limit, SECS.get(case, 60)])


CPU_ACCESSES = 12000000
# Guest seconds a foreground stream may take: the unpatched kernels read around every
# miss until nothing else is done, and go on for minutes.
SECS = {"zipfmmapd": 25}


def ratio(runs):
    """pgscan / pgsteal over all refault cases of one kernel."""
    scan = sum(r["stat.pgscan"] for r in runs)
    steal = sum(r["stat.pgsteal"] for r in runs)
    return scan / steal if steal else None


class Table(figures.Table):
    """The refault cases together have figures of their own."""
    figures = FIGURES

    def whole(self, run):
        """False if a foreground stream was cut short or killed."""
        if run.get("killed"):
            return False
        try:
            return complete(run)
        except Missing:
            return True     # a case without such a stream

    def notes(self):
        if all(self.whole(r) for r in self.results.values() if isinstance(r, dict)):
            return []
        return ["+ cut short by the limit on guest time: the whole would be more"]

    def runs_of(self, kernel):
        found = [self.results.get((c, kernel)) for c in REFAULT_CASES if c in self.cases]
        return [r for r in found if isinstance(r, dict)]

    def part(self, kernel, cases):
        """How many cases a sum is of, where a kernel does not have them all."""
        have = len(self.runs_of(kernel))
        return "" if have == len(cases) else f" ({have})"

    def add_sums(self):
        """What is judged over all refault cases of this run."""
        mine = [c for c in REFAULT_CASES if c in self.cases]
        if not mine:
            return
        runs = {k: self.runs_of(k) for k in self.kernels}
        self.add_sum(Figure("all", f"pgscan/pgsteal of {len(mine)} cases", target=1.3, digits=2),
                     {k: ratio(of) for k, of in runs.items()}, lambda k: self.part(k, mine))
        self.add_sum(Figure("all", "OOM kills", target=0),
                     {k: sum(r["oom_kill"] for r in of) for k, of in runs.items() if of})
        self.add_sum(Figure("all", "limit hits: pages too many", target=UNIT),
                     {k: max(map(limit_overshoot, of)) for k, of in runs.items() if of})
