#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every mutant of the examples once, without a golden, on three ranks, and says which check found it.

A mutant that no check finds is right on every timing, or the checks missed it. judged.list says which are right, and
why, and each of these is put to the proof: with its goldens, in many orders of the cores and with late ranks. Exit
status 1 when a mutant is missed, when a proof fails, when an unchanged kernel is not clean, or when the list has a
mutant that is found or does not exist, or when docs/checks_matrix.md has another table.

    python3 tests/mutation/matrix.py --program build/release/a2a3sim
    python3 tests/mutation/matrix.py --only '09: drop' --details
    python3 tests/mutation/matrix.py --table        # of docs/checks_matrix.md, without the proofs
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import calls
from mutants import CALL_OPERATORS, KERNELS, OPERATORS, mutants, run_file

HERE = Path(__file__).resolve().parent
RANKS = 3
DEVICES = f"0-{RANKS - 1}"
# The engine whose plain run is to find every mutant.
ENGINE = []
PROOF = ["--ranks", str(RANKS), "--seeds", "10", "--skews", "2", "--max-skew", "100us", "-j", "1"]
PAGE = HERE.parents[1] / "docs" / "checks_matrix.md"

MISSED = "**missed**"
LEGEND = {
    "R": "a race or another finding, exit status 4",
    "D": "a deadlock, exit status 3",
    "F": "an error at the line, exit status 1",
    "=": "nothing, and it is right on every timing",
    "G": "nothing but a golden: nothing is out of order, the kernel computes something else",
    "C": "only `a2a3sim check`: the order of this run is a lucky one",
}
# The exit status of the proof of what is judged; of C any but 0.
PROVEN = {"=": (0,), "G": (2,), "C": (2, 3, 4)}


@dataclass
class Verdict:
    code: str
    detail: str


def run(program, arguments):
    """Exit status, verdict and what went to stderr."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        done = subprocess.run([program, *arguments, "--json", file.name], text=True, capture_output=True, check=False)
        text = Path(file.name).read_text(encoding="utf-8")
        return done.returncode, json.loads(text) if text else {}, done.stderr


def write_kernel(directory, mutant, goldens):
    (directory / "kernel.py").write_text(mutant.text, encoding="utf-8")
    (directory / "kernel.yaml").write_text(run_file(mutant.kernel, goldens, mutant.lowered), encoding="utf-8")
    mode = ["--mode", mutant.kernel.mode] if mutant.kernel.mode and not mutant.lowered else []
    return [str(directory / "kernel.py"), *mode]


def prove(program, mutant, rule):
    """Exit status of the check with goldens, and what it says. One run shows that a mutant is always wrong."""
    with tempfile.TemporaryDirectory(prefix="a2a3sim-mutant-") as name:
        kernel = write_kernel(Path(name), mutant, goldens=True)
        always = rule is not None and rule.code == "G"
        status, _, stderr = run(program, ["run", *kernel, "-d", DEVICES] if always else ["check", *kernel, *PROOF])
        return status, stderr


def found_by(status, stderr):
    if status == 1 and "kernel.py:" in stderr:
        return "F"
    return {3: "D", 4: "R"}.get(status, f"exit status {status}")


def judge(program, mutant, rules, with_proof):
    with tempfile.TemporaryDirectory(prefix="a2a3sim-mutant-") as name:
        kernel = write_kernel(Path(name), mutant, goldens=False)
        status, _, stderr = run(program, ["run", *kernel, "-d", DEVICES, *ENGINE])
    if status != 0:
        return Verdict(found_by(status, stderr), stderr)
    rule = matching(rules, mutant.name)
    if not with_proof:
        return Verdict(rule.code if rule else MISSED, stderr)
    status, stderr = prove(program, mutant, rule)
    if rule and status in PROVEN[rule.code]:
        return Verdict(rule.code, stderr)
    judged = f"judged.list says {rule.code}" if rule else "if it is right on all, judged.list takes the reason"
    return Verdict(MISSED, f"the check with goldens ends with exit status {status}; {judged}\n{stderr}")


@dataclass(frozen=True)
class Rule:
    """A line of judged.list."""
    code: str
    pattern: str
    reason: str


def read_rules():
    rules = []
    for line in (HERE / "judged.list").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split(" -- ")
            rules.append(Rule(*name.split(" ", 1), reason))
    return rules


def matching(rules, name):
    """The first rule for the mutant."""
    return next((rule for rule in rules if re.fullmatch(re.escape(rule.pattern).replace(r"\*", ".*"), name)), None)


def judge_originals(program):
    """What is wrong with the unchanged kernels; empty for each that is clean."""
    errors = []
    for kernel in KERNELS:
        mode = ["--mode", kernel.mode] if kernel.mode else []
        status, _, stderr = run(program, ["run", str(kernel.file(".py")), *mode, "-d", DEVICES, *ENGINE])
        if status != 0:
            errors.append(f"{kernel.name}, unchanged: exit status {status}\n{stderr}")
    return errors


def table(verdicts, rules):
    """Mistakes down, kernels across; one letter for each barrier or call of the kernel."""
    lines = ["| mistake | " + " | ".join(kernel.name for kernel in KERNELS) + " |", "| --- |" + " --- |" * len(KERNELS)]
    for operator in [*OPERATORS, *CALL_OPERATORS]:
        cells = []
        for kernel in KERNELS:
            codes = [verdict.code for mutant, verdict in verdicts
                     if mutant.kernel == kernel and mutant.operator == operator]
            cells.append(" ".join(codes) or "-")
        lines.append(f"| {operator.name} | " + " | ".join(cells) + " |")
    lines.append(f"\n{len(verdicts)} mutants. What finds them:\n")
    for code, meaning in LEGEND.items():
        count = sum(verdict.code == code for _, verdict in verdicts)
        lines.append(f"- `{code}`, {count} of them: {meaning}.")
    lines.append("\nWhy a run finds nothing wrong with some:\n")
    lines.append("| mutant | | reason |\n| --- | --- | --- |")
    lines += [f"| {rule.pattern.replace('*', '…')} | {rule.code} | {rule.reason} |" for rule in rules]
    return "\n".join(lines)


def errors_of(verdicts, rules, whole):
    errors = []
    used = set()
    for mutant, verdict in verdicts:
        if verdict.code not in LEGEND:
            errors.append(f"{mutant.name}: {verdict.code}: {verdict.detail}")
        rule = matching(rules, mutant.name)
        if rule and verdict.code != rule.code:
            # A wide pattern may take in barriers whose mutants are found.
            if rule.pattern == mutant.name:
                errors.append(f"{mutant.name}: judged.list says {rule.code}, but a run says {verdict.code}")
        elif rule:
            used.add(rule)
    if whole:
        errors += [f"judged.list: no mutant is {rule.pattern}" for rule in rules if rule not in used]
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="a2a3sim")
    parser.add_argument("--only", default="", help="mutants whose name has this in it")
    parser.add_argument("--table", action="store_true", help="print the table; judged.list is taken at its word")
    parser.add_argument("--details", action="store_true", help="print what each run said")
    options = parser.parse_args()

    rules = read_rules()
    errors = judge_originals(options.program)
    lowered = {kernel: calls.lowered(options.program, kernel, DEVICES) for kernel in KERNELS if kernel.builtin}
    chosen = [mutant for kernel in KERNELS for mutant in mutants(kernel, lowered.get(kernel))
              if options.only in mutant.name]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda mutant: judge(options.program, mutant, rules, not options.table), chosen)
        verdicts = list(zip(chosen, judged))
    errors += errors_of(verdicts, rules, whole=not options.only)
    if options.details:
        for mutant, verdict in verdicts:
            print(f"==== {mutant.name}: {verdict.code}\n{verdict.detail}")
    if options.table:
        print(table(verdicts, rules))
    else:
        if not options.only and table(verdicts, rules) not in PAGE.read_text(encoding="utf-8"):
            errors.append(f"{PAGE} has another table: run `make docs` and read what changed")
        print(f"{len(verdicts)} mutants, {sum(v.code == MISSED for _, v in verdicts)} missed, {len(errors)} errors")
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
