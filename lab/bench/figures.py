"""Figures, targets, judging and the table: what every benchmark has.

A figure is (case, name, how it is got from that case's results, target). A
target is a number that must not be exceeded, a pair of numbers to lie between,
or a function of the stock kernels' values. Figures of stock kernels carry what
was published for them, as a check that the generator makes the same load.
"""
from dataclasses import dataclass, field
from typing import Callable, Optional, Union

STOCK = ("classic", "mglru")


class Missing(Exception):
    """What a figure needs is not there; says what."""


@dataclass
class Setup:
    """How a case is run: a script of the guest and its arguments after MODE."""
    script: str
    arguments: list = field(default_factory=list)
    memory: str = "3G"
    processors: int = 2
    options: tuple = ()         # more of lab/guest's
    counting: bool = False      # means nothing unless instructions are counted
    needs_aging: bool = False   # has no meaning on the classic LRU
    # What the load is made of, beside the script: results of another are not comparable.
    libraries: tuple = ("load.sh", "lib.sh")
    programs: tuple = ()
    keyed: str = ""


@dataclass
class Figure:
    """One line of the table."""
    case: str
    name: str
    get: Callable
    target: Union[float, tuple, None] = None    # not to be exceeded (or reached from above)
    against: Optional[Callable] = None  # the same, from the stock kernels' values
    at_least: bool = False
    published: tuple = ()               # classic 6.12, MGLRU 6.12; None if it was not
    digits: int = 0
    beside: tuple = STOCK               # whose values against gets, those that are there

    @property
    def has_target(self):
        return self.target is not None or self.against is not None

    def limit(self, stock):
        """The target; None if it needs a stock figure that is not there."""
        if self.against is None:
            return self.target
        return self.against(stock) if stock else None

    def text(self, value):
        return f"{value:,.{self.digits}f}"

    def target_text(self, stock):
        limit = self.limit(stock)
        if limit is None:
            return "stock?" if self.against else ""
        if isinstance(limit, tuple):
            return " - ".join(map(self.text, limit))
        return ("at least " if self.at_least else "<= ") + self.text(limit)

    def reached(self, value, stock):
        limit = self.limit(stock)
        if limit is None:
            return None
        if isinstance(limit, tuple):
            return limit[0] <= value <= limit[1]
        return value >= limit if self.at_least else value <= limit


class Table:
    """All figures of all kernels; errors stand in it like values."""
    figures = ()
    judged = True

    def __init__(self, results, kernels, cases):
        self.results = results          # {(case, kernel): run, or error text}
        self.kernels, self.cases = kernels, cases
        self.rows, self.verdicts = [], []

    def whole(self, _run):
        """False if a run was cut short, so that its figures are too low."""
        return True

    def add_sums(self):
        """What is judged over several cases."""

    def notes(self):
        """Lines below the table."""
        return []

    def quick_note(self):
        return [] if self.judged else ["QUICK=1: too few pages for a verdict"]

    def late_note(self, late, limit):
        """late: per cent of a run's touches that the host was too slow for."""
        slow = sorted(f"{case} {kernel} {late(run):.0f} %"
                      for (case, kernel), run in self.results.items()
                      if isinstance(run, dict) and late(run) > limit)
        if not slow:
            return []
        return ["the host was too slow for the load, touches late: " + ", ".join(slow)]

    def run(self, case, kernel):
        run = self.results.get((case, kernel))
        if run is None:
            raise Missing("-")
        if isinstance(run, str):
            raise Missing("ERROR")
        if run.get("not_applicable"):
            raise Missing("none")
        return run

    def value(self, figure, kernel):
        return figure.get(self.run(figure.case, kernel))

    def stock_values(self, figure):
        out = []
        for kernel in figure.beside:
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
        mark = "" if self.whole(run) else "+"
        return figure.text(value) + mark + ("*" if run.get("earlier") else "")

    def verdict(self, figure):
        if "ours" not in self.kernels:
            return ""
        stock = self.stock_values(figure)
        try:
            value = self.value(figure, "ours")
        except Missing as missing:
            return f"FAIL: {missing}" if figure.has_target else ""
        reached = figure.reached(value, stock)
        if reached is None:
            return "not judged: no stock figure" if figure.against else ""
        if not self.whole(self.results[figure.case, "ours"]):
            return "FAIL: cut short"
        return "pass" if reached else "FAIL"

    def add(self, case, name, target, cells, verdict):
        if verdict and not self.judged:
            verdict = "not judged"
        self.rows.append((case, name, target, *cells, verdict))
        if verdict:
            self.verdicts.append(verdict)

    def add_limit(self, name, limit, values, texts):
        """A row over several cases: (number or None, text), {kernel: value or None}, texts."""
        value = values.get("ours")
        judged = limit[0] is not None and value is not None
        verdict = "" if not judged else "pass" if value <= limit[0] else "FAIL"
        self.add("all", name, limit[1], [texts[k] for k in self.kernels], verdict)

    def add_figures(self):
        for figure in self.figures:
            if figure.case not in self.cases:
                continue
            self.add(figure.case, figure.name, figure.target_text(self.stock_values(figure)),
                     [self.cell(figure, k) for k in self.kernels], self.verdict(figure))

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

    def deviation(self, figure, kernel, want):
        """A line: how far a stock kernel is from what was published of it."""
        value = self.value(figure, kernel)
        off = f"{100 * (value - want) / want:+.0f} %" if want else f"{value - want:+,.0f}"
        return (f"{figure.case} {figure.name} {kernel}: {figure.text(value)}, "
                f"published {want:,}: {off}")

    def deviations(self):
        out = []
        for figure in self.figures:
            if figure.case not in self.cases:
                continue
            for kernel, want in zip(STOCK, figure.published):
                try:
                    out += [] if want is None else [self.deviation(figure, kernel, want)]
                except Missing:
                    continue
        return out
