#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/reference/cuda.md of host/runtime/cuda.toml: what became of each function of CUDA's runtime.

gen-cuda.py          writes the tables into the page
gen-cuda.py --check  fails when the page is not what the description gives, when a function that it names is not declared
                     in the headers, or a declared one is not in it
"""

import argparse
import pathlib
import re
import sys
import tomllib

import page_tables
from gen.text import DescriptionError, require

SOURCE = pathlib.Path("host/runtime/cuda.toml")
PAGE = pathlib.Path("docs/reference/cuda.md")
HEADERS = pathlib.Path("host/runtime/include/sdaa")
MAKERS = ("make_cuda", "make_sdaa")


def cuda_name(name):
    if name.startswith(("cu", "nv", MAKERS[0])):
        return name
    return name if name.startswith(("GL*", "EGL*", "VDPAU*", "D3D*")) else "cuda" + name


def sdaa_name(name):
    return name.replace(*MAKERS) if name.startswith(MAKERS[0]) else "sdaa" + name


def quoted(names):
    return ", ".join(f"`{name}`" for name in names)


class Row:
    """Functions of CUDA, and what became of them. `here`: functions of the library, one for each, or none."""

    def __init__(self, names, here, text):
        self.cuda = [cuda_name(name) for name in names]
        self.here = here
        self.text = text

    def cells(self):
        renamed = [name.replace("cuda", "sdaa", 1) for name in self.cuda] != self.here
        here = quoted(dict.fromkeys(self.here)) if self.here and renamed else ""
        return f"| {quoted(self.cuda)} | {': '.join(part for part in (here, self.text) if part)} |"


def rows_of(group):
    if same := group.get("same", "").split():
        yield Row(same, [sdaa_name(name) for name in same], "the same")
    for entry in group.get("differs", []):
        names = entry["names"].split()
        here = [sdaa_name(name) for name in entry.get("here", entry["names"]).split()]
        require(len(here) in (1, len(names)), f"{entry['names']}: as many names here, or one")
        yield Row(names, here, entry["how"])
    for entry in group.get("refused", []):
        names = entry["names"].split()
        code = "" if entry["why"].startswith("`") else "`NotSupported`: "
        yield Row(names, [sdaa_name(name) for name in names], code + entry["why"])
    for entry in group.get("absent", []):
        yield Row(entry["names"].split(), [], "not here: " + entry["why"])


class Table:
    def __init__(self, groups):
        self.groups = [(group["title"], list(rows_of(group)), [sdaa_name(name) for name in group.get("ours", "").split()])
                       for group in groups]

    def named(self):
        """The library's functions that it says are there."""
        return {name for _, rows, ours in self.groups for name in ours + [name for row in rows for name in row.here]}

    def functions_of_cuda(self):
        return [name for _, rows, _ in self.groups for row in rows for name in row.cuda]

    def lines(self):
        yield f"{len(set(self.functions_of_cuda()))} functions of CUDA; {len(self.named())} are here."
        for title, rows, ours in self.groups:
            yield from ("", f"## {title}", "")
            if rows:
                yield from ("| CUDA | here |", "|---|---|")
                yield from (row.cells() for row in rows)
            if ours:
                yield from [""] * bool(rows)
                yield from ("| only here |", "|---|", f"| {quoted(ours)} |")


def declared():
    text = "\n".join(path.read_text() for path in sorted(HEADERS.iterdir()))
    return set(re.findall(r"^(?:SDAA_API|static inline) [^(;]*?\b((?:make_)?sdaa\w+)\(", text, re.MULTILINE))


def complaints(table):
    names = table.functions_of_cuda()
    yield from (f"{name} stands there twice" for name in sorted({name for name in names if names.count(name) > 1}))
    yield from (f"{name} is said to be there, and no header declares it" for name in sorted(table.named() - declared()))
    yield from (f"{name} is declared, and not in the table" for name in sorted(declared() - table.named()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    try:
        table = Table(tomllib.loads(SOURCE.read_text())["group"])
    except (KeyError, tomllib.TOMLDecodeError, DescriptionError) as error:
        print(f"{SOURCE}: {error}", file=sys.stderr)
        return 2
    found = list(complaints(table)) if check else []
    for line in found:
        print(f"{SOURCE}: {line}", file=sys.stderr)
    return page_tables.fill(PAGE, {"functions": list(table.lines())}, SOURCE, check) or bool(found)


if __name__ == "__main__":
    sys.exit(main())
