"""Repetitions together: a row for each figure of each benchmark, with median and spread.

Targets and verdicts are figures.py's, on the medians. A case that has runs with its
whole load is shown by these; QUICK's are shown where there are no others. What was
not run has a row that says so.
"""
import statistics
from dataclasses import dataclass

import figures
from figures import NOT_RUN
from store import Broken, shown

KERNELS = ("classic", "mglru", "ours")


@dataclass
class Spread(figures.Cell):
    """What a figure came to in several repetitions; the value is their median."""
    values: tuple = ()

    def text(self, figure):
        if self.value is None or len(self.values) < 2:
            return super().text(figure)
        low, high = (figure.text(f(self.values)) for f in (min, max))
        return f"{super().text(figure)} ({'=' if low == high else f'{low}..{high}'})"


def spread(cells):
    """One cell of those of the repetitions."""
    ran = [c for c in cells if c.why != NOT_RUN]
    if not ran:
        return Spread(why=NOT_RUN)
    values = tuple(c.value for c in ran if c.value is not None)
    whys = [c.why for c in ran if c.why]
    part = f" in {len(whys)} of {len(ran)}" if len(whys) < len(ran) else ""
    return Spread(statistics.median(values) if values else None, whys[0] + part if whys else "",
                  max(c.mark for c in ran), values)


@dataclass
class Combined(figures.Row):
    """A row of all repetitions, and theirs."""
    benchmark: object = None
    quick: bool = False
    clock: str = ""
    cases: tuple = ()           # that it is of
    rows: tuple = ()

    def order(self):
        known = [(f.case, f.name) for f in self.benchmark.table.figures]
        key = (self.figure.case, self.figure.name)
        return known.index(key) if key in known else len(known)

    def command(self):
        words = ["QUICK=1"] if self.quick else []
        if set(self.benchmark.kernels) != set(KERNELS):
            words.append(f'KERNELS="{" ".join(KERNELS)}"')
        if self.cases != self.benchmark.cases:
            cases = " ".join(self.cases)
            words.append(f'CASES="{cases}"' if " " in cases else f"CASES={cases}")
        return " ".join([*words, f"make bench-{self.benchmark.name}"])

    def data(self):
        """As results.json has it."""
        compared = {k: self.compared(k) for k in figures.STOCK}
        return {"benchmark": self.benchmark.name, "case": self.figure.case,
                "figure": self.figure.name.strip(), "quick": self.quick, "clock": self.clock,
                "target": self.target(), "way": self.figure.way, "command": self.command(),
                "kernels": {k: {"values": c.values, "median": c.value, "why": c.why,
                                "text": c.text(self.figure)} for k, c in self.cells.items()},
                "verdict": self.verdict(), "verdicts": [r.verdict() for r in self.rows],
                "compared": {k: how for k, how in compared.items() if how}}


class Group:
    """The repetitions of a benchmark with one kind of load: whole, or QUICK's."""

    def __init__(self, benchmark, quick, parts):
        self.benchmark, self.quick, self.parts = benchmark, quick, parts

    def cases(self):
        return {case for part in self.parts for case, _ in part.runs}

    def table(self, part, wanted):
        """The rows of one repetition, as the benchmark's own program has them."""
        runs = {key: run for key, run in part.runs.items() if key[0] in wanted}
        cases = [c for c in self.benchmark.cases if any(c == case for case, _ in runs)]
        table = self.benchmark.table(runs, KERNELS, cases)
        table.judged = not self.quick
        try:
            table.add_all()
        except (LookupError, TypeError, ValueError, ArithmeticError) as error:
            raise Broken(f"{shown(part.path)}: not as lab/bench/{self.benchmark.name} "
                         f"stores it: {error!r}") from None
        return table

    def clock(self, cases):
        found = {run["clock"] for part in self.parts for run in part.measured()
                 if run["case"] in cases}
        return " and ".join(sorted(found))

    def rows(self, wanted):
        """[Combined] of these cases, and the notes of their tables."""
        tables = [self.table(part, wanted) for part in self.parts]
        alike = {}
        for row in (row for table in tables for row in table.rows):
            alike.setdefault((row.figure.case, row.figure.name), []).append(row)
        ran = tuple(c for c in self.benchmark.cases if any(c in t.cases for t in tables))
        out = []
        for rows in alike.values():
            cases = ran if rows[0].figure.case == "all" else (rows[0].figure.case,)
            cells = {k: spread([row.cells[k] for row in rows]) for k in KERNELS}
            out.append(Combined(rows[0].figure, cells, not self.quick, self.benchmark, self.quick,
                                self.clock(cases), cases, tuple(rows)))
        return out


def not_run(benchmark, cases):
    table = benchmark.table({}, KERNELS, cases)
    table.add_figures()
    return [Combined(row.figure, {k: Spread(why=NOT_RUN) for k in KERNELS}, True, benchmark,
                     cases=(row.figure.case,)) for row in table.rows]


def rows_of(benchmark, parts):
    """All rows of a benchmark, as data, in the order of its own table."""
    whole, quick = (Group(benchmark, q, [p for p in parts if p.quick == q]) for q in (False, True))
    rows = whole.rows(whole.cases())
    rows += quick.rows(quick.cases() - whole.cases())
    rows += not_run(benchmark, [c for c in benchmark.cases
                                if c not in whole.cases() | quick.cases()])
    return [row.data() for row in sorted(rows, key=Combined.order)]


def all_rows(benchmarks, parts):
    return [row for b in benchmarks for row in rows_of(b, [p for p in parts if p.benchmark == b])]


def is_loss(row):
    return row["verdict"].startswith("FAIL") or "worse" in row["compared"].values()
