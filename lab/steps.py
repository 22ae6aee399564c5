"""The series and the trees under build/, for lab/tree, lab/refresh, lab/series.

A step (see patches/) is: a mechanical command, overlay files, a hook diff, in
this order. Trees are made in a temporary index, never in a working tree, so a
step that fails leaves nothing behind. Commits have fixed authors and dates:
the same inputs always give the same commit ids.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")
BASE = os.path.join(BUILD, "base")
LINUX = os.path.join(BUILD, "linux")
SCRATCH = os.path.join(BUILD, "scratch")
PATCHES = os.path.join(ROOT, "patches")
SERIES = os.path.join(PATCHES, "series")
STATE = os.path.join(BUILD, "tree.json")
OVERLAY_DIRS = ["mm", "include", "Documentation", "tools"]
# There, but not in the series: the lab's pages (the kernel's are .rst), editors' files
NO_OVERLAY = (".md", "~", ".swp", ".orig", ".rej", ".tmp")
DIFF = ["-c", "core.quotePath=false", "-c", "diff.noprefix=false", "diff", "--no-color",
        "--no-ext-diff", "--no-textconv", "--no-renames", "--patience", "-U3"]
EPOCH = 1735689600      # pristine's date, 2025-01-01; step n is n minutes later
IDENT = {"NAME": "lru_gen developers", "EMAIL": "lru_gen@lists.example"}


class Failure(Exception):
    """A message for the user; nothing has been changed."""


def git_env(when=EPOCH, index=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    for who in ("AUTHOR", "COMMITTER"):
        for key, value in IDENT.items():
            env["GIT_%s_%s" % (who, key)] = value
        env["GIT_%s_DATE" % who] = "%d +0000" % when
    env["GIT_CONFIG_GLOBAL"] = env["GIT_CONFIG_SYSTEM"] = "/dev/null"
    if index:
        env["GIT_INDEX_FILE"] = index
    return env


def git(*args, cwd=BASE, index=None, when=EPOCH, data=None, ok=(0,), raw=False):
    """Run git; its standard output, stripped unless raw."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogateescape")
    done = subprocess.run(["git"] + list(args), cwd=cwd, env=git_env(when, index), input=data,
                          stdin=subprocess.DEVNULL if data is None else None,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in ok:
        raise Failure("git %s: %s" % (" ".join(args[:3]), decode(done.stderr).strip()))
    return decode(done.stdout) if raw else decode(done.stdout).strip()


def decode(data):
    return data.decode("utf-8", "surrogateescape")


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
        return f.read()


def write(path, text):
    """Write through a temporary name, so that the file is old or new, never half."""
    with open(path + ".tmp", "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
        f.write(text)
    os.replace(path + ".tmp", path)


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


class Step:
    """One file of patches/: message, run, overlay, diff."""

    def __init__(self, name):
        self.name = name
        self.path = os.path.join(PATCHES, name)
        if not os.path.isfile(self.path):
            raise Failure("patches/series names %s, which is not in patches/" % name)
        self.text = read(self.path)
        self.parse()

    def fail(self, why):
        raise Failure("patches/%s: %s" % (self.name, why))

    def parse(self):
        head, line, rest = self.text.partition("\n---\n")
        if not line:
            self.fail("no line '---' between the message and the rest")
        if not head.startswith("Subject: "):
            self.fail("the first line is not 'Subject: ..'")
        subject, _, body = head[len("Subject: "):].partition("\n")
        self.message = subject.strip() + "\n\n" + body.strip() + "\n"
        start = re.search(r"^diff --git ", rest, re.M)
        self.front = head + line + (rest[:start.start()] if start else rest)
        self.diff = rest[start.start():] if start else ""
        self.run, self.overlay = [], []
        for entry in (rest[:start.start()] if start else rest).splitlines():
            key, colon, value = entry.partition(":")
            value = value.split()
            if not entry.strip():
                continue
            if colon and key == "run" and len(value) == 1:
                self.run += value
            elif colon and key == "overlay" and len(value) == 1:
                self.overlay += value
            else:
                self.fail("cannot read the line '%s'" % entry)
        for script in self.run:
            if not os.access(os.path.join(ROOT, script), os.X_OK):
                self.fail("run: %s is no program" % script)

    def files(self):
        """Existing kernel files which the hook diff touches."""
        return re.findall(r"^diff --git a/(\S+) b/", self.diff, re.M)

    def with_diff(self, diff):
        return self.front.rstrip("\n") + "\n\n" + diff if diff else self.front.rstrip("\n") + "\n"


def series_names():
    if not os.path.isfile(SERIES):
        raise Failure("there is no patches/series")
    lines = (line.split("#")[0].strip() for line in read(SERIES).splitlines())
    names = [line for line in lines if line]
    for name in names:
        if names.count(name) > 1:
            raise Failure("patches/series names %s twice" % name)
    if not names:
        raise Failure("patches/series names no step")
    return names


def load_series():
    steps = [Step(name) for name in series_names()]
    check_overlays(steps)
    return steps


def overlay_files():
    found = set()
    for top in OVERLAY_DIRS:
        for where, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if not name.endswith(NO_OVERLAY):
                    found.add(os.path.relpath(os.path.join(where, name), ROOT))
    return found


def check_overlays(steps):
    owner = {}
    for step in steps:
        for path in step.overlay:
            if path in owner:
                step.fail("overlay: %s belongs to %s already" % (path, owner[path]))
            if not os.path.isfile(os.path.join(ROOT, path)):
                step.fail("overlay: %s is not in the repository" % path)
            owner[path] = step.name
    lost = sorted(overlay_files() - set(owner))
    if lost and os.environ.get("PARTIAL", "") not in ("", "0"):
        print("!! PARTIAL=1: in no step: " + ", ".join(lost))
    elif lost:
        raise Failure("no step brings in %s: add a line 'overlay: FILE' to one patches/*.patch"
                      % ", ".join(lost))
    return owner


def load_state():
    try:
        with open(STATE, encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError):
        return {}


def save_state(state):
    write(STATE, json.dumps(state, indent=1, sort_keys=True) + "\n")


class Builder:
    """Makes the commits of the series; remembers what it has made before."""

    def __init__(self, report=print):
        self.report = report
        self.state = load_state()
        self.state.setdefault("steps", {})
        self.state.setdefault("runs", {})
        self.index = os.path.join(BUILD, "tree.index.%d" % os.getpid())
        self.pristine = git("rev-parse", "pristine^{commit}")

    def close(self):
        for suffix in ("", ".lock"):
            if os.path.exists(self.index + suffix):
                os.unlink(self.index + suffix)

    def known(self, commit):
        return subprocess.run(["git", "cat-file", "-e", commit], cwd=BASE, env=git_env(),
                              stderr=subprocess.DEVNULL).returncode == 0

    def tree_of(self, commit):
        return git("rev-parse", commit + "^{tree}")

    def run(self, step, tree):
        """The tree which the step's mechanical commands make of a tree."""
        for script in step.run:
            key = digest(tree, script, read(os.path.join(ROOT, script)))
            if not self.known(self.state["runs"].get(key, "missing")):
                self.report("   %s: %s" % (step.name, script))
                self.state["runs"][key] = self.run_one(step, script, tree)
                save_state(self.state)
            tree = self.state["runs"][key]
        return tree

    def run_one(self, step, script, tree):
        checkout_scratch(tree)
        done = subprocess.run([os.path.join(ROOT, script), SCRATCH], cwd=ROOT, env=git_env(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            step.fail("run: %s failed:\n%s" % (script, decode(done.stdout).rstrip()))
        git("add", "-A", "-f", ".", cwd=SCRATCH)
        return git("write-tree", cwd=SCRATCH)

    def before_diff(self, step, parent):
        """Tree of the step up to its hook diff; also left in the index."""
        tree = self.run(step, self.tree_of(parent))
        git("read-tree", tree, index=self.index)
        entries = []
        for path in step.overlay:
            if git("ls-files", "--", path, index=self.index):
                step.fail("overlay: %s exists in the tree already; change it by a hook diff" % path)
            full = os.path.join(ROOT, path)
            blob = git("hash-object", "-w", "--no-filters", "--", full)
            mode = "100755" if os.access(full, os.X_OK) else "100644"
            entries.append("%s %s\t%s\n" % (mode, blob, path))
        if entries:
            git("update-index", "--index-info", index=self.index, data="".join(entries))
        return git("write-tree", index=self.index)

    def commit(self, step, number, parent, tree):
        return git("commit-tree", tree, "-p", parent, when=EPOCH + 60 * number, data=step.message)

    def apply(self, step):
        """Apply the hook diff to the index."""
        if not step.diff:
            return
        done = subprocess.run(["git", "apply", "--cached", "--whitespace=nowarn", "-"], cwd=BASE,
                              env=git_env(index=self.index), stdout=subprocess.PIPE,
                              input=step.diff.encode("utf-8", "surrogateescape"),
                              stderr=subprocess.PIPE)
        if done.returncode:
            step.fail("its diff does not apply:\n  "
                      + "\n  ".join(decode(done.stderr).strip().splitlines()))

    def key(self, parent, step):
        contents = []
        for path in step.overlay:
            full = os.path.join(ROOT, path)
            contents += [path, str(os.access(full, os.X_OK)), read(full)]
        scripts = [read(os.path.join(ROOT, s)) for s in step.run]
        return digest(parent, step.text, *scripts, *contents)

    def build(self, steps):
        """Commits of all steps, in order; steps made before are not made again."""
        commits, parent = [], self.pristine
        for number, step in enumerate(steps, 1):
            key = self.key(parent, step)
            commit = self.state["steps"].get(key)
            if not commit or not self.known(commit):
                self.before_diff(step, parent)
                self.apply(step)
                commit = self.commit(step, number, parent, git("write-tree", index=self.index))
                self.state["steps"][key] = commit
                save_state(self.state)
            commits.append(commit)
            parent = commit
        return commits


def checkout_scratch(tree):
    """build/scratch: a working tree of the given commit or tree, and of nothing else."""
    if not os.path.exists(os.path.join(SCRATCH, ".git")):
        git("worktree", "prune")
        git("worktree", "add", "-q", "-f", "--detach", "--no-checkout", SCRATCH, "pristine")
    git("read-tree", "--reset", "-u", tree, cwd=SCRATCH)
    git("clean", "-q", "-f", "-d", "-x", cwd=SCRATCH)


def overlay_paths(steps):
    return [path for step in steps for path in step.overlay]


def repair_worktrees():
    """Working trees know each other by absolute path: the clone may have moved."""
    for tree in (LINUX, SCRATCH):
        if os.path.exists(os.path.join(tree, ".git")):
            try:
                git("rev-parse", "--git-dir", cwd=tree)
            except Failure:
                git("worktree", "repair", tree)


def local_edits(ignore):
    """Tracked files edited, or removed, in build/linux; without the overlay."""
    git("update-index", "-q", "--refresh", cwd=LINUX, ok=(0, 1))
    names = git("diff-files", "--name-only", "-z", cwd=LINUX, raw=True)
    return [n for n in names.split("\0") if n and n not in ignore]


def same_as(commit, path):
    """Whether build/linux's file is what the commit has for it."""
    entry = git("ls-tree", commit, "--", path)
    full = os.path.join(LINUX, path)
    if not os.path.lexists(full) or not entry:
        return os.path.lexists(full) == bool(entry)
    if os.path.islink(full) or not os.path.isfile(full):
        return False
    mode, _, blob = entry.split("\t")[0].split()
    executable = bool(os.stat(full).st_mode & 0o100)
    return (mode == "100755") == executable and \
        git("hash-object", "--no-filters", "--", full) == blob


@contextlib.contextmanager
def only_one():
    """One of these programs at a time: they share build/scratch and the refs."""
    os.makedirs(BUILD, exist_ok=True)
    with open(os.path.join(BUILD, "tree.lock"), "w", encoding="utf-8") as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("   waiting for another make tree, refresh or series", flush=True)
            fcntl.flock(f, fcntl.LOCK_EX)
        yield


def fail(name, error):
    sys.stdout.flush()
    print("%s: error: %s" % (name, error), file=sys.stderr)
    sys.exit(1)
