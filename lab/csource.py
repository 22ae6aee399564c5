"""Just enough C reading for the checks: tokens with lines, functions, structs.

No preprocessor: directives are blanked, macros are taken as they are written.
"""
import re
from dataclasses import dataclass, field

_COMMENT_OR_LITERAL = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
_DIRECTIVE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*', re.M)
_TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\.?\d[\w.]*'
    r'|\.\.\.|<<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|\S')
_CONTROL = {'if', 'for', 'while', 'switch'}
OPEN, CLOSE = '([{', ')]}'


def _blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def without_comments(text):
    """The text with comments blanked; lines stay where they are."""
    return _COMMENT_OR_LITERAL.sub(
        lambda m: m.group() if m.group()[0] in '"\'' else _blank(m), text)


def tokens(text):
    """[(token, line)] of the code: no comments, no preprocessor directives."""
    code = _DIRECTIVE.sub(_blank, without_comments(text))
    out = []
    for number, line in enumerate(code.split('\n'), 1):
        out.extend((t, number) for t in _TOKEN.findall(line))
    return out


@dataclass
class Function:
    """One function definition."""
    name: str
    static: bool
    first: int                  # line its signature starts on
    last: int                   # line of its closing brace
    params: list = field(default_factory=list)
    depth: int = 0              # control statements nested in one another

    @property
    def lines(self):
        return self.last - self.first + 1


def skip_group(toks, i):
    """Index after the group which opens at i."""
    level = 0
    while i < len(toks):
        if toks[i][0] in OPEN:
            level += 1
        elif toks[i][0] in CLOSE:
            level -= 1
            if level == 0:
                return i + 1
        i += 1
    return i


class _Nesting:
    """Finds how deep control statements nest, with or without braces."""

    def __init__(self, toks):
        self.toks, self.deepest = toks, 0

    def at(self, i):
        return self.toks[i][0] if i < len(self.toks) else ''

    def block(self, i, depth):
        i += 1
        while i < len(self.toks) and self.at(i) != '}':
            i = self.statement(i, depth)
        return i + 1

    def inner(self, i, depth):
        self.deepest = max(self.deepest, depth + 1)
        return self.statement(i, depth + 1)

    def statement(self, i, depth):
        tok = self.at(i)
        if tok == '{':
            return self.block(i, depth)
        if tok == 'do':
            return self.plain(self.inner(i + 1, depth))
        if tok in _CONTROL:
            i = self.inner(skip_group(self.toks, i + 1), depth)
            return self.otherwise(i, depth) if self.at(i) == 'else' else i
        if tok in ('case', 'default'):
            while self.at(i) not in (':', ''):
                i += 1
            return i + 1
        if self.at(i + 1) == ':' and self.at(i + 2) != ':':
            return i + 2        # a label
        if self.at(i + 1) == '(' and self.loop_macro(tok, i):
            return self.inner(skip_group(self.toks, i + 1), depth)
        return self.plain(i)

    def otherwise(self, i, depth):
        step = self.statement if self.at(i + 1) == 'if' else self.inner
        return step(i + 1, depth)

    def loop_macro(self, tok, i):
        after = self.at(skip_group(self.toks, i + 1))
        return after == '{' or ('for_each' in tok and after != ';')

    def plain(self, i):
        while i < len(self.toks) and self.at(i) not in (';', '}'):
            i = skip_group(self.toks, i) if self.at(i) in OPEN else i + 1
        return i + 1 if self.at(i) == ';' else i


def _split_params(toks):
    parts, part, level = [], [], 0
    for tok, _ in toks:
        level += (tok in OPEN) - (tok in CLOSE)
        if tok == ',' and level == 0:
            parts.append(part)
            part = []
        else:
            part.append(tok)
    parts.append(part)
    return [] if parts in ([[]], [['void']]) else [' '.join(p) for p in parts]


def _function(toks, start, brace, end):
    """The Function whose header is toks[start:brace], or None."""
    head = [t for t, _ in toks[start:brace]]
    if '(' not in head or '=' in head or head[0] in ('enum', 'typedef'):
        return None
    paren = start + head.index('(')
    while toks[paren - 1][0] in ('__attribute__', '__aligned', '__printf'):
        paren = next((k for k in range(skip_group(toks, paren), brace)
                      if toks[k][0] == '('), None)
        if paren is None:
            return None
    close = skip_group(toks, paren)
    fn = Function(toks[paren - 1][0], 'static' in head, toks[start][1],
                  toks[end - 1][1], _split_params(toks[paren + 1:close - 1]))
    walk = _Nesting(toks[:end])
    walk.block(brace, 0)
    fn.depth = walk.deepest
    return fn


def top_level(toks):
    """Yields (start, brace or None, end) of every top-level declaration."""
    i = start = 0
    brace = None
    while i < len(toks):
        tok = toks[i][0]
        if tok == '{':
            brace = i if brace is None else brace
            i = skip_group(toks, i)
            if _ends_at_brace(toks, start, brace):
                yield start, brace, i
                start, brace = i, None
            continue
        i = skip_group(toks, i) if tok in '([' else i + 1
        if tok == ';':
            yield start, brace, i
            start, brace = i, None


def _ends_at_brace(toks, start, brace):
    head = [t for t, _ in toks[start:brace]]
    return '(' in head and '=' not in head and toks[brace - 1][0] != '='


def functions(text):
    """Every function defined in the text."""
    toks = tokens(text)
    found = (_function(toks, s, b, e) for s, b, e in top_level(toks) if b)
    return [f for f in found if f]


def structs(text):
    """[(name, line)] of every struct or union defined at the top level."""
    toks, out = tokens(text), []
    for start, brace, _ in top_level(toks):
        if brace is None or brace - start < 2:
            continue
        kind, name = toks[brace - 2][0], toks[brace - 1]
        if kind in ('struct', 'union'):
            out.append((name[0], toks[start][1]))
    return out


def globals_defined(text):
    """[(name, line)] of variables with external linkage defined in the text."""
    toks, out = tokens(text), []
    for start, brace, end in top_level(toks):
        head = [t for t, _ in toks[start:end - 1]]
        if not head or head[0] in ('static', 'extern', 'typedef', 'enum'):
            continue
        if '=' in head and '(' not in head[:head.index('=')]:
            before = head[:head.index('=')]
            while before and before[-1] == ']':
                before = before[:before.index('[')]
            out.append((before[-1], toks[start][1]))
        elif head[0].startswith('DEFINE_') and brace is None and len(head) > 2:
            names = _split_params(toks[start + 2:end - 2])
            nth = 1 if 'PER_CPU' in head[0] or 'MAYBE' in head[0] else 0
            out.append((names[nth], toks[start][1]))
    return out
