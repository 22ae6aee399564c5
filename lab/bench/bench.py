"""What the benchmarks share: runs of cases on kernels, what is stored of them, the report.

A benchmark is its cases and figures (see figures.py). Every case boots a guest of
its own on every kernel. The latest run of each case and kernel stays in
build/results/NAME/ as JSON, and all of them, a line each, in history.jsonl there.
"""
import concurrent.futures
import datetime
import glob
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import Callable

import results

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
KERNELS = {"classic": ("stock", "classic"), "mglru": ("stock", "mglru"),
           "ours": ("ours", "mglru"), "ours-off": ("ours", "classic"), "rival": ("rival", "mglru")}
IMAGE_VARIABLES = {"ours": "KERNEL_IMAGE", "stock": "STOCK_IMAGE", "rival": "RIVAL"}
TIMEOUT = 1800          # host seconds a guest may take
BEAT = 15               # seconds between two signs of life
SCREEN = threading.Lock()


@dataclass
class Benchmark:
    """What one benchmark is, to the runner."""
    name: str
    cases: tuple
    setup: Callable             # (case, plan): Setup
    table: type                 # of figures.Table
    clock: str = "host"         # unless CLOCK says otherwise
    quick: tuple = ()           # cases of QUICK=1, if it knows that
    kernels: tuple = ("classic", "mglru", "ours")   # unless KERNELS says otherwise
    before: Callable = None     # (env): once, before anything is run; may fail()
    after: Callable = None      # (): when all is stored

    @property
    def store(self):
        return os.path.join(ROOT, "build", "results", self.name)


def fail(text):
    print(f"{os.path.basename(sys.argv[0])}: error: {text}", file=sys.stderr)
    sys.exit(2)


def say(text):
    with SCREEN:
        print(text, flush=True)


def flag(env, name):
    if env.get(name, "") not in ("", "0", "1"):
        fail(f'{name} is 0 or 1, not "{env[name]}"')
    return env.get(name) == "1"


class Plan:
    """What the environment asks for, checked."""

    def __init__(self, benchmark, env):
        self.benchmark = benchmark
        self.quick = bool(benchmark.quick) and flag(env, "QUICK")
        self.cases = self.words(env, "CASES", benchmark.cases,
                                benchmark.quick if self.quick else benchmark.cases)
        rival = ("rival",) if env.get("RIVAL") else ()
        self.kernels = self.words(env, "KERNELS", list(KERNELS), benchmark.kernels + rival)
        if "rival" in self.kernels and not rival:
            fail("KERNELS: rival needs RIVAL=FILE, its kernel image")
        self.seed = self.number(env, "SEED", 0, 0)
        self.clock = env.get("CLOCK") or benchmark.clock
        if self.clock not in ("icount", "host"):
            fail(f'CLOCK is icount or host, not "{self.clock}"')
        self.jobs = self.number(env, "JOBS", os.cpu_count() if self.clock == "icount" else 1, 1)
        self.fresh = flag(env, "FRESH")
        self.given = {kernel: self.file(env, name) for kernel, name in IMAGE_VARIABLES.items()
                      if env.get(name)}

    @staticmethod
    def words(env, name, known, default):
        found = env.get(name, "").split() or list(default)
        for word in found:
            if word not in known:
                fail(f'{name}: "{word}" is none of {" ".join(known)}')
        return [w for w in known if w in found]

    @staticmethod
    def number(env, name, default, least):
        text = env.get(name) or str(default)
        if not text.isdigit() or int(text) < least:
            fail(f'{name} is a whole number, at least {least}, not "{text}"')
        return int(text)

    @staticmethod
    def file(env, name):
        if not os.path.isfile(env[name]):
            fail(f"{name}: there is no file {env[name]}")
        return os.path.abspath(env[name])

    def images(self):
        """{stock, ours: kernel image}; what is not given is built."""
        wanted = {KERNELS[k][0] for k in self.kernels}
        for name in sorted(wanted - set(self.given)):
            build(name)
        return {n: self.given.get(n) or
                os.path.join(ROOT, "build/kernel", n, "arch/x86/boot/bzImage") for n in wanted}


def build(name):
    steps = [["lab/base"]] if name == "stock" else [["lab/tree"]]
    for command in [*steps, ["lab/kernel", name]]:
        if subprocess.run(command, cwd=ROOT).returncode:
            fail(f"{' '.join(command)} failed: no kernel '{name}'")


def digest(paths, text=""):
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as f:
            found.update(f.read())
    found.update(text.encode())
    return found.hexdigest()[:16]


def program_files(name):
    """What a program of lab/tools is compiled from."""
    def found(pattern):
        return sorted(glob.glob(os.path.join(ROOT, "lab/tools", pattern)))
    own = found(f"{name}.c") + found(f"{name}/*.[ch]")
    if not own:
        fail(f"there is no program {name} in lab/tools")
    return own + found("common/*.[ch]")


def load_digest(setup):
    """What a load is made of: results of another one are not comparable."""
    guest = [os.path.join(ROOT, "lab/guest.d", n) for n in (setup.script, *setup.libraries)]
    tools = [path for name in setup.programs for path in program_files(name)]
    return digest(guest + tools, setup.keyed)


class Run:
    """One case on one kernel."""

    def __init__(self, plan, case, kernel):
        self.plan, self.case, self.kernel = plan, case, kernel
        benchmark = plan.benchmark
        self.setup = benchmark.setup(case, plan)
        self.clock = "icount" if self.setup.counting else plan.clock
        self.load = load_digest(self.setup)
        self.name = f"{benchmark.name}-{case}-{kernel}"
        self.name += f"-seed{plan.seed}" if plan.seed else ""
        self.name += f"-{self.clock}" if self.clock != benchmark.clock else ""
        self.name += "-quick" if plan.quick else ""
        self.json = os.path.join(benchmark.store, self.name + ".json")
        self.text = self.json.replace(".json", ".txt")

    def command(self, image):
        clock = ["--icount"] if self.clock == "icount" else ["--smp", str(self.setup.processors)]
        mode = KERNELS[self.kernel][1]
        return [os.path.join(ROOT, "lab/guest"), "--bzimage", image, "--mem", self.setup.memory,
                *clock, *self.setup.options, "--timeout", str(TIMEOUT), "--log", self.name,
                "--quiet", "--results", self.text, self.setup.script, mode,
                *map(str, self.setup.arguments)]

    def go(self, image):
        if self.setup.needs_aging and KERNELS[self.kernel][1] == "classic":
            return {"not_applicable": True}
        began = time.monotonic()
        for path in (self.json, self.text):
            if os.path.exists(path):
                os.unlink(path)
        done = subprocess.run(self.command(image), cwd=ROOT, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        seconds = time.monotonic() - began
        if done.returncode:
            return self.failed(done, seconds)
        results.keep(self.text, self.json, case=self.case, kernel=self.kernel,
                     seed=self.plan.seed, clock=self.clock, load=self.load,
                     image=digest([image]), date=now(), host_seconds=round(seconds, 1))
        say(f"   {self.name}: {seconds:.0f} s")
        found = self.read()
        history = os.path.join(os.path.dirname(self.json), "history.jsonl")
        with open(history, "a", encoding="utf-8") as f:
            f.write(json.dumps(found) + "\n")
        return found

    def failed(self, done, seconds):
        """The reason in one line: the guest script's own word, if it had one."""
        said = (done.stderr or done.stdout).strip().split("\n")
        reasons = [line.strip(" |") for line in said if ".sh: error: " in line] or [
            line for line in said if line.startswith(("guest ", "lab/guest: "))]
        say("\n".join(f"   | {line}" for line in said[-8:]))
        say(f"   {self.name}: ERROR, status {done.returncode}, after {seconds:.0f} s")
        return f"{self.name}: {(reasons or said)[0]} (log: build/log/guest-{self.name}.log)"

    def read(self):
        with open(self.json, encoding="utf-8") as f:
            return json.load(f)

    def stored(self):
        """An earlier result that was got in the same way, or None."""
        if not os.path.exists(self.json):
            return None
        found = self.read()
        return {**found, "earlier": True} if found.get("load") == self.load else None


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def beat(pending, total, began):
    while pending and not pending["stop"].wait(BEAT):
        say(f"   {time.monotonic() - began:.0f} s: {pending['done']} of {total} runs are done")


def run_all(plan, images):
    runs = [Run(plan, c, k) for c in plan.cases for k in plan.kernels]
    began = time.monotonic()
    state = {"stop": threading.Event(), "done": 0}
    threading.Thread(target=beat, args=(state, len(runs), began), daemon=True).start()
    found = {}
    with concurrent.futures.ThreadPoolExecutor(plan.jobs) as pool:
        tasks = {pool.submit(r.go, images[KERNELS[r.kernel][0]]): r for r in runs}
        try:
            for task in concurrent.futures.as_completed(tasks):
                run = tasks[task]
                found[run.case, run.kernel] = task.result()
                state["done"] += 1
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
    state["stop"].set()
    return found


def shown_kernels(plan, found):
    """The kernels of this run, and those with stored results, which are added."""
    out = []
    for kernel in KERNELS:
        if kernel in plan.kernels:
            out.append(kernel)
            continue
        stored = {(c, kernel): Run(plan, c, kernel).stored() for c in plan.cases}
        stored = {k: v for k, v in stored.items() if v}
        if stored and not plan.fresh:
            found.update(stored)
            out.append(kernel)
    return out


def make_table(plan, found):
    table = plan.benchmark.table(found, shown_kernels(plan, found), plan.cases)
    table.judged = not plan.quick
    table.add_all()
    return table


def report(plan, found):
    table = make_table(plan, found)
    lines = [table.text(), ""]
    if any(isinstance(r, dict) and r.get("earlier") for r in found.values()):
        lines.append("* stored result of an earlier run of the same load")
    lines += table.notes()
    off = table.deviations()
    if off and plan.seed == 0 and not plan.quick:
        lines += ["", "Stock kernels against what was published of them:",
                  *(f"  {line}" for line in off)]
    errors = sorted(r for r in found.values() if isinstance(r, str))
    lines += [f"ERROR: {e}" for e in errors]
    passed = sum(v == "pass" for v in table.verdicts)
    missed = sum(v.startswith("FAIL") for v in table.verdicts)
    lines.append(f"ours: {passed} targets reached, {missed} missed, "
                 f"{len(table.verdicts) - passed - missed} not judged; {len(errors)} errors")
    return lines, 2 if errors else 1 if missed else 0


def keep(plan, found, lines, status):
    """The whole run and its table, in build/results/."""
    whole = {"date": now(), "cases": plan.cases, "kernels": plan.kernels, "seed": plan.seed,
             "clock": plan.clock, "status": status, "table": lines,
             "runs": {f"{c} {k}": r for (c, k), r in found.items()}}
    if plan.quick:
        whole["quick"] = True
    with open(plan.benchmark.store + ".json", "w", encoding="utf-8") as f:
        json.dump(whole, f, indent=1)
    with open(plan.benchmark.store + ".txt", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def execute(plan):
    benchmark = plan.benchmark
    os.makedirs(benchmark.store, exist_ok=True)
    images = plan.images()
    if subprocess.run([os.path.join(ROOT, "lab/initramfs")]).returncode:
        fail("lab/initramfs failed (see above)")
    began = time.monotonic()
    say(f"== {benchmark.name}: {len(plan.cases)} cases on {' '.join(plan.kernels)}, "
        f"seed {plan.seed}, clock {plan.clock}, {plan.jobs} at a time")
    found = run_all(plan, images)
    lines, status = report(plan, found)
    print("\n" + "\n".join(lines))
    keep(plan, found, lines, status)
    print(f"   {time.monotonic() - began:.0f} s; the runs are in build/results/{benchmark.name}/",
          flush=True)
    return status


def main(benchmark, doc):
    if len(sys.argv) > 1:
        print(doc)
        sys.exit(0 if sys.argv[1:] in (["-h"], ["--help"]) else 2)
    plan = Plan(benchmark, os.environ)
    if benchmark.before:
        benchmark.before(os.environ)
    try:
        status = execute(plan)
    except KeyboardInterrupt:
        sys.exit(f"\n{benchmark.name}: interrupted")
    if benchmark.after:
        status = max(status, benchmark.after())
    sys.exit(status)
