"""Runs the benchmarks for `make bench`: what is missing in build/bench/, stage by stage.

A stage is the cases of a benchmark's repetition that have the same clock and kind of
load, in one run of lab/bench/NAME. Guests that count instructions run beside each
other, those by the host's time one after the other.
"""
import json
import os
import platform
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

import bench
import store
from combine import KERNELS

REPS = 3
# One of each scenario, what fits into a quarter of an hour on two processors
QUICK = {"engine": ("cold", "scan", "phase", "le9", "cpu"),
         "memcg": ("equal", "idle10", "idle1000"),
         "iter": ("read", "fair4"),
         "softlimit": ("idle", "node_set"),
         "listlru": ("1000x2", "2000x2")}
# Have a meaning for the single benchmarks, not for all of them
NOT_OURS = ("KERNELS", "SEED", "CLOCK", "ROUNDS", "RIVAL")
OURS = ("BENCHMARKS", "CASES", "REPS", "QUICK", "FRESH", "JOBS", "PICTURE", "KERNEL_IMAGE",
        "STOCK_IMAGE")


class Wanted:
    """What the environment asks for, checked."""

    def __init__(self, benchmarks, env, where=store.DIR, make="bench"):
        for name in NOT_OURS:
            if env.get(name):
                bench.fail(f"{name} is for a single benchmark (make bench-NAME), not for all")
        self.env, self.where, self.make = env, where, make
        self.quick = bench.flag(env, "QUICK")
        self.fresh = bench.flag(env, "FRESH")
        self.repetitions = bench.Plan.number(env, "REPS", 1 if self.quick else REPS, 1)
        self.jobs = bench.Plan.number(env, "JOBS", os.cpu_count(), 1)
        names = bench.Plan.words(env, "BENCHMARKS", [b.name for b in benchmarks],
                                 [b.name for b in benchmarks])
        self.benchmarks = [b for b in benchmarks if b.name in names]
        known = list(dict.fromkeys(c for b in self.benchmarks for c in b.cases))
        self.cases = bench.Plan.words(env, "CASES", known, ())
        self.whole = not (self.cases or self.quick or env.get("BENCHMARKS"))

    def cases_of(self, benchmark):
        default = QUICK.get(benchmark.name, benchmark.quick) if self.quick else benchmark.cases
        return [c for c in benchmark.cases if c in (self.cases or default)]

    def command(self):
        """Without the paths of this machine."""
        said = [f"{n}=FILE" if n.endswith("IMAGE") else f"{n}={self.env[n]}" for n in OURS
                if self.env.get(n)]
        return " ".join([f"make {self.make}", *(f"'{w}'" if " " in w else w for w in said)])

    def plan(self, benchmark, repetition, quick):
        return bench.Plan(benchmark, {
            "KERNELS": " ".join(KERNELS), "SEED": str(repetition - 1),
            "QUICK": "1" if quick else "", **self.images()})

    def images(self):
        return {n: self.env[n] for n in bench.IMAGE_VARIABLES.values() if self.env.get(n)}


@dataclass
class Stage:
    """One run of a benchmark's program."""
    part: store.Part
    clock: str
    cases: list

    def environment(self, wanted, images):
        """Nothing of what was given to us, but what this stage is."""
        env = {k: v for k, v in os.environ.items() if k not in NOT_OURS + OURS}
        jobs = wanted.jobs if self.clock == "icount" else 1
        env.update(KERNELS=" ".join(KERNELS), CASES=" ".join(self.cases), FRESH="1", PICTURE="0",
                   QUICK="1" if self.part.quick else "", SEED=str(self.part.repetition - 1),
                   JOBS=str(jobs), KERNEL_IMAGE=images["ours"], STOCK_IMAGE=images["stock"])
        return env

    def run(self, wanted, images):
        """The program's status; its runs are kept."""
        benchmark = self.part.benchmark
        whole = benchmark.store + ".json"
        if os.path.exists(whole):
            os.unlink(whole)
        meter = Meter()
        program = os.path.join(bench.ROOT, "lab", "bench", benchmark.name)
        status = subprocess.run([program], env=self.environment(wanted, images)).returncode
        if not os.path.exists(whole):
            bench.fail(f"lab/bench/{benchmark.name} ended with status {status} and without runs")
        with open(whole, encoding="utf-8") as f:
            found = json.load(f)["runs"]
        others = meter.others()
        for name, run in found.items():
            if isinstance(run, dict) and "image" in run:
                run["others"] = others
            self.part.runs[self.part.key(name)] = run
        self.part.keep()
        return status


class Meter:
    """How much of the host's processors other work has."""

    def __init__(self):
        self.began = self.now()

    @staticmethod
    def now():
        """Seconds of processor time: all there was, all used, and used by us."""
        with open("/proc/stat", encoding="utf-8") as f:
            ticks = [int(word) for word in f.readline().split()[1:9]]
        idle = ticks[3] + ticks[4]
        hz = os.sysconf("SC_CLK_TCK")
        mine = os.times()
        return (sum(ticks) / hz, (sum(ticks) - idle) / hz,
                mine.user + mine.system + mine.children_user + mine.children_system)

    def others(self):
        """Per cent since the beginning."""
        every, used, mine = (b - a for a, b in zip(self.began, self.now()))
        return round(100 * max(used - mine, 0) / every, 1) if every else 0.0


def output(*command):
    done = subprocess.run(command, cwd=bench.ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def field(path, pattern):
    with open(path, encoding="utf-8") as f:
        found = re.search(pattern, f.read(), re.M)
    return found[1].strip() if found else "unknown"


def host():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    version = re.search(r"version (\S+)", output("qemu-system-x86_64", "--version"))
    return {"cpus": os.cpu_count(), "memory_mib": memory,
            "model": field("/proc/cpuinfo", r"^model name\s*: (.*)") if
            platform.machine() == "x86_64" else platform.machine(),
            "system": field("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)'),
            "qemu": version[1] if version else "unknown"}


def commit():
    head = output("git", "rev-parse", "--short=12", "HEAD") or "unknown"
    edited = output("git", "status", "--porcelain", "--", "lab", "mm", "include", "patches")
    return head + ("+" if edited else "")


def kernels(wanted):
    """{stock, ours: image}: copies, as the originals may be built again meanwhile."""
    plan = wanted.plan(wanted.benchmarks[0], 1, False)
    copies = {}
    os.makedirs(wanted.where, exist_ok=True)
    for name, image in plan.images().items():
        copies[name] = os.path.join(wanted.where, f"bzImage-{name}")
        shutil.copyfile(image, copies[name])
    return copies


def why_aside(wanted, digests):
    """Why what is kept does not belong to this run; None if it does."""
    if not os.path.exists(os.path.join(wanted.where, "bench.json")):
        return None
    if store.facts(wanted.where)["images"] != digests:
        return "the kernels are others than before"
    return "all is measured again" if wanted.fresh and wanted.whole else None


def begin(wanted, images):
    """bench.json of this run; what is kept is set aside if it is of another one."""
    digests = {name: bench.digest([image]) for name, image in images.items()}
    facts = os.path.join(wanted.where, "bench.json")
    why = why_aside(wanted, digests)
    if why:
        print(f"   {why}: earlier runs are in {store.set_aside(wanted.where)}/")
    store.write(facts, {
        "schema": store.SCHEMA, "date": bench.now(), "command": wanted.command(),
        "base": field(os.path.join(bench.ROOT, "lab", "base.conf"), r"^BASE_VERSION=(.*)"),
        "commit": commit(), "host": host(), "images": digests})


def shorter(wanted, benchmark, case):
    """Whether QUICK=1 makes the load of that case a shorter one."""
    loads = {bench.Run(wanted.plan(benchmark, 1, quick), case, "ours").load
             for quick in (False, True)}
    return len(loads) > 1


def prune(part, wanted):
    """Drop failed runs, and those of a load that is no longer made like that."""
    plan = wanted.plan(part.benchmark, part.repetition, part.quick)
    for (case, kernel), run in list(part.runs.items()):
        now = bench.Run(plan, case, kernel)
        again = wanted.fresh and case in wanted.cases_of(part.benchmark)
        if again or isinstance(run, str) or ("image" in run and (run["load"], run["clock"]) !=
                                             (now.load, now.clock)):
            del part.runs[case, kernel]


def stages_of(wanted, part, cases):
    """What is left to do of a part, by clock."""
    plan = wanted.plan(part.benchmark, part.repetition, part.quick)
    left = [c for c in cases if any((c, k) not in part.runs for k in KERNELS)]
    clocks = {}
    for case in left:
        clocks.setdefault(bench.Run(plan, case, "ours").clock, []).append(case)
    return [Stage(part, clock, found) for clock, found in sorted(clocks.items())]


def stages(wanted):
    """Repetition by repetition, so that an interrupted run has whole ones."""
    for old in store.parts(wanted.benchmarks, wanted.where):
        prune(old, wanted)
        old.keep()
    for repetition in range(1, wanted.repetitions + 1):
        for benchmark in wanted.benchmarks:
            cases = wanted.cases_of(benchmark)
            quick = [c for c in cases if wanted.quick and shorter(wanted, benchmark, c)]
            for is_quick, mine in ((False, [c for c in cases if c not in quick]), (True, quick)):
                part = store.Part(benchmark, repetition, is_quick, wanted.where)
                yield from stages_of(wanted, part, mine)


def title(stage, wanted, began):
    part = stage.part
    number = 1 + [b.name for b in wanted.benchmarks].index(part.benchmark.name)
    minutes, seconds = divmod(int(time.monotonic() - began), 60)
    return (f"== bench: {part.benchmark.name}{' with short loads' if part.quick else ''}, "
            f"benchmark {number} of {len(wanted.benchmarks)}, repetition {part.repetition} of "
            f"{wanted.repetitions}, {minutes}:{seconds:02} elapsed; clock {stage.clock}")


def run_all(wanted):
    """The worst status of the stages: 2 if something could not run."""
    images = kernels(wanted)
    begin(wanted, images)
    began, status = time.monotonic(), 0
    left = list(stages(wanted))
    if not left:
        print("   everything asked for is there already (FRESH=1 measures it again)")
    for number, stage in enumerate(left, 1):
        print(f"\n{title(stage, wanted, began)}, stage {number} of {len(left)}", flush=True)
        status = max(status, stage.run(wanted, images))
    return status
