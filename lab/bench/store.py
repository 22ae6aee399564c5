"""What `make bench` keeps in build/bench/: runs of several repetitions, as JSON.

bench.json        the latest `make bench`
  schema          SCHEMA
  date, command   of it
  base, commit    version of the kernel source; this repository's commit, "+" if edited
  host            {cpus, model, memory_mib, system, qemu}
  images          {stock, ours: digest of the kernel image}; all runs are of these
NAME-N.json       repetition N (1, 2, ..) of a benchmark, the seed N - 1
NAME-N-quick.json the same with the shorter loads of QUICK=1
  schema, benchmark, repetition, quick
  runs            {"CASE KERNEL": run}: what lab/bench/NAME stores of a run, and
                  others, per cent of the host's processors that other work had in
                  the meantime; or a text: why it failed
results.json      made of them by combine.py: a row for each figure
                  {benchmark, case, figure, quick, clock, target, way, command,
                  kernels: {KERNEL: {values, median, why, text}}, verdict,
                  verdicts (of each repetition), compared: {KERNEL: better, worse, same}}
earlier/DATE/     the same, of a run before: of other kernels, or before FRESH=1
"""
import json
import os
import re

import bench

SCHEMA = 1
DIR = os.path.join(bench.ROOT, "build", "bench")
FACTS = {"schema": int, "date": str, "command": str, "base": str, "commit": str, "host": dict,
         "images": dict}
PART = {"schema": int, "benchmark": str, "repetition": int, "quick": bool, "runs": dict}
RUN = {"case": str, "kernel": str, "clock": str, "load": str, "image": str, "date": str,
       "host_seconds": (int, float), "others": (int, float)}
NAME = re.compile(r"([a-z]+)-([1-9][0-9]*)(-quick)?\.json")


class Broken(Exception):
    """A file that is not what it should be: its name and why."""


def shown(path):
    return os.path.relpath(path, bench.ROOT)


def read(path, fields):
    """A JSON object with these fields."""
    try:
        with open(path, encoding="utf-8") as f:
            found = json.load(f)
    except OSError as error:
        raise Broken(f"{shown(path)}: {error.strerror}") from None
    except ValueError as error:
        raise Broken(f"{shown(path)}: no JSON: {error}") from None
    check(shown(path), found, fields)
    if found["schema"] != SCHEMA:
        raise Broken(f"{shown(path)}: schema {found['schema']}, not {SCHEMA}")
    return found


def check(where, found, fields):
    if not isinstance(found, dict):
        raise Broken(f"{where}: no JSON object")
    for name, kind in fields.items():
        if not isinstance(found.get(name), kind):
            raise Broken(f'{where}: there is no "{name}", or not what it should be')


def write(path, found):
    """Through a temporary name, so that it is old or new, never half."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(found, f, indent=1)
        f.write("\n")
    os.replace(path + ".new", path)


class Part:
    """A repetition of a benchmark, with its whole or its shorter loads."""

    def __init__(self, benchmark, repetition, quick, where=DIR):
        self.benchmark, self.repetition, self.quick = benchmark, repetition, quick
        self.path = os.path.join(where, f"{benchmark.name}-{repetition}"
                                        f"{'-quick' if quick else ''}.json")
        self.runs = {}              # {(case, kernel): run, or why it failed}
        if os.path.exists(self.path):
            self.load()

    def load(self):
        found = read(self.path, PART)
        for name in ("benchmark", "repetition", "quick"):
            want = self.benchmark.name if name == "benchmark" else getattr(self, name)
            if found[name] != want:
                raise Broken(f"{shown(self.path)}: {name} is {found[name]} in it")
        for name, run in found["runs"].items():
            self.runs[self.key(name)] = self.checked(name, run)

    def key(self, name):
        case, _, kernel = name.partition(" ")
        if case not in self.benchmark.cases or kernel not in bench.KERNELS:
            raise Broken(f'{shown(self.path)}: "{name}" is no case and kernel')
        return case, kernel

    def checked(self, name, run):
        if isinstance(run, str) or isinstance(run, dict) and run.get("not_applicable"):
            return run
        check(f"{shown(self.path)}: {name}", run, RUN)
        if (run["case"], run["kernel"]) != self.key(name):
            raise Broken(f"{shown(self.path)}: {name} is a run of {run['case']} {run['kernel']}")
        return run

    def measured(self):
        """The runs that came to something, without those that do not apply."""
        return [r for r in self.runs.values() if isinstance(r, dict) and "image" in r]

    def keep(self):
        ordered = ((c, k) for c in self.benchmark.cases for k in bench.KERNELS)
        write(self.path, {"schema": SCHEMA, "benchmark": self.benchmark.name,
                          "repetition": self.repetition, "quick": self.quick,
                          "runs": {" ".join(key): self.runs[key] for key in ordered
                                   if key in self.runs}})


def facts(where=DIR):
    path = os.path.join(where, "bench.json")
    if not os.path.exists(path):
        raise Broken(f"{shown(path)} is not there: run make bench")
    return read(path, FACTS)


def parts(benchmarks, where=DIR):
    """All that is kept, in order; of the kernels that bench.json names, or it is refused."""
    known = {b.name: b for b in benchmarks}
    names = (NAME.fullmatch(n) for n in (os.listdir(where) if os.path.isdir(where) else ()))
    found = sorted((list(known).index(n[1]), int(n[2]), bool(n[3])) for n in names
                   if n and n[1] in known)
    out = [Part(benchmarks[at], number, quick, where) for at, number, quick in found]
    images = facts(where)["images"] if out else {}
    for part in out:
        for run in part.measured():
            if run["image"] != images.get(bench.KERNELS[run["kernel"]][0]):
                raise Broken(f"{shown(part.path)}: {run['case']} {run['kernel']} is of another "
                             "kernel than bench.json: run make bench")
    return out


def earlier(benchmarks, where=DIR):
    """[(date, images, parts)] of what was set aside, the latest first."""
    below = os.path.join(where, "earlier")
    found = []
    for name in os.listdir(below) if os.path.isdir(below) else ():
        aside = os.path.join(below, name)
        said = facts(aside)
        found.append((said["date"], said["images"], parts(benchmarks, aside)))
    return sorted(found, key=lambda run: run[0], reverse=True)


def set_aside(where=DIR):
    """What is kept of another run: it stays, below earlier/; where."""
    date = re.sub(r"\D+", "-", facts(where)["date"]).strip("-")
    aside = os.path.join(where, "earlier", date)
    number = 1
    while os.path.exists(aside):
        number += 1
        aside = os.path.join(where, "earlier", f"{date}-{number}")
    os.makedirs(aside)
    for name in os.listdir(where):
        if name.endswith((".json", ".png", ".svg")):
            os.rename(os.path.join(where, name), os.path.join(aside, name))
    return shown(aside)
