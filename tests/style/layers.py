# SPDX-License-Identifier: Apache-2.0
"""The arrows of the design, stated apart from the build so that a test can hold the build to them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The first component of a layer's include paths -> those it may include.
ARROWS = {
    "isa": {"isa"},
    "ir": {"ir", "isa"},
    "models": {"models", "ir", "isa"},
    "interp": {"interp", "ir", "isa"},
    "sim": {"sim", "isa", "models"},
    "a2a3": {"a2a3", "interp", "sim", "models", "ir", "isa"},
    "tools": {"tools", "a2a3", "interp", "sim", "models", "ir", "isa"},
}
FOLDERS = {name: "tools/api" if name == "a2a3" else name for name in ARROWS}
SEES_SYSTEMC = {"sim", "a2a3"}


def headers(layer):
    """The headers of a layer as its users write them: 'isa/dtype.hpp'."""
    folder = ROOT / FOLDERS[layer]
    found = sorted(path.relative_to(folder) for path in folder.rglob("*.hpp"))
    if layer == "tools":
        found = [path for path in found if path.parts[0] != "api"]
    return [f"{layer}/{path}" for path in found]
