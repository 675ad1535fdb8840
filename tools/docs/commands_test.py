#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every shell command that README.md and docs/ show. A fenced block tagged `sh` is one script and must end with
exit status 0, or with N when tagged `sh exit=N`. Blocks tagged `console` hold what a test cannot run (installing,
building, the tests themselves); of those, the make targets they name must exist."""

import argparse
import re
import subprocess
import sys

from markdown import ROOT, pages, run, scratch_checkout

FENCE = re.compile(r"^( *)```(?P<info>[^\n]*)\n(?P<body>.*?)^\1```$", re.S | re.M)
MAKE = re.compile(r"(?:^|[;&|] *)(?:\$ )?make((?: +[^ #;&|\n]+)*)", re.M)


def check_console(body, where, makefile_targets):
    for match in MAKE.finditer(body):
        for target in match[1].split():
            if "=" not in target and not target.startswith("-") and target not in makefile_targets:
                yield f"{where}: the Makefile has no target '{target}'"


def make_targets():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):", makefile, re.M))


def check_page(path, scratch, counts):
    text = path.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        where = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
        tag, *attributes = match["info"].split() or [""]
        if tag == "console":
            yield from check_console(match["body"], where, make_targets())
        elif tag in ("bash", "shell", "zsh"):
            yield f"{where}: tag a block of commands `sh` (run by this test) or `console` (not run), not `{tag}`"
        elif tag == "sh":
            expected = int(dict(item.split("=") for item in attributes).get("exit", 0))
            counts.append(where)
            try:
                result = run(match["body"], scratch)
            except subprocess.TimeoutExpired as late:
                yield f"{where}: still running after {late.timeout} s"
                continue
            if result.returncode != expected:
                yield (f"{where}: exit status {result.returncode}, not {expected}, from\n{match['body']}"
                       f"{result.stdout}{result.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the build directory that holds a2a3sim")
    options = parser.parse_args()
    counts = []
    with scratch_checkout(options.programs) as scratch:
        errors = [error for path in pages() for error in check_page(path, scratch, counts)]
    if not counts:
        errors.append("docs: no blocks were found")
    for error in errors:
        print(error)
    print(f"docs: {len(counts)} blocks run, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
