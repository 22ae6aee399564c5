"""The list_lru benchmark's cases, figures and targets, and what is judged over several.

A stage (memcgs, mounts, files) is what it adds to slab and percpu memory, in KiB, with
nothing cached. What mounts add is fitted with a N + b N N over the counts: b N N is the
product of memcgs and mounts, which must not be there.
"""
import figures
from figures import Figure, Missing, Setup

COUNTS = (500, 1000, 2000)
NODES = (2, 1)
STAGES = ("base", "memcgs", "mounts", "files")
MEMORY = tuple(f"{n}x{nodes}" for nodes in NODES for n in COUNTS)
CASES = (*MEMORY, "walk", "tar", "tar-node")
QUICK = ("500x2", "1000x2")
SEED_SHAPE = 10000      # memcgs and mounts of the source document
WALK = (8, 4000, 6)     # cgroups, files of each, rounds
TAR = (8, 4000, 4, "3M")        # and the limit of each
TAR_NODE = (8, 8000, 4, "max")  # in a guest that is as small


def setup(case, _plan):
    if case == "walk":
        made = Setup("listlru.sh", ["walk", *WALK], "4G")
    elif case == "tar":
        made = Setup("listlru.sh", ["tar", *TAR], "1G", counting=True)
    elif case == "tar-node":
        made = Setup("listlru.sh", ["tar", *TAR_NODE], "128M", counting=True)
    else:
        count, nodes = case.split("x")
        made = Setup("listlru.sh", ["memory", int(count)], "4G", counting=True)
        made.options = ("--numa", nodes) if nodes != "1" else ()
    made.libraries = ("lib.sh",)
    made.programs = ("manycg",)
    made.keyed = repr((made.arguments, made.memory, made.options))
    return made


def added(stage, which=(0, 2)):
    """KiB; by default slab and percpu."""
    before = STAGES[STAGES.index(stage) - 1]
    return lambda run: sum(run[f"mem.{stage}"][i] - run[f"mem.{before}"][i] for i in which)


def offline(run):
    """Microseconds a memcg that goes."""
    us, calls = run["offline_us"]
    if not calls:
        raise Missing("not counted")
    return us / calls


def rmdirs(run):
    """Milliseconds until all are gone."""
    return run["rmdir_ns"] / 1e6


def middle(rates):
    return sorted(rates)[len(rates) // 2]


def walked(run):
    """Files a second of all walkers, in the middle of the rounds."""
    return middle([files * WALK[0] / (ns / 1e9) for files, ns in run["walk"]])


def archived(run):
    """The same of find and tar; who was killed has found nothing."""
    return middle([files / (ms / 1e3) for files, ms in run["tar"]])


def kills(run):
    return run["oom_kill"]


def fit(points):
    """Least squares of a N + b N N through (N, KiB): a, b."""
    s2 = sum(n ** 2 for n, _ in points)
    s3 = sum(n ** 3 for n, _ in points)
    s4 = sum(n ** 4 for n, _ in points)
    sy = sum(n * y for n, y in points)
    sy2 = sum(n * n * y for n, y in points)
    det = s2 * s4 - s3 * s3
    return (sy * s4 - sy2 * s3) / det, (sy2 * s2 - sy * s3) / det


def not_above(stock):
    return min(stock)


def part_of(share):
    return lambda stock: min(stock) * share


def times(factor):
    return lambda stock: max(stock) * factor


def memory_figures(case):
    return [
        Figure(case, "memcgs, KiB", added("memcgs"), against=not_above),
        Figure(case, "mounts on top, KiB", added("mounts"), better="less"),
        Figure(case, "files on top, KiB", added("files"), against=not_above),
        Figure(case, "100 rmdirs, ms", rmdirs,
               against=part_of(0.2) if case.startswith("2000") else None, digits=1,
               better="less"),
        Figure(case, "  of it offline, us each", offline, better="less", digits=1),
    ]


def archive_figures(case):
    return [
        Figure(case, "files a second", archived, against=times(1.15), at_least=True),
        Figure(case, "OOM kills", kills, target=0),
    ]


class Table(figures.Table):
    """With what is fitted over the counts."""
    figures = [f for case in MEMORY for f in memory_figures(case)] + [
        Figure("walk", "files a second", walked, against=times(1.15), at_least=True),
        *archive_figures("tar"), *archive_figures("tar-node")]

    def mounts(self, kernel, nodes):
        """[(N, KiB)] of the cases that were run."""
        out = []
        for n in COUNTS:
            try:
                out.append((n, added("mounts")(self.run(f"{n}x{nodes}", kernel))))
            except Missing:
                pass
        return out

    def fitted(self, nodes):
        """{kernel: (a, b)}; both need two counts at least."""
        points = {k: self.mounts(k, nodes) for k in self.kernels}
        return {k: fit(p) for k, p in points.items() if len(p) > 1}

    def add_product(self, nodes):
        n = COUNTS[-1]
        self.add_sum(Figure("all", f"product at {n:,}, {nodes} node(s), KiB",
                            against=part_of(0.3)),
                     {k: b * n * n for k, (_, b) in self.fitted(nodes).items()})

    def add_growth(self, nodes):
        """Twice of both: twice of what mounts add, or four times."""
        values = {}
        for kernel in self.kernels:
            of = dict(self.mounts(kernel, nodes))
            if of.get(1000) and of.get(2000):
                values[kernel] = of[2000] / of[1000]
        self.add_sum(Figure("all", f"mounts, 2,000 over 1,000, {nodes} node(s)", target=2.2,
                            digits=2), values)

    def add_nodes(self):
        values = {}
        for kernel in self.kernels:
            two, one = (dict(self.mounts(kernel, n)).get(COUNTS[-1]) for n in (2, 1))
            if two and one:
                values[kernel] = two / one
        self.add_sum(Figure("all", "mounts at 2,000, two nodes over one", target=1.5, digits=2),
                     values)

    def add_sums(self):
        for nodes in NODES:
            if self.fitted(nodes):
                self.add_product(nodes)
                self.add_growth(nodes)
        self.add_nodes()

    def notes(self):
        """The shape of the source document, from what was measured."""
        out = []
        n = SEED_SHAPE
        for nodes in NODES:
            for kernel, (a, b) in self.fitted(nodes).items():
                out.append(f"{kernel}, {nodes} node(s): mounts add {a:.2f} N + {b:.6f} N N KiB; "
                           f"{n:,} x {n:,}: {(a * n + b * n * n) / 1024:,.0f} MiB, of it the "
                           f"product {b * n * n / 1024:,.0f} MiB")
        return out
