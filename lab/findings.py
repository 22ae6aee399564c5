"""Runs a kernel build over some objects and reads what compilers say.

Findings are compared by file and text, not by line: the same complaint of the
pristine tree is known, one more of its kind is new.
"""
import collections
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILD = os.path.join(ROOT, 'build')
OURS = ('mm/lru_gen/', 'mm/memcg_reclaim/', 'mm/list_lru/', 'mm/shrinker_memcg/', 'mm/reclaim.h',
        'include/linux/lru_gen', 'include/linux/memcg_reclaim',
        'include/trace/events/lru_gen.h')
# No part of the kernel image
ELSEWHERE = ('tools/', 'Documentation/')
# Not in the guest's configuration, but its file is one that the series touches
EXTRA = ('FUSE_FS',)
TREES = 'linux|base|steps'      # below build/

_FINDING = re.compile(r'^(\S+?\.[chS]):(\d+):(?:\d+:)? (?:fatal )?(?:warning|error): (.*)$')
_PREFIX = re.compile(rf'^(?:.*/build/(?:{TREES})/|\./source/|(?:\.\./)+(?:{TREES})/)')
_CHECKED = re.compile(r'^\s+CHECK\s+(\S+?)\.[co]$', re.M)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def is_ours(path):
    return path.startswith(OURS)


def changed_files(old, new):
    """C files of the kernel image which differ between two commits."""
    diff = run('git', '-C', os.path.join(BUILD, 'base'), 'diff', '--name-only',
               '--diff-filter=AM', old, new)
    if diff.returncode:
        raise SystemExit(f'cannot compare {old} and {new}: {diff.stderr}')
    return [f for f in diff.stdout.split() if f.endswith('.c') and '/tests/' not in f
            and not f.startswith((*ELSEWHERE, 'kernel/bounds.c'))]


def objects_of(files):
    return [f[:-1] + 'o' for f in files]


def parse(log):
    """[(path, line, text)] of a build log, each once."""
    hits = (_FINDING.match(line) for line in log.split('\n'))
    return list(dict.fromkeys((_PREFIX.sub('', m[1]), int(m[2]), m[3]) for m in hits if m))


def enable_extra(config):
    with open(config) as have:
        text = have.read()
    for option in EXTRA:
        if f'\nCONFIG_{option}=y' not in text:
            run(os.path.join(BUILD, 'base/scripts/config'), '--file', config, '-e', option)


class Build:
    """lab/kernel over some objects: what was compiled and what was found."""

    def __init__(self, kernel, source, out, goals, *options):
        """goals: objects and make variables."""
        out = os.path.join(BUILD, 'kernel', out)
        common = ['lab/kernel', kernel, *options, '--source', os.path.join(BUILD, source),
                  '--out', out]
        done = run(*common, '--config-only')
        if done.returncode == 0:
            enable_extra(os.path.join(out, '.config'))
            done = run(*common, '--', '-k', *goals)
        path = os.path.join(BUILD, 'log', f'kernel-{kernel}.log')
        with open(path, errors='replace') as log:
            self.log = log.read()
        self.said = done.stdout + done.stderr
        self.failed = done.returncode != 0
        self.found = parse(self.log)
        self.checked = {_PREFIX.sub('', c) for c in _CHECKED.findall(self.log)}

    def keep(self, path):
        with open(path, 'w') as out:
            out.write(self.log + self.said)

    def unchecked(self, objects):
        return [o for o in objects if o[:-2] not in self.checked]

    def kinds(self):
        return collections.Counter((p, _kind(w)) for p, _, w in self.found)

    def new(self, known):
        """Findings in files of ours, and those known (a Counter) has not."""
        known = known.copy()
        for path, line, what in self.found:
            kind = (path, _kind(what))
            known[kind] -= 1
            if is_ours(path) or known[kind] < 0:
                yield f'{path}:{line}: {what}'


def _kind(what):
    return re.sub(r'\d+', 'N', what)
