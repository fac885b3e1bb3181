#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds circles of units: files that need each other by #include or import. A unit is a source file with its header.

The circles that exist are listed in verif/repo/circles.toml, which may only shrink: a circle that is not listed, a
listed one that is gone or smaller, and a list that is longer than at first are complaints. --json prints the figure for
`make bench`."""

import argparse
import ast
import json
import pathlib
import sys
import tomllib

sys.path.insert(0, "scripts")
import repository  # noqa: E402
from imports import include_targets  # noqa: E402

LIST = "verif/repo/circles.toml"
CPP = (".cpp", ".hpp", ".h", ".c", ".S", ".inc")


def unit_of(path):
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def module_targets(path, text, files):
    """Modules that a script imports: beside it, or in the only folder that has a file of that name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        for name in names:
            module = name.replace(".", "/") + ".py"
            beside = str(pathlib.PurePosixPath(path).parent / module)
            found = [beside] if beside in files else [one for one in files if one.endswith("/" + module)]
            if len(found) == 1:
                yield found[0]


def needs(files):
    """The units that each unit needs."""
    graph = {}
    for path in sorted(files):
        if path.endswith(CPP):
            targets = include_targets(path, pathlib.Path(path).read_text(), files)
        elif path.endswith(".py"):
            targets = module_targets(path, pathlib.Path(path).read_text(), files)
        else:
            continue
        unit = unit_of(path)
        graph.setdefault(unit, set()).update(target for target in map(unit_of, targets) if target != unit)
    return graph


def circles(graph):
    """The strongly connected components of more than one unit (Tarjan), each sorted."""
    found, indices, lows, stack = [], {}, {}, []

    def visit(unit):
        indices[unit] = lows[unit] = len(indices)
        stack.append(unit)
        for other in sorted(graph.get(unit, ())):
            if other not in indices:
                visit(other)
            if other in stack:
                lows[unit] = min(lows[unit], lows[other])
        if lows[unit] == indices[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for unit in sorted(graph):
        if unit not in indices:
            visit(unit)
    return sorted(found)


def listed(text):
    return [entry["units"] for entry in tomllib.loads(text).get("circle", [])]


def first_list():
    """The list as it was first committed; None before that, and without history."""
    added = repository.git("log", "--diff-filter=A", "--format=%H", "--", LIST).stdout.split()
    return listed(repository.git("show", f"{added[-1]}:{LIST}").stdout) if added else None


def complaints(found, graph, known, first):
    for units in found:
        if units in known:
            continue
        yield f"a circle that {LIST} does not list, of {len(units)}:"
        for unit in units:
            yield f"  {unit} needs {', '.join(sorted(graph[unit] & set(units)))}"
    for units in known:
        if units not in found:
            yield f"{LIST}: no longer a circle, or another one: {', '.join(units)}"
    if first is not None and (len(known) > len(first) or sum(map(len, known)) > sum(map(len, first))):
        yield f"{LIST}: the list may only shrink"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print the figure for make bench")
    options = parser.parse_args()
    files = {path for path in repository.git("ls-files", "-z").stdout.split("\0") if pathlib.Path(path).is_file()}
    graph = needs(files)
    found = circles(graph)
    if options.json:
        print(json.dumps({"house.circles": len(found)}))
        return 0
    for units in found:
        print(f"circle of {len(units)}: {', '.join(units)}")
    said = list(complaints(found, graph, listed(pathlib.Path(LIST).read_text()), first_list()))
    print("\n".join([*said, f"{len(graph)} units, {len(found)} circles, {len(said)} complaints"]))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
