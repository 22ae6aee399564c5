"""The engine benchmark's cases, figures and targets; judging; the table.

A figure is (case, name, how it is got from that case's results, target). A
target is a number that must not be exceeded, or a function of the other
kernels' values. Figures of stock kernels carry what was published for them, as
a check that the generator makes the same load.
"""
import statistics
from dataclasses import dataclass, field
from typing import Callable, Optional

STOCK = ("classic", "mglru")
UNIT = 32               # pages reclaim is asked for at least
HUGE = 512              # pages of the largest folio here


class Missing(Exception):
    """What a figure needs is not there; says what."""


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


@dataclass
class Figure:
    """One line of the table."""
    case: str
    name: str
    get: Callable
    target: Optional[float] = None      # not to be exceeded (or reached from above)
    against: Optional[Callable] = None  # the same, from the stock kernels' values
    at_least: bool = False
    published: tuple = ()               # classic 6.12, MGLRU 6.12
    digits: int = 0

    def limit(self, stock):
        """The target as a number; None if it needs a stock figure that is not there."""
        if self.against is None:
            return self.target
        return self.against(stock) if stock else None

    def text(self, value):
        return f"{value:,.{self.digits}f}"

    def target_text(self, stock):
        limit = self.limit(stock)
        if limit is None:
            return "stock?" if self.against else ""
        return ("at least " if self.at_least else "<= ") + self.text(limit)

    def reached(self, value, stock):
        limit = self.limit(stock)
        if limit is None:
            return None
        return value >= limit if self.at_least else value <= limit


def not_above_best(stock):
    return min(stock)


def nine_tenths(stock):
    return 0.9 * max(stock)


def half(stock):
    return 0.5 * min(stock)


FILE, ANON, BOTH = refaults("file"), refaults("anon"), refaults("anon", "file")
FIGURES = [
    Figure("cold", "file refaults", FILE, 88000, published=(117389, 190423)),
    Figure("cold", "anon refaults", ANON),
    Figure("zipfmmap", "file refaults", FILE, 95000, published=(133256, 212940)),
    Figure("zipfmmap", "anon refaults", ANON, 12000, published=(6162, 0)),
    Figure("zipfmmapd", "file refaults", FILE, 105000, published=(8085939, 7629040)),
    Figure("zipfmmapd", "anon refaults", ANON, 14000, published=(170384, 668475)),
    Figure("anon", "anon refaults", ANON, 156000, published=(164194, 163170)),
    Figure("scan", "file refaults", FILE, 30000, published=(52207, 52363)),
    Figure("phase", "anon refaults", ANON, published=(111156, 98361)),
    Figure("phase", "file refaults", FILE, published=(59179, 53102)),
    Figure("phase", "sum of both", BOTH, 150000, published=(170335, 151463)),
    Figure("phase64", "sum, 64 MiB limit", BOTH, against=not_above_best),
    Figure("phase96", "sum, 96 MiB limit", BOTH, against=not_above_best),
    Figure("le9", "file refaults", FILE, 15000, published=(56583, 129121)),
    Figure("le9", "sweep, pages/s", sweep_rate, against=nine_tenths, at_least=True),
    Figure("le9d", "file refaults", FILE, 7500, published=(89654, 109456)),
    Figure("le9d", "sweep, pages/s", sweep_rate),
    Figure("cpu", "kswapd instructions a page", kswapd_cost, 7200, published=(12760, 9010)),
    Figure("overshoot", "limit hit, pages over", over("small.limit_hits"), UNIT),
    Figure("overshoot", "memory.reclaim, pages over", over("small.writes"), UNIT),
    Figure("overshoot", "limit hit, huge pages", over("huge.limit_hits"), UNIT + HUGE),
    Figure("overshoot", "memory.reclaim, huge pages", over("huge.writes"), UNIT + HUGE),
    Figure("aging", "instr., 1/64 of tables", walk_cost("tables", "1/64"), against=half),
    Figure("aging", "instr., 1/16 of tables", walk_cost("tables", "1/16")),
    Figure("aging", "instr., 1/4 of tables", walk_cost("tables", "1/4")),
    Figure("aging", "instr., all pages", walk_cost("tables", "1/1")),
    Figure("aging", "off proportional, %", worst_share, 25),
    Figure("aging", "instr., 1/64, forced", walk_cost("forced", "1/64"), against=half),
    Figure("aging", "instr., all pages, forced", walk_cost("forced", "1/1")),
    Figure("aging", "instr., 1 page a table", walk_cost("spread", "1/512")),
    Figure("aging", "instr., 8 pages a table", walk_cost("spread", "1/64")),
    Figure("aging", "instr., 64 pages a table", walk_cost("spread", "1/8")),
]
REFAULT_CASES = ("cold", "zipfmmap", "zipfmmapd", "anon", "scan", "phase", "phase64", "phase96",
                 "le9", "le9d")
CASES = (*REFAULT_CASES, "cpu", "overshoot", "aging")


@dataclass
class Setup:
    """How a case is run: a script of the guest and its arguments after MODE."""
    script: str = "engine.sh"
    arguments: list = field(default_factory=list)
    memory: str = "3G"
    counting: bool = False      # means nothing unless instructions are counted
    needs_aging: bool = False   # has no meaning on the classic LRU


def setup(case, seed):
    if case == "cpu":
        return Setup("engine-cpu.sh", [seed, CPU_ACCESSES], "2600M", counting=True)
    if case == "overshoot":
        return Setup("engine-overshoot.sh", [seed], "2G")
    if case == "aging":
        return Setup("engine-aging.sh", [1024], "2G", counting=True, needs_aging=True)
    limit = {"phase64": 64, "phase96": 96}.get(case, 128)
    return Setup(arguments=[case, seed, limit, SECS.get(case, 60)])


CPU_ACCESSES = 12000000
# Guest seconds a foreground stream may take: the unpatched kernels read around every
# miss until nothing else is done, and go on for minutes.
SECS = {"zipfmmapd": 25}


def ratio(runs):
    """pgscan / pgsteal over all refault cases of one kernel."""
    scan = sum(r["stat.pgscan"] for r in runs)
    steal = sum(r["stat.pgsteal"] for r in runs)
    return scan / steal if steal else None


# ---- the table -----------------------------------------------------------


class Table:
    """All figures of all kernels; errors stand in it like values."""

    def __init__(self, results, kernels, cases):
        self.results = results          # {(case, kernel): run, or error text}
        self.kernels, self.cases = kernels, cases
        self.rows, self.verdicts = [], []

    def value(self, figure, kernel):
        run = self.results.get((figure.case, kernel))
        if run is None:
            raise Missing("-")
        if isinstance(run, str):
            raise Missing("ERROR")
        if run.get("not_applicable"):
            raise Missing("none")
        return figure.get(run)

    def stock_values(self, figure):
        out = []
        for kernel in STOCK:
            try:
                out.append(self.value(figure, kernel))
            except Missing:
                pass
        return out

    def cell(self, figure, kernel):
        try:
            value = self.value(figure, kernel)
        except Missing as missing:
            return str(missing)
        run = self.results[figure.case, kernel]
        mark = "" if complete_enough(run) else "+"
        return figure.text(value) + mark + ("*" if run.get("earlier") else "")

    def verdict(self, figure):
        if "ours" not in self.kernels:
            return ""
        stock = self.stock_values(figure)
        try:
            value = self.value(figure, "ours")
        except Missing as missing:
            return f"FAIL: {missing}" if figure.target or figure.against else ""
        reached = figure.reached(value, stock)
        if reached is None:
            return "not judged: no stock figure" if figure.against else ""
        if not complete_enough(self.results[figure.case, "ours"]):
            return "FAIL: cut short"
        return "pass" if reached else "FAIL"

    def add(self, case, name, target, cells, verdict):
        self.rows.append((case, name, target, *cells, verdict))
        if verdict:
            self.verdicts.append(verdict)

    def add_figures(self):
        for figure in FIGURES:
            if figure.case not in self.cases:
                continue
            self.add(figure.case, figure.name, figure.target_text(self.stock_values(figure)),
                     [self.cell(figure, k) for k in self.kernels], self.verdict(figure))

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
        ratios = {k: ratio(self.runs_of(k)) for k in self.kernels}
        value = ratios.get("ours")
        self.add("all", f"pgscan/pgsteal of {len(mine)} cases", "<= 1.30",
                 [f"{r:.2f}{self.part(k, mine)}" if r else "-" for k, r in ratios.items()],
                 "" if value is None else "pass" if value <= 1.3 else "FAIL")
        kills = {k: sum(r["oom_kill"] for r in self.runs_of(k)) for k in self.kernels}
        self.add("all", "OOM kills", "<= 0", [f"{n}" for n in kills.values()],
                 "" if "ours" not in kills else "pass" if not kills["ours"] else "FAIL")
        over = {k: max((limit_overshoot(r) for r in self.runs_of(k)), default=None)
                for k in self.kernels}
        value = over.get("ours")
        self.add("all", "limit hits: pages too many", f"<= {UNIT}",
                 ["-" if v is None else f"{v:,}" for v in over.values()],
                 "" if value is None else "pass" if value <= UNIT else "FAIL")

    def text(self):
        head = ("case", "figure", "target", *self.kernels, "verdict")
        rows = [head, *self.rows]
        widths = [max(len(r[i]) for r in rows) for i in range(len(head))]
        out = []
        for n, row in enumerate(rows):
            cells = [c.ljust(w) if i < 2 or i == len(head) - 1 else c.rjust(w)
                     for i, (c, w) in enumerate(zip(row, widths))]
            out.append("  ".join(cells).rstrip())
            if n == 0:
                out.append("-" * (sum(widths) + 2 * (len(widths) - 1)))
        return "\n".join(out)


def complete_enough(run):
    """False if a foreground stream was cut short or killed."""
    if run.get("killed"):
        return False
    try:
        return complete(run)
    except Missing:
        return True     # a case without such a stream


def deviations(table):
    """Lines: how far the stock kernels are from what was published of them."""
    out = []
    for figure in FIGURES:
        if figure.case not in table.cases or not figure.published:
            continue
        for kernel, want in zip(STOCK, figure.published):
            try:
                value = table.value(figure, kernel)
            except Missing:
                continue
            off = f"{100 * (value - want) / want:+.0f} %" if want else f"{value - want:+,.0f}"
            out.append(f"{figure.case} {figure.name} {kernel}: {figure.text(value)}, "
                       f"published {want:,}: {off}")
    return out
