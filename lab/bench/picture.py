"""The picture of a benchmark: what is needed for it, before and after the runs.

A program NAME-picture draws what build/results/NAME.json holds. It is run by
Debian's own Python, since Debian's matplotlib is of it; nothing here needs that.
"""
import json
import os
import subprocess
import sys

import bench

NAMES = {"classic": "classic LRU", "mglru": "upstream's multi-gen LRU", "ours": "ours",
         "ours-off": "ours, switched off"}


class Picture:
    """Of one benchmark; PICTURE=0 does without."""

    def __init__(self, name):
        self.program = os.path.join(bench.ROOT, "lab", "bench", f"{name}-picture")

    @staticmethod
    def is_wanted(env):
        if env.get("PICTURE", "1") not in ("0", "1"):
            bench.fail(f'PICTURE is 0 or 1, not "{env["PICTURE"]}"')
        return env.get("PICTURE") != "0"

    def can_draw(self):
        return subprocess.run([self.program, "--try"], capture_output=True).returncode == 0

    def prepare(self, env):
        """Before an hour of guests, not after it."""
        if not self.is_wanted(env) or self.can_draw():
            return
        deps = [os.path.join(bench.ROOT, "lab", "deps"), "python3-matplotlib"]
        if subprocess.run(deps, stdin=subprocess.DEVNULL).returncode:
            bench.fail("without matplotlib there is no picture; PICTURE=0 does without it")
        if not self.can_draw():
            bench.fail(f"matplotlib is installed but does not work: {self.program} --try")

    def draw(self):
        """The status: 0, or 2 if there is no picture."""
        if not self.is_wanted(os.environ):
            return 0
        return 2 if subprocess.run([self.program]).returncode else 0


def whole_run(name):
    """What the latest run of the benchmark has stored."""
    try:
        with open(os.path.join(bench.ROOT, "build", "results", f"{name}.json"),
                  encoding="utf-8") as f:
            found = json.load(f)
        if "runs" in found:
            return found
        error = "no runs in it"
    except (OSError, ValueError) as why:
        error = why
    sys.exit(f"{name}-picture: error: build/results/{name}.json: {error}: run make bench-{name}")


def runs_of(found, cases):
    """{case: {kernel: run}} of those cases that were run."""
    out = {case: {} for case in cases}
    for name, run in found["runs"].items():
        case, kernel = name.split()
        if case in out and isinstance(run, dict):
            out[case][kernel] = run
    return {case: of for case, of in out.items() if of}


def save(name, pyplot):
    for kind in ("png", "svg"):
        pyplot.savefig(os.path.join(bench.ROOT, "build", "results", f"{name}.{kind}"), dpi=120)
    print(f"   the picture: build/results/{name}.png and .svg")
