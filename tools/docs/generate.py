#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the generated blocks of README.md and docs/ with the output of the command each names:

    <!-- generated: a2a3sim machine show a2 -->
    <!-- end -->

Kinds of block: `generated` shows the output as text; `generated markdown` puts it in as it is; `measured` is a
`generated markdown` whose figures differ from run to run, rewritten when its program is built but never compared;
`tested` is one whose command compares it by itself when it runs as a test. A
command that is meant to fail is written `generated (exit 3): ...`; its stdout and stderr are shown. With --check
nothing is written, and the exit status is 1 when a block is out of date."""

import argparse
import difflib
import re
import sys
from pathlib import Path

from markdown import ROOT, pages, run, scratch_checkout

BLOCK = re.compile(
    r"^(?P<head><!-- (?P<kind>generated|generated markdown|measured|tested)(?: \(exit (?P<exit>\d+)\))?: (?P<command>.+?) -->\n)"
    r"(?P<body>.*?)(?P<foot>^<!-- end -->$)", re.S | re.M)
MARKER = re.compile(r"^<!-- (generated|measured|tested|end)\b", re.M)


class Filler:
    def __init__(self, programs, scratch, check):
        self.programs = Path(programs)
        self.scratch = scratch
        self.check = check
        self.page = None
        self.errors = []

    def fill(self, match):
        program = match["command"].split()[0]
        if match["kind"] == "tested" and self.check:
            return match[0]
        if match["kind"] == "measured" and (self.check or not (self.programs / program).is_file()):
            return match[0]
        result = run(match["command"], self.scratch)
        expected = int(match["exit"] or 0)
        if result.returncode != expected:
            self.errors.append(f"{self.page}: `{match['command']}` ended with exit status {result.returncode}, "
                               f"not {expected}\n{result.stderr}")
            return match[0]
        output = (result.stdout + (result.stderr if expected else "")).rstrip("\n")
        body = f"```text\n{output}\n```\n" if match["kind"] == "generated" else f"{output}\n"
        return match["head"] + body + match["foot"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the build directory that holds a2a3sim")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    with scratch_checkout(options.programs) as scratch:
        filler = Filler(options.programs, scratch, options.check)
        for path in pages():
            filler.page = str(path.relative_to(ROOT))
            old = path.read_text(encoding="utf-8")
            if 2 * len(BLOCK.findall(old)) != len(MARKER.findall(old)):
                filler.errors.append(f"{filler.page}: a generated block lacks its beginning, end or command")
            new = BLOCK.sub(filler.fill, old)
            if new == old:
                continue
            if options.check:
                filler.errors.append("".join(difflib.unified_diff(
                    old.splitlines(True), new.splitlines(True), filler.page, f"{filler.page}, generated now")))
            else:
                path.write_text(new, encoding="utf-8")
                print(f"rewrote {filler.page}")
    for error in filler.errors:
        print(error)
    if filler.errors and options.check:
        print("run `make docs` and read what changed")
    return 1 if filler.errors else 0


if __name__ == "__main__":
    sys.exit(main())
