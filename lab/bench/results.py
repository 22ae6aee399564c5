#!/usr/bin/env python3
"""Read what a guest brought out: lines of KEY VALUE..., kept as JSON."""
import json
import sys


def number(word):
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def parse(path):
    """{key: value, or list of values, or list of lists if the key came again}"""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            key, *words = line.split()
            words = [number(w) for w in words]
            found.setdefault(key, []).append(words[0] if len(words) == 1 else words)
    return {k: v[0] if len(v) == 1 else v for k, v in found.items()}


def keep(text, path, **more):
    with open(path, "w", encoding="utf-8") as out:
        json.dump({**more, **parse(text)}, out, indent=1)
        out.write("\n")


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: results.py RESULTS JSON [KEY=VALUE..]: RESULTS as JSON")
    keep(*sys.argv[1:3], **dict(a.split("=", 1) for a in sys.argv[3:]))


if __name__ == "__main__":
    main()
