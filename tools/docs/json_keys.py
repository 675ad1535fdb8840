#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the keys of a JSON file with the types of their values, one key per line, in the order of the file.

    tools/docs/json_keys.py result.json             # all
    tools/docs/json_keys.py result.json race_check  # only what is below this key
"""

import json
import sys


def type_of(value):
    if value is None:
        return "null"
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string")):
        if isinstance(value, kind):
            return name
    return "array" if isinstance(value, list) else "object"


def collect(value, path, keys):
    """Enters the types of all values below `path`; elements of an array share one path."""
    types = keys.setdefault(path, [])
    if type_of(value) not in types:
        types.append(type_of(value))
    if isinstance(value, dict):
        for key, one in value.items():
            collect(one, f"{path}.{key}" if path else key, keys)
    elif isinstance(value, list):
        for one in value:
            collect(one, path + "[]", keys)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        value = json.load(file)
    keys = {}
    collect(value, "", keys)
    wanted = sys.argv[2:]
    for path, types in keys.items():
        if not path or (wanted and path.split(".")[0].removesuffix("[]") not in wanted):
            continue
        scalars = [one for one in types if one not in ("object", "array")]
        if scalars:
            print(f"{path}: {' or '.join(scalars)}")


if __name__ == "__main__":
    main()
