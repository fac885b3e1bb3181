#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who imports whom: every room may use only what ROOMS says, without circles. docs/start/tour.md shows it as a
picture. And verif/ has the rooms of the product, beside those in KIT.

An import is an #include, a SystemVerilog package that is named, or a path in a build.mk or a script. The tests (verif/)
may import anything, and nothing imports them.
"""

import pathlib
import re
import subprocess
import sys

# Room: the rooms that it may import beside itself. The longest name that fits a file is its room.
ROOMS = {
    "abi": [],
    "rtl/lib": ["abi"],
    "rtl/fp": ["abi", "rtl/lib"],
    "rtl/noc": ["abi", "rtl/lib"],
    "rtl/mpe": ["abi", "rtl/lib", "rtl/noc"],
    "rtl/cpe": ["abi", "rtl/lib", "rtl/fp", "rtl/noc"],
    "rtl/hbm": ["abi", "rtl/lib", "rtl/noc"],
    "rtl/group": ["abi", "rtl/lib", "rtl/fp", "rtl/noc", "rtl/cpe", "rtl/hbm"],
    "rtl/pcie": ["abi", "rtl/lib", "rtl/noc"],
    "rtl/soc": ["abi", "rtl"],
    "firmware": ["abi", "firmware"],  # what builds it; its folders have rules of their own
    "firmware/common": ["abi"],
    "firmware/boot": ["abi", "firmware/common"],
    "firmware/memory": ["abi"],
    "firmware/runtime": ["abi", "firmware/memory"],
    "firmware/kernel": ["abi", "firmware/common", "firmware/memory", "firmware/runtime", "cpe-kernels"],
    "firmware/launch-bench": ["abi", "firmware/common", "firmware/kernel", "cpe-kernels"],
    "firmware/programs": ["abi", "firmware/common", "cpe-kernels"],  # sdaacc makes them, and adds memcpy
    "cpe-kernels": ["abi", "cpe-kernels"],
    "cpe-kernels/sdk": ["abi"],
    "host/lib": ["abi"],
    "host/transport": ["abi", "host/lib"],
    "host/runtime": ["abi", "host/lib", "host/transport"],
    "host/models/graph": ["abi", "host/lib", "cpe-kernels"],
    "host/models/files": ["abi", "host/lib", "host/models/graph", "cpe-kernels"],
    "host/models/onnx": ["abi", "host/lib", "host/models/graph", "host/models/files"],
    "host/models/audio": ["abi", "host/lib"],
    "host/models/exec": ["abi", "host/models/graph", "host/runtime"],
    "host/models/text": ["abi", "host/lib", "host/runtime", "host/models/graph", "host/models/files", "host/models/exec", "cpe-kernels"],
    "host/models/speech": ["abi", "host/lib", "host/models/graph", "host/models/files", "host/models/exec", "host/models/audio", "cpe-kernels"],
    "host/daemon/cards": ["abi", "host/lib", "host/transport", "host/runtime"],
    "host/daemon/http": ["abi", "host/lib", "host/transport", "host/models", "cpe-kernels"],
    "host/daemon/shared": ["abi", "host/transport", "host/models", "host/daemon/cards", "host/daemon/http", "cpe-kernels"],
    "host/tools/flash": ["abi", "host/lib", "host/transport"],
    "host/tools/cli": ["abi", "host/lib", "host/transport", "host/runtime", "host/models/graph", "host/models/exec"],
    "bench": ["abi", "host/lib", "host/transport", "host/runtime", "host/models", "host/daemon", "host/tools/cli", "cpe-kernels"],
    "host/tools/swai": ["abi", "host", "bench", "cpe-kernels"],
    "sim": ["abi", "rtl", "host/lib", "host/transport", "cpe-kernels"],
    "models": [],
    "boards": [],
    "examples": ["host/runtime", "cpe-kernels"],
}
# Everybody's: the build itself, and what documents name.
NO_ROOM = ("scripts", "docs", ".ci", "verif", "LICENSES")
# What tests share, and tests of more than one room.
KIT = ("attack", "examples", "kit", "repo", "system")
FOUND_THERE = {"swai/program.hpp": "cpe-kernels/sdk/programs/include/swai/program.hpp", "swai/": "cpe-kernels/sdk/include/swai/", "sdaa_runtime.h": "host/runtime/include/sdaa_runtime.h"}
TOP_FOLDERS = sorted({room.split("/")[0] for room in ROOMS} | {"verif"})
PATH = re.compile(rf"(?<![\w./$)-])(?:{'|'.join(TOP_FOLDERS)})/[\w./-]+")


def room_of(path):
    parts = path.split("/")
    for count in range(len(parts), 0, -1):
        name = "/".join(parts[:count])
        if name in ROOMS:
            return name
    return parts[0]


def allowed(room, other):
    if room == other:
        return True
    # A folder that holds rooms stands for all of them.
    return any(other == name or other.startswith(name + "/") for name in ROOMS.get(room, []))


def include_targets(path, text, files):
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
        beside = str(pathlib.PurePosixPath(path).parent / name)
        for short, place in FOUND_THERE.items():
            if name.startswith(short):
                yield place + name[len(short) :]
                break
        if name in files:
            yield name
        elif beside in files:
            yield beside


def package_targets(text, packages):
    for name in set(re.findall(r"\b(\w+_pkg)::", re.sub(r"//.*", "", text))):
        # Packages of registers are generated from what abi/ says.
        yield packages.get(name, "abi/card.toml")


def named_paths(text):
    return PATH.findall(re.sub(r"(^|\s)#.*", "", text))


def targets(path, files, packages):
    text = pathlib.Path(path).read_text(errors="replace")  # weights are no text
    if path.endswith((".cpp", ".hpp", ".h", ".c", ".S", ".inc")):
        return include_targets(path, text, files)
    if path.endswith((".sv", ".svh")):
        return package_targets(text, packages)
    if path.endswith(("build.mk", ".py")):
        return named_paths(text)
    return []


def complaints(files):
    packages = {pathlib.PurePosixPath(path).stem: path for path in files if path.endswith("_pkg.sv")}
    for path in sorted(files):
        room = room_of(path)
        if room.split("/")[0] in NO_ROOM or "/" not in path:
            continue
        if room not in ROOMS:
            yield f"{path}: lies in no room of scripts/lint/imports.py"
            continue
        for target in sorted(set(targets(path, files, packages))):
            if not allowed(room, room_of(target)):
                yield f"{path}: imports {target}, which {room} may not"


def circles():
    """Rooms that may import each other, over others or at once."""
    def reached(room):
        seen, todo = set(), [room]
        while todo:
            new = {other for other in ROOMS if allowed(todo[-1], other) and other != todo[-1]} - seen
            todo.pop()
            seen |= new
            todo += new
        return seen

    for room in ROOMS:
        # What builds a folder of rooms names them all.
        if room in reached(room) and not any(other.startswith(room + "/") for other in ROOMS):
            yield f"{room}: may import itself over {sorted(other for other in reached(room) if room in reached(other))}"


def misplaced(files):
    """Folders of tests that stand for no folder of the product."""
    folders = {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1)}
    for path in sorted(files):
        parts = path.split("/")
        if parts[0] != "verif" or len(parts) < 3 or parts[1] in KIT:
            continue
        tested = "/".join(parts[1:3]) if len(parts) > 3 else parts[1]
        if tested not in folders:
            yield f"{path}: there is no folder {tested} that it could test"


def main():
    listed = subprocess.run(["git", "ls-files", "-z"], stdout=subprocess.PIPE, check=True).stdout.decode()
    files = {path for path in listed.split("\0") if path and pathlib.Path(path).exists()}
    found = [*complaints(files), *circles(), *misplaced(files)]
    print("\n".join([*found, f"{len(files)} files, {len(found)} complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
