# SPDX-License-Identifier: Apache-2.0
"""Which SystemVerilog files a module needs, found by looking for the names of the modules and packages of the design.

The rule of the house makes this easy: one module or package per file, named after it.
"""

import functools
import pathlib
import re

FOLDERS = ["rtl", "build/gen"]


def all_files():
    """Every source of the design: name -> path."""
    paths = sorted(path for folder in FOLDERS for path in pathlib.Path(folder).glob("**/*.sv"))
    return {path.stem: path for path in paths}


# Where a name is one of a package or a module: in a scope, before an instance or its parameters, in a macro. A signal
# may have the name of a module.
_USES = re.compile(r"`define\s+\w+\s+(\w+)|\b(\w+_pkg)\b|\b([A-Za-z_]\w*)\s*(?:#\s*\(|\s\w+\s*(?:\[[^\]]*\]\s*)?\()")


@functools.cache
def _names_in(path):
    text = re.sub(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"", "", path.read_text(), flags=re.DOTALL)
    return {name for names in _USES.findall(text) for name in names if name}


def closure(top):
    """The files that module or package `top` needs, itself last, each after those that it uses."""
    files = all_files()
    if top not in files:
        raise KeyError(f"no file of the design is named {top}.sv")
    order = []
    visiting = set()

    def visit(name):
        if name in visiting or files[name] in order:
            return
        visiting.add(name)
        for used in sorted(_names_in(files[name]) & files.keys() - {name}):
            visit(used)
        visiting.discard(name)
        order.append(files[name])

    visit(top)
    # A package never needs a module; readers want all packages first.
    return [path for path in order if is_package(path)] + [path for path in order if not is_package(path)]


def is_package(path):
    return path.stem.endswith("_pkg")
