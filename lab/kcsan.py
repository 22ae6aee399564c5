"""Reads the data races that a kernel built with KCSAN reports, and says whose they are.

A report has the stacks of one or two accesses. An access is at the innermost place
of its stack that is not in a helper (a header, lib/); if that line is the series',
the race is. Where a place cannot be told, nobody is cleared.
"""
import bisect
import collections
import os
import re
import subprocess

# With the time (and "dmesg", if the guest has sent it) in front
KERNEL_LINE = re.compile(r'(?:dmesg )?\[ *\d+\.\d{6}\](?:\[ *[TC]\d+\])? ?(.*)')
BEGIN = re.compile(r'BUG: KCSAN: (?:data-race|assert: race) in (.*)')
END = 'Reported by Kernel Concurrency Sanitizer'
ACCESS = re.compile(r'(?:race at unknown origin, with )?((?:read|write|read-write|assert no \w+)'
                    r'(?: \([a-z, ]+\))?) to 0x[0-9a-f]+ of \d+ bytes by ')
FRAME = re.compile(r' +([\w.]+)\+0x([0-9a-f]+)/0x([0-9a-f]+)$')
HELPERS = ('include/', 'lib/', 'arch/x86/include/', 'arch/x86/lib/')
DEPTH = 8               # frames of a stack that are looked up
HUNK = re.compile(r'@@ -\S+ \+(\d+)(?:,(\d+))? @@')
TREE = re.compile(r'^.*?\./source/')    # see lab/cc

OURS, BASE, UNKNOWN = 'ours', 'base', 'unknown'

Frame = collections.namedtuple('Frame', 'symbol offset size')
Place = collections.namedtuple('Place', 'function file line')


class Access:
    """What was done, and by which functions, the innermost first."""

    def __init__(self, kind):
        self.kind = kind
        self.frames = []


class Report:
    """One race; whole only if nothing of it is missing."""

    def __init__(self, title):
        self.title = title
        self.accesses = []
        self.ended = False

    def whole(self):
        expected = 2 if ' / ' in self.title else 1
        return (self.ended and len(self.accesses) == expected
                and all(a.frames for a in self.accesses))

    def pair(self):
        """The functions as the kernel names them, without offsets."""
        return re.sub(r'\+0x\S+', ' / ?', self.title)


def kernel_lines(text):
    hits = (KERNEL_LINE.match(line.rstrip('\r')) for line in text.split('\n'))
    return [hit[1] for hit in hits if hit]


def reports(lines):
    """All reports in the kernel's lines."""
    found, now = [], None
    for line in lines:
        begin, access, frame = BEGIN.match(line), ACCESS.match(line), FRAME.match(line)
        if begin:
            now = Report(begin[1])
            found.append(now)
        elif now and access:
            now.accesses.append(Access(access[1]))
        elif now and frame and now.accesses:
            now.accesses[-1].frames.append(Frame(frame[1], int(frame[2], 16), int(frame[3], 16)))
        elif now and line.startswith(END):
            now.ended, now = True, None
    return found


class Symbols:
    """The places of frames, from a vmlinux with line numbers."""

    def __init__(self, vmlinux):
        self.vmlinux = vmlinux
        out = subprocess.run(['nm', '-n', '--defined-only', vmlinux], check=True,
                             capture_output=True, text=True).stdout
        rows = [line.split() for line in out.splitlines()]
        self.named = collections.defaultdict(list)
        for address, kind, name in rows:
            if kind in 'tTwW':
                self.named[name].append(int(address, 16))
        self.starts = sorted({int(row[0], 16) for row in rows})

    def address(self, frame):
        """Of the call in it; of several functions of the name, the one of the size."""
        starts = self.named.get(frame.symbol, [])
        fitting = [a for a in starts if self.size(a) == frame.size] or starts
        return fitting[0] + frame.offset - 1 if fitting else None

    def size(self, start):
        after = bisect.bisect_right(self.starts, start)
        return self.starts[after] - start if after < len(self.starts) else 0

    def look_up(self, frames):
        """{frame: its places, the innermost first}; what is inlined has one, too."""
        addresses = {f: self.address(f) for f in frames}
        asked = sorted({a for a in addresses.values() if a is not None})
        out = subprocess.run(['addr2line', '-aif', '-e', self.vmlinux], check=True,
                             input='\n'.join(f'{a:#x}' for a in asked),
                             capture_output=True, text=True).stdout
        places = parse_places(out)
        return {f: places.get(a, []) for f, a in addresses.items()}


def parse_places(text):
    """{address: places} from what addr2line -aif prints."""
    found, lines = {}, iter(text.splitlines())
    for line in lines:
        if line.startswith('0x'):
            now = found.setdefault(int(line, 16), [])
            continue
        path, _, number = next(lines).partition(' ')[0].rpartition(':')
        if path != '??' and number.isdigit():
            now.append(Place(line, os.path.normpath(TREE.sub('', path)), int(number)))
    return found


def added_lines(diff):
    """{file: lines that it adds} of a `git diff -U0`."""
    lines, path = collections.defaultdict(set), None
    for line in diff.split('\n'):
        hunk = HUNK.match(line)
        if line.startswith('+++ '):
            path = line[len('+++ b/'):]
        elif hunk:
            first = int(hunk[1])
            lines[path].update(range(first, first + int(hunk[2] or 1)))
    return lines


class Judge:
    """Whose an access, and a report, is."""

    def __init__(self, places, ours):
        self.places, self.ours = places, ours

    def is_ours(self, place):
        return place.line in self.ours.get(place.file, ())

    def chain(self, access):
        """Its places, the innermost first; None where one cannot be told."""
        for frame in access.frames[:DEPTH]:
            yield from self.places.get(frame) or [None]

    def place(self, access):
        """Where it is done."""
        for place in self.chain(access):
            if not place or self.is_ours(place) or not place.file.startswith(HELPERS):
                return place
        return None

    def whose(self, report):
        found = [self.place(a) for a in report.accesses]
        if any(p and self.is_ours(p) for p in found):
            return OURS
        return BASE if report.whole() and all(found) else UNKNOWN

    def describe(self, report):
        """Each access in a few words, in an order that does not depend on who was first."""
        return ' | '.join(sorted(self.words(a) for a in report.accesses)) or report.title

    def words(self, access):
        place = self.place(access)
        where = f'{place.file}:{place.line}' if place else 'a place that cannot be told'
        within = f' {place.function}()' if place else ''
        inner = next(self.chain(access), None)
        via = f', by {inner.function}() {inner.file}:{inner.line}' if inner and inner != place else ''
        return f'{access.kind}{within} {where}{via}'
