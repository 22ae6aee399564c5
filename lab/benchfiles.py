"""Runs as build/bench has them, laid from recorded ones, and what is made of them."""

import copy
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'lab/bench'))
import bench  # noqa: E402
import repeats  # noqa: E402
import store  # noqa: E402
from checking import Wrong, fresh, write  # noqa: E402

TMP = os.path.join(ROOT, 'build/tmp/check-bench')
RECORDED = os.path.join(ROOT, 'lab/check/recorded/bench-engine.jsonl')
PROGRAM = os.path.join(ROOT, 'lab/bench/all')
REFAULTS = 'stat.workingset_refault_file'
MORE = (3000, 0, 500)           # refaults of ours, of the three repetitions
IMAGES = {'stock': '0123456789abcdef', 'ours': 'fedcba9876543210'}
FACTS = {'schema': store.SCHEMA, 'date': '2026-11-22 12:00 UTC', 'command': 'make bench',
         'base': '6.12', 'commit': 'abcdef', 'images': IMAGES,
         'host': {'cpus': 2, 'model': 'a model', 'memory_mib': 24000, 'system': 'a system',
                  'qemu': '7.2'}}


def recorded():
    """{"CASE KERNEL": run}"""
    found = {}
    with open(RECORDED, encoding='utf-8') as f:
        for run in map(json.loads, f):
            run.update(image=IMAGES[bench.KERNELS[run['kernel']][0]], others=2.5)
            found[f"{run['case']} {run['kernel']}"] = run
    return found


def repetition(number, change=None):
    """The JSON of a file, changed as asked."""
    runs = copy.deepcopy(recorded())
    runs['zipfmmap ours'][REFAULTS] += MORE[number - 1]
    part = {'schema': store.SCHEMA, 'benchmark': 'engine', 'repetition': number, 'quick': False,
            'runs': runs}
    if change:
        change(number, part)
    return part


def lay(name, change=None, more=None):
    """A directory as build/bench, {file: text} more; its path."""
    where = os.path.join(TMP, name)
    fresh(where)
    files = {'bench.json': json.dumps(FACTS)}
    files.update({f'engine-{n}.json': json.dumps(repetition(n, change)) for n in (1, 2, 3)})
    for file, text in {**files, **(more or {})}.items():
        write(os.path.join(where, file), text)
    return where


def run(*args, **env):
    known = {k: v for k, v in os.environ.items() if k not in repeats.OURS + repeats.NOT_OURS}
    return subprocess.run([sys.executable, PROGRAM, *args], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=300,
                          env={**known, 'PICTURE': '0', **env})


def report(where, target='page.md', status=1, **env):
    """The page's text; a missed target makes status 1."""
    target = os.path.join(where, target)
    done = run('--report', where, target, **env)
    if done.returncode != status or done.stderr:
        raise Wrong(f'status {done.returncode}, {done.stderr.strip()[-300:]}')
    with open(target, encoding='utf-8') as f:
        return f.read()


def rows_of(where):
    """{(benchmark, case, figure): row} of results.json."""
    with open(os.path.join(where, 'results.json'), encoding='utf-8') as f:
        return {(r['benchmark'], r['case'], r['figure']): r for r in json.load(f)['rows']}


def section(text, title):
    return re.search(rf'^## {re.escape(title)}\n(.*?)(?=^## |\Z)', text, re.M | re.S)[1]


def lines(text, *words):
    """Cells of the lines of tables that begin with these cells."""
    split = [[cell.strip() for cell in line.strip('| \n').split(' | ')]
             for line in text.splitlines() if line.startswith('| ')]
    return [cells for cells in split if cells[:len(words)] == list(words)]


def line(text, *words):
    found = lines(text, *words)
    if len(found) != 1:
        raise Wrong(f'{len(found)} lines of {" ".join(words)}')
    return found[0]


def has(text, *words):
    for word in words:
        if word not in text:
            raise Wrong(f"there is no '{word}' in: {text.strip()[:300]}")
