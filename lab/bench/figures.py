"""Figures, targets, judging and the table: what every benchmark has.

A figure is (case, name, how it is got from that case's results, target). A
target is a number that must not be exceeded, a pair of numbers to lie between,
or a function of the stock kernels' values. Figures of stock kernels carry what
was published for them, as a check that the generator makes the same load. A row is
a figure and what it came to on each kernel; it knows what that is worth.
"""
from dataclasses import dataclass, field
from typing import Callable, Optional, Union

STOCK = ("classic", "mglru")
NOT_RUN = "-"


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
    get: Optional[Callable] = None      # (run): a number; none if it is of several cases
    target: Union[float, tuple, None] = None    # not to be exceeded (or reached from above)
    against: Optional[Callable] = None  # the same, from the stock kernels' values
    at_least: bool = False
    published: tuple = ()               # classic 6.12, MGLRU 6.12; None if it was not
    digits: int = 0
    beside: tuple = STOCK               # whose values against gets, those that are there
    better: Optional[str] = None        # less, more, or "" for neither, if no target says it

    @property
    def has_target(self):
        return self.target is not None or self.against is not None

    @property
    def way(self):
        """What is better: less, more, within the target, or "" for none of them."""
        if self.better is not None:
            return self.better
        if not self.has_target:
            return ""
        if isinstance(self.target, tuple):
            return "within"
        return "more" if self.at_least else "less"

    def outside(self, value):
        low, high = self.target
        return max(low - value, value - high, 0)

    def is_worse(self, one, other):
        """Whether the one is worse than the other, both as the table shows them."""
        one, other = round(one, self.digits), round(other, self.digits)
        if self.way == "within":
            return self.outside(one) > self.outside(other)
        return {"less": one > other, "more": one < other}.get(self.way, False)

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


@dataclass
class Cell:
    """What a figure came to on a kernel, or why there is no number, or not a whole one."""
    value: Optional[float] = None
    why: str = ""
    mark: str = ""              # shown behind the number

    def text(self, figure):
        return self.why if self.value is None else figure.text(self.value) + self.mark


@dataclass
class Row:
    """A figure, and what it came to on each kernel."""
    figure: Figure
    cells: dict                 # {kernel: Cell}
    judged: bool = True

    def stock(self):
        """The values a target may be made of."""
        found = (self.cells[k].value for k in self.figure.beside if k in self.cells)
        return [v for v in found if v is not None]

    def target(self):
        return self.figure.target_text(self.stock())

    def verdict(self):
        """pass; FAIL, not judged, and why; or nothing, where nothing is to be reached."""
        cell = self.cells.get("ours", Cell(why=NOT_RUN))
        if not self.figure.has_target or cell.why == NOT_RUN:
            return ""
        if not self.judged and cell.value is not None:
            return "not judged"
        return self.judge(cell)

    def judge(self, cell):
        if cell.value is None:
            return f"FAIL: {cell.why}"
        reached = self.figure.reached(cell.value, self.stock())
        if reached is None:
            return "not judged: no stock figure"
        if cell.why:
            return f"FAIL: {cell.why}"
        return "pass" if reached else "FAIL"

    def compared(self, kernel):
        """Ours beside that kernel: better, worse, same; None if there is nothing to compare."""
        ours, theirs = (self.cells.get(k, Cell()).value for k in ("ours", kernel))
        if ours is None or theirs is None or not self.figure.way:
            return None
        if self.figure.is_worse(ours, theirs):
            return "worse"
        return "better" if self.figure.is_worse(theirs, ours) else "same"

    def texts(self):
        cells = [cell.text(self.figure) for cell in self.cells.values()]
        return (self.figure.case, self.figure.name, self.target(), *cells, self.verdict())


class Table:
    """All figures of all kernels; errors stand in it like values."""
    figures = ()
    judged = True

    def __init__(self, results, kernels, cases):
        self.results = results          # {(case, kernel): run, or error text}
        self.kernels, self.cases = kernels, cases
        self.rows = []

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
            raise Missing(NOT_RUN)
        if isinstance(run, str):
            raise Missing("ERROR")
        if run.get("not_applicable"):
            raise Missing("none")
        return run

    def value(self, figure, kernel):
        return figure.get(self.run(figure.case, kernel))

    def cell(self, figure, kernel):
        try:
            value = self.value(figure, kernel)
        except Missing as missing:
            return Cell(why=str(missing))
        run = self.results[figure.case, kernel]
        cut = not self.whole(run)
        return Cell(value, "cut short" if cut else "",
                    ("+" if cut else "") + ("*" if run.get("earlier") else ""))

    def add(self, figure, cells):
        self.rows.append(Row(figure, cells, self.judged))

    def add_figures(self):
        for figure in self.figures:
            if figure.case in self.cases:
                self.add(figure, {k: self.cell(figure, k) for k in self.kernels})

    def add_sum(self, figure, values, mark=lambda kernel: ""):
        """A row over several cases: {kernel: value}, where there is none None or nothing."""
        self.add(figure, {k: Cell(why=NOT_RUN) if values.get(k) is None
                          else Cell(values[k], mark=mark(k)) for k in self.kernels})

    def add_all(self):
        self.add_figures()
        self.add_sums()

    @property
    def verdicts(self):
        return [verdict for verdict in (row.verdict() for row in self.rows) if verdict]

    def text(self):
        head = ("case", "figure", "target", *self.kernels, "verdict")
        rows = [head, *(row.texts() for row in self.rows)]
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
