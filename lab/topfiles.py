"""Files that tools/mm/lru_gen_top reads, recorded in a guest, for its two checks."""

import os
import re
import shutil
import subprocess
import sys

from checking import Wrong, write

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(ROOT, 'tools/mm/lru_gen_top')
IMAGE = os.path.join(ROOT, 'build/kernel/ours/arch/x86/boot/bzImage')
RESULTS = os.path.join(ROOT, 'build/results/lru-gen-top')
CG = '/sys/fs/cgroup'
COUNTS = ('refault_anon', 'refault_file', 'scan', 'steal')
# --sort, its key, and what it goes by
ORDERS = {'size': ('m', lambda r: r['anon'] + r['file']), 'anon': ('a', lambda r: r['anon']),
          'file': ('f', lambda r: r['file']),
          'age': ('o', lambda r: -1 if r['age_ms'] is None else r['age_ms']),
          'refault': ('r', lambda r: r['refault_anon'] + r['refault_file']),
          'scan': ('n', lambda r: r['scan']), 'steal': ('t', lambda r: r['steal'])}


class Recording:
    """What the guest sent: files, and its own sums of them."""

    def __init__(self, path, tmp):
        self.tmp = tmp
        self.files, self.rows, self.counts = {}, {}, {}
        with open(path) as f:
            for line in f:
                self.take(line.rstrip('\n').split(' ', 3))

    def take(self, words):
        kind, n = words[0], words[1] if len(words) > 1 else ''
        if kind == 'file':
            self.files.setdefault((n, words[2]), []).append(words[3])
        elif kind == 'end':
            self.files.setdefault((n, words[2]), [])
        elif kind == 'sum':
            node, anon, file, age = words[3].split()
            self.rows[n, words[2], int(node)] = {
                'anon': int(anon), 'file': int(file), 'age_ms': None if age == '-' else int(age)}
        elif kind == 'counts':
            self.counts[n, words[2]] = dict(zip(COUNTS, (int(w) for w in words[3].split())))

    def expected(self, n):
        """(cgroup, node) -> all that the tool should say of it."""
        return {(cg, node): {**row, **self.counts[m, cg]}
                for (m, cg, node), row in self.rows.items() if m == n}

    def lay(self, n, name=None):
        """The files of a recording, as a --root."""
        root = os.path.join(self.tmp, name or f'recording-{n}')
        shutil.rmtree(root, ignore_errors=True)
        for (m, path), lines in self.files.items():
            if m == n:
                write(root + path, ''.join(line + '\n' for line in lines))
        return root


def point(link, root):
    """All files of a --root change at one moment."""
    os.symlink(root, link + '.new')
    os.replace(link + '.new', link)


def in_order(rows, name):
    """The keys of expected() as --sort NAME has them."""
    return sorted(sorted(rows), key=lambda key: -ORDERS[name][1](rows[key]))


def newer(path, *others):
    return os.path.exists(path) and all(
        os.path.getmtime(path) > os.path.getmtime(o) for o in others)


def record(argv, again):
    """A recording: that of the arguments, the last one if it will do, or of a new guest."""
    path = argv[1] if len(argv) > 1 else RESULTS
    if len(argv) > 1 and not os.path.isfile(path):
        raise Wrong(f'there is no recording {path}')
    script = os.path.join(ROOT, 'lab/guest.d/lrugentop.sh')
    if len(argv) < 2 and (again or not newer(path, IMAGE, script)):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # By the count of instructions: a busy host makes no difference
        for command in (['lab/kernel', 'ours'],
                        ['lab/guest', '--kernel', 'ours', '--mem', '512M', '--numa', '2',
                         '--icount', '--timeout', '600', '--results', path,
                         '--log', 'lru-gen-top', 'lrugentop.sh']):
            status = subprocess.run(command, cwd=ROOT).returncode
            if status:
                raise Wrong(f'{" ".join(command[:1])}: status {status}')
    return path
