"""What the checks written in Python share: cases, each with a result line."""

import os
import shutil
import subprocess


class Wrong(Exception):
    """What was found instead."""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write(text)


def fresh(tmp):
    shutil.rmtree(tmp, ignore_errors=True)
    os.makedirs(tmp)


def same(what, got, want):
    if got != want:
        raise Wrong(f'{what}: {got}, but {want} was expected')


def judge(check, cases, argument):
    """A result line a case; the status."""
    failed = 0
    for case, what in cases:
        try:
            said = case(argument)
            print(f'ok - {check}: {what}' + (f' ({said})' if said else ''), flush=True)
        except (Wrong, subprocess.TimeoutExpired) as wrong:
            failed = 1
            print('  ' + str(wrong).replace('\n', '\n  '))
            print(f'not ok - {check}: {what}: ' + str(wrong).split('\n', maxsplit=1)[0], flush=True)
    return failed
