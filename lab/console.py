"""What a guest's kernel says on its console: read as it grows, and judged."""
import re

# Only in the kernel's own lines (time stamp first), so that a script may print
# such words. A terminal line may be torn by a kernel line, so search, not match.
KERNEL_LINE = re.compile(r'\[ *\d+\.\d{6}\](?:\[ *[TC]\d+\])? (.*)')
SPLATS = re.compile('|'.join((
    r'\bBUG:', r'kernel BUG at', r'WARNING:', r'\bOops\b', r'general protection fault',
    r'possible (?:circular|recursive|irq|deadlock)', r'inconsistent lock state',
    r'suspicious RCU usage', r'INFO: lockdep is turned off', r'DEBUG_LOCKS_WARN_ON',
    r'INFO: trying to register non-static key', r'soft lockup', r'hard LOCKUP',
    r'blocked for more than', r'detected (?:expedited )?stalls?', r'self-detected stall',
    r'rcu_\w+ kthread (?:starved|timer wakeup)', r'\bKASAN\b:', r'\bUBSAN\b:', r'\bKFENCE\b:',
    r'[Bb]ad page (?:state|map|cache)', r'[Bb]ad (?:swap|rss-counter)',
    r'list_(?:add|del) corruption', r'refcount_t:', r'double fault', r'invalid opcode',
    r'scheduling while atomic', r'unable to handle', r'page dumped because',
    r'stack (?:segment|guard page)', r'memory leak', r'Object already free')))
RACE = re.compile(r'BUG: KCSAN: ')
PANIC_LINE = re.compile(r'Kernel panic - not syncing: (.*)')
# What boots with such words in its own name.
NO_SPLAT = re.compile(r'KASAN: .*initialized|kasan: |Kernel command line|Unknown kernel command line'
                      r'|kmemleak: Kernel memory leak detector (?:initialized|disabled)'
                      # what memory that is to be taken away says if it cannot
                      r'|page dumped because: (?:unmovable page|isolation failed|migration failure)'
                      # what the test of get_user_pages prints when asked to
                      r'|page dumped because: gup_test')


class Console:
    """The console's log as it grows."""

    def __init__(self, path):
        self.file = open(path, 'rb')
        self.rest = b''
        self.last = ''

    def lines(self, final=False):
        self.rest += self.file.read()
        parts = self.rest.split(b'\n')
        self.rest = parts.pop()
        if final and self.rest:
            parts.append(self.rest)
            self.rest = b''
        for raw in parts:
            line = raw.decode('utf-8', 'replace').replace('\r', '')
            if line.strip():
                self.last = line
                yield line


class Verdict:
    """Collects what goes wrong; splat lines keep what follows them."""

    def __init__(self, races=None):
        self.races = races      # how many, or None where each is a splat
        self.splats = []
        self.context = []
        self.panic = None
        self.seen = set()

    def read(self, line, keep_context=True):
        found = KERNEL_LINE.search(line)
        if not found:
            return
        text = found[1]
        panic = PANIC_LINE.search(text)
        if panic and self.panic is None:
            self.panic = panic[1]
        if self.races is not None and RACE.match(text):
            self.races += text not in self.seen
        elif SPLATS.search(text) and not NO_SPLAT.search(text):
            if text not in self.seen:
                self.splats.append(text)
        self.seen.add(text)
        if keep_context and self.splats and len(self.context) < 40:
            self.context.append(text)
