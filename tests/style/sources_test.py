#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""House rules that need no compiler: includes go down the arrows and never in a circle, SystemC stays in sim,
every source starts with its licence, no C++ file is longer than 500 lines, and every test file has a namespace of its own."""

import re
import sys

from layers import ARROWS, FOLDERS, ROOT, SEES_SYSTEMC

LINES_AT_MOST = 500
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
SYSTEMC = re.compile(r"^(systemc|tlm|sysc/|tlm_)")
TREES = ["cmake", "isa", "ir", "models", "interp", "sim", "tools", "tests", "yaml", "examples"]
LICENSED = {".cpp", ".hpp", ".cmake", ".py", ".sh", ".yaml", ".txt"}
# Inputs of tests are what they are: a kernel or machine file may be wrong on purpose.
DATA_OF_TESTS = re.compile(r"^tests/(golden|fuzz|system|unit|property)/.*\.(py|yaml|txt)$")


def sources():
    for tree in TREES:
        for path in sorted((ROOT / tree).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix in LICENSED and path.is_file() and not DATA_OF_TESTS.match(name):
                yield name, path.read_text(encoding="utf-8")


def layer_of(name):
    inside = [layer for layer, folder in FOLDERS.items() if name.startswith(folder + "/")]
    return max(inside, key=lambda layer: len(FOLDERS[layer]), default=None)


def check_file(name, text):
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in text.split("\n")[:2]):
        yield f"{name}:1: the first line must be the SPDX-License-Identifier: Apache-2.0 comment"
    if not name.endswith((".cpp", ".hpp")):
        return
    if text.count("\n") > LINES_AT_MOST:
        yield f"{name}: {text.count(chr(10))} lines; past {LINES_AT_MOST} a file has two subjects"
    own = name.rsplit("/", 1)[-1].removesuffix(".cpp")
    if own.endswith("_test") and not re.search(rf"^namespace [a-z0-9_:]+::{own} {{$", text, re.M):
        yield f"{name}: test files are compiled together: put it into a namespace that ends in ::{own}"
    layer = layer_of(name)
    for match in INCLUDE.finditer(text):
        where = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
        included = match[2]
        if ".." in included.split("/"):
            yield f'{where}: include "{included}" by its path from the layer, not with ..'
        top = included.split("/")[0]
        if match[1] == '"' and layer and top in ARROWS and top not in ARROWS[layer]:
            yield f'{where}: {layer} may not include "{included}"'
        if match[1] == "<" and layer and SYSTEMC.match(included) and layer not in SEES_SYSTEMC:
            yield f"{where}: {layer} may not include SystemC"


def check_cycles(files):
    graph = {}
    for name, text in files:
        layer = layer_of(name)
        if layer and name.endswith(".hpp"):
            as_included = layer + name[len(FOLDERS[layer]):]
            graph[as_included] = [m[2] for m in INCLUDE.finditer(text) if m[1] == '"']
    done = set()

    def visit(header, trail):
        if header in trail:
            yield "includes in a circle: " + " -> ".join(trail[trail.index(header):] + [header])
        elif header in graph and header not in done:
            for included in graph[header]:
                yield from visit(included, trail + [header])
            done.add(header)

    for header in sorted(graph):
        yield from visit(header, [])


def main():
    files = list(sources())
    errors = [error for name, text in files for error in check_file(name, text)]
    errors += check_cycles(files)
    for error in errors:
        print(error)
    print(f"style: {len(files)} files, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
