#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/cluster/sweep.sbatch as an array job on a Slurm of one node: the joined result is that of the sweep without
Slurm, byte for byte. Exit status 77, which CTest shows as skipped, where Slurm is not installed."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from private_slurm import missing_programs, private_slurm

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
JOB_SECONDS = 180
SWEEP = f"""\
description: allgather by hand and in one call
kernel: {ROOT}/examples/13_allgather.py
over:
  mode: [hand, builtin]
  ranks: [2, 3, 4]
  set.SIZE: [17, 64]
"""


def check(condition, message):
    if not condition:
        sys.exit(f"slurm_test: {message}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, help="the build directory that holds a2a3sim")
    options = parser.parse_args()
    if missing := missing_programs():
        print(f"skipped: Slurm is not installed ({', '.join(missing)}; Debian: slurm-wlm, munge)")
        return SKIPPED
    programs = Path(options.programs).resolve()
    os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"

    with private_slurm(cpus=2) as slurm:
        here = slurm.directory
        (here / "sweep.yaml").write_text(SWEEP, encoding="utf-8")
        job = slurm.run("sbatch", "--parsable", "--array=1-3", "--cpus-per-task=1",
                        str(ROOT / "examples" / "cluster" / "sweep.sbatch"), "sweep.yaml", "results").stdout.strip()
        slurm.wait_for(f"the end of job {job}", lambda: not slurm.run("squeue", "--noheader").stdout.strip(),
                       JOB_SECONDS)
        tasks = "\n".join(log.read_text(encoding="utf-8") for log in sorted(here.glob("sweep-*.log")))
        check(len(list(here.glob("sweep-*.log"))) == 3, f"not three tasks ran\n{slurm.logs()}")
        slurm.run("a2a3sim", "sweep", "sweep.yaml", "--out", "alone", "--quiet")
        merged = slurm.run("a2a3sim", "merge", "results", "--csv", "merged.csv", check=False)
        check(merged.returncode == 0, f"merge: {merged.stderr}\n{tasks}")
        check((here / "merged.csv").read_bytes() == (here / "alone" / "results.csv").read_bytes(),
              "the array job gave another table than the sweep without Slurm")
        check((here / "merged.csv").read_text(encoding="utf-8").count(",ok,0,") == 12, "not all twelve runs are right")
    print("12 runs in 3 tasks of an array job, joined: as without Slurm")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}\n{error.stdout}\n{error.stderr}")
