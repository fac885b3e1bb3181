#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Merges the coverage files of Verilator under build/coverage/raw and reports them per source file and per folder.

line    source lines all of whose coverage points were reached, in any instance of the module
branch  sides of if and ?: that were taken
toggle  bits of signals that changed

Writes build/coverage/report.txt, build/coverage/uncovered.txt (every line that was not reached, with its text) and
build/coverage/coverage.json. Exit code 1 when a folder given by --gate stays below its line coverage.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import re
import sys

OUT = pathlib.Path("build/coverage")


@dataclasses.dataclass
class Points:
    """Hits of the coverage points of one source file."""

    line: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(int))  # (column, kind, lines)
    branch: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(int))
    toggle: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(int))

    def lines(self):
        """Line number -> whether all points that lie on it were reached."""
        result = {}
        for (_, _, lines), hits in self.line.items():
            for number in expand(lines):
                result[number] = result.get(number, True) and hits > 0
        return result


def expand(lines):
    """The numbers in a list like "3-5,8"."""
    for part in lines.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read(path, files):
    for text in path.read_text().splitlines():
        match = re.fullmatch(r"C '(.*)' (\d+)", text)
        if not match:
            continue
        fields = dict(item.split("\2", 1) for item in match[1].split("\1") if item)
        points = files[fields["f"]]
        place = (fields["l"], fields["n"], fields["o"])
        page = fields["page"].partition("/")[0]
        hits = int(match[2])
        if page == "v_toggle":
            points.toggle[place] += hits
        elif page in ("v_line", "v_branch"):
            if page == "v_branch":
                points.branch[place] += hits
            if fields.get("S"):
                points.line[(fields["l"], fields["n"], fields["S"])] += hits


def only_wires(text):
    """Whether a module has nothing that could be reached: neither processes nor functions."""
    text = re.sub(r"//[^\n]*", "", text)
    return re.search(r"\bmodule\b", text) and not re.search(r"\b(always\w*|initial|function|task)\b", text)


def count(hits):
    return sum(1 for hit in hits if hit), len(hits)


def percent(pair):
    return 100 * pair[0] / pair[1] if pair[1] else 100.0


def row(name, counts):
    cells = [f"{percent(pair):6.1f} % {pair[0]:6}/{pair[1]:<6}" if pair[1] else " " * 22 for pair in counts]
    return f"{name:40} {' '.join(cells)}".rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gate", action="append", default=[], metavar="FOLDER=PERCENT", help="least line coverage")
    parser.add_argument("--sources", default="rtl", help="report on the files under this folder")
    options = parser.parse_args()

    raw = sorted((OUT / "raw").glob("*.dat"))
    if not raw:
        print("coverage: no files under build/coverage/raw; `make coverage` makes them", file=sys.stderr)
        return 2
    files = collections.defaultdict(Points)
    for path in raw:
        read(path, files)

    by_file = {}
    by_folder = {}
    uncovered = []
    for name in sorted(files):
        if not name.startswith(options.sources + "/"):
            continue
        lines = files[name].lines()
        by_file[name] = [count(lines.values()), count(files[name].branch.values()), count(files[name].toggle.values())]
        folder = by_folder.setdefault(str(pathlib.Path(name).parent), [(0, 0)] * 3)
        folder[:] = [(a[0] + b[0], a[1] + b[1]) for a, b in zip(folder, by_file[name])]
        text = pathlib.Path(name).read_text().splitlines()
        uncovered += [f"{name}:{number}: {text[number - 1].strip()}" for number in sorted(lines) if not lines[number]]

    report = [f"{'':40} {'line':>8}{'':14} {'branch':>8}{'':14} {'toggle':>8}"]
    report += [row(name, counts) for name, counts in by_file.items()]
    report += [""] + [row(name, counts) for name, counts in by_folder.items()]
    report += ["", f"{len(raw)} runs; lines that were not reached: {OUT}/uncovered.txt ({len(uncovered)})"]

    failures = []
    for gate in options.gate:
        folder, _, least = gate.partition("=")
        if folder not in by_folder:
            failures.append(f"{folder}: nothing was measured")
        elif percent(by_folder[folder][0]) < float(least):
            failures.append(f"{folder}: line coverage {percent(by_folder[folder][0]):.1f} % is below {least} %")
        for path in sorted(pathlib.Path(folder).glob("*.sv")):
            if str(path) not in files and not path.stem.endswith("_pkg") and not only_wires(path.read_text()):
                failures.append(f"{path}: no coverage run contains it")
    report += [f"FAIL {failure}" for failure in failures]

    print("\n".join(report))
    (OUT / "report.txt").write_text("\n".join(report) + "\n")
    (OUT / "uncovered.txt").write_text("\n".join(uncovered) + "\n")
    names = ("line", "branch", "toggle")
    figures = {name: dict(zip(names, map(percent, counts))) for name, counts in (by_file | by_folder).items()}
    (OUT / "coverage.json").write_text(json.dumps(figures, indent=1) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
