"""The picture of a benchmark: what is needed for it, before and after the runs.

A program NAME-picture draws what build/results/NAME.json holds, or another such
file. It is run by Debian's own Python, since Debian's matplotlib is of it; nothing
here needs that.
"""
import json
import os
import subprocess
import sys

import bench

NAMES = {"classic": "classic LRU", "mglru": "upstream's multi-gen LRU", "ours": "ours",
         "ours-off": "ours, switched off"}
COLOURS = {"classic": "#4c78a8", "mglru": "#f58518", "ours": "#54a24b", "ours-off": "#b279a2"}


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

    def draw(self, *arguments):
        """The status: 0, or 2 if there is no picture."""
        if not self.is_wanted(os.environ):
            return 0
        return 2 if subprocess.run([self.program, *arguments]).returncode else 0


def asked(doc):
    """What to draw: (JSON file, path of the picture without suffix), from the arguments of
    a program of pictures. None: only to see whether drawing works."""
    if sys.argv[1:] == ["--try"]:
        return None
    if len(sys.argv) == 3:
        return sys.argv[1], sys.argv[2]
    if len(sys.argv) > 1:
        sys.exit(doc)
    base = os.path.join(bench.ROOT, "build", "results", program().removesuffix("-picture"))
    return base + ".json", base


def program():
    return os.path.basename(sys.argv[0])


def shown(path):
    return os.path.relpath(path, bench.ROOT)


def read(path, part):
    """The JSON of a run, if it has that part."""
    try:
        with open(path, encoding="utf-8") as f:
            found = json.load(f)
        if part in found:
            return found
        error = f"no {part} in it"
    except (OSError, ValueError) as why:
        error = getattr(why, "strerror", None) or why
    sys.exit(f"{program()}: error: {shown(path)}: {error}: is there a run to draw?")


def runs_of(found, cases):
    """{case: {kernel: run}} of those cases that were run."""
    out = {case: {} for case in cases}
    for name, run in found["runs"].items():
        case, kernel = name.split()
        if case in out and isinstance(run, dict):
            out[case][kernel] = run
    return {case: of for case, of in out.items() if of}


def save(base, pyplot):
    """The same data give the same files."""
    pyplot.rcParams["svg.hashsalt"] = "lru_gen"
    pyplot.savefig(f"{base}.png", dpi=120)
    pyplot.savefig(f"{base}.svg", metadata={"Date": None})
    print(f"   the picture: {shown(base)}.png and .svg")
