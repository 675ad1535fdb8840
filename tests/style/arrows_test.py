#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles an include of every layer from every layer with the include path the build gives it: those along the
arrows must compile, all others must fail for want of the header.
    usage: arrows_test.py COMPILER LAYERS_FILE     (the file, written by CMake, has lines "layer|dir|dir|...")"""

import subprocess
import sys
from pathlib import Path

from layers import ARROWS, headers

HERE = Path(__file__).resolve().parent


def preprocess(compiler, include_dirs, header):
    """Returns whether a file that includes the header finds everything it needs, and the compiler's complaint."""
    flags = [f"-I{directory}" for directory in include_dirs]
    result = subprocess.run(
        [compiler, "-std=c++20", "-DSC_CPLUSPLUS=201703L", "-x", "c++", "-E", "-o", "/dev/null", *flags, "-"],
        input=f'#include "{header}"\n', capture_output=True, text=True,
        cwd=HERE)  # a quoted include is looked for in the working directory too
    return result.returncode == 0, result.stderr


def check(compiler, layer, include_dirs, other):
    """One arrow: an allowed one carries at least one header (sim sees those of models that do without ir)."""
    complaint = ""
    for header in headers(other):
        compiled, complaint = preprocess(compiler, include_dirs, header)
        if other not in ARROWS[layer]:
            if compiled:
                return f'{layer} can include "{header}", against the arrows'
            wanted = f"{header}: No such file"
            return None if wanted in complaint else f'{layer} including "{header}" failed otherwise:\n{complaint}'
        if compiled:
            return None
    return f"{layer} cannot include any header of {other}:\n{complaint}"


def main():
    compiler, layers_file = sys.argv[1:]
    lines = open(layers_file, encoding="utf-8").read().split()
    pairs = [(line.split("|"), other) for line in lines for other in ARROWS if headers(other)]
    results = [check(compiler, layer, include_dirs, other) for (layer, *include_dirs), other in pairs]
    errors = [result for result in results if result]
    for error in errors:
        print(error)
    print(f"arrows: {len(pairs)} pairs of layers, {len(errors)} errors")
    return 1 if errors or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
