# SPDX-License-Identifier: Apache-2.0
"""What the documentation tools share: which pages there are, and how a command of a page is run."""

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 120


def pages():
    """README.md and every page under docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@contextlib.contextmanager
def scratch_checkout(programs):
    """A directory that looks like a built checkout and may be written to: links to the sources' top-level entries,
    and build/release linked to the directory of the programs."""
    with tempfile.TemporaryDirectory(prefix="a2a3sim-docs-") as name:
        scratch = Path(name)
        for entry in ROOT.iterdir():
            if not entry.name.startswith((".", "build")):
                (scratch / entry.name).symlink_to(entry)
        (scratch / "build").mkdir()
        (scratch / "build" / "release").symlink_to(Path(programs).resolve())
        yield scratch


def run(command, scratch):
    """Runs a shell command in the scratch checkout, with the programs on the PATH."""
    environment = {**os.environ, "PATH": f"{scratch}/build/release:{os.environ['PATH']}", "COLUMNS": "100"}
    environment.pop("A2A3_DATA_DIR", None)
    return subprocess.run(["sh", "-eu", "-c", command], cwd=scratch, env=environment, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_SECONDS)
