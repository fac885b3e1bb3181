#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The roofline of the operators: what bench.py measured of each, against what the card can. docs/measurements/roofline.md explains it.

roofline.py build/bench/bench.json --svg build/bench/roofline.svg    draws a measurement
roofline.py build/bench/bench.json --docs docs                       makes it that of the page: docs/pictures, and its tables;
                                                                     refused unless it is of this commit, without changes
roofline.py --docs docs                                              writes picture and tables of the page's measurement anew
roofline.py --check docs                                             fails when they are not what it gives
"""

import argparse
import json
import pathlib
import sys
import tomllib

import bench
import limits
import roofline_svg

sys.path.insert(0, "scripts")
import measured  # noqa: E402
import page_tables  # noqa: E402

MEASURED = "pictures/operators.json"
PICTURE = "pictures/roofline.svg"
PAGE = "measurements/roofline.md"
MEMORY = "cpe.dma_eff"
OF_MEMORY, OF_SYSTOLIC, OF_VECTOR = "memory", "systolic units", "vector units"


class Operator:
    """A figure with what was measured of it."""

    def __init__(self, figure, figures, bytes_a_cycle):
        self.figure = figure
        self.value = figures[figure.key]
        self.operations, self.cycles = figures[f"{figure.name}.operations"], figures[f"{figure.name}.cycles"]
        self.bytes, self.least_bytes = figures.get(f"{figure.name}.bytes"), figures.get(f"{figure.name}.least_bytes")
        of_memory = (self.least_bytes or 0) / bytes_a_cycle
        of_unit = self.operations / figure.peak
        self.least_cycles = max(of_memory, of_unit)
        self.limit = OF_MEMORY if of_memory > of_unit else OF_SYSTOLIC if figure.systolic else OF_VECTOR

    @property
    def share(self):
        return self.least_cycles / self.cycles

    @property
    def rate(self):
        return self.operations / self.cycles

    @property
    def intensity(self):
        return self.operations / self.bytes if self.bytes else None


class Measurement:
    def __init__(self, figures):
        if MEMORY not in figures:
            raise SystemExit(f"roofline: {MEMORY} was not measured, so memory's limit is not known")
        self.dma_eff = figures[MEMORY]
        self.machine = bench.MACHINE
        self.operators = [Operator(figure, figures, bench.HBM) for figure in bench.FIGURES if figure.key in figures]
        self.missing = [figure for figure in bench.FIGURES if figure.key not in figures]

    def picture(self, made):
        machine = self.machine
        points = [roofline_svg.Point(f"{label(one.figure)} {100 * one.share:.0f} %", one.intensity, one.rate, one.figure.systolic)
                  for one in self.operators]
        roofs = roofline_svg.Roofs(machine.products, machine.slots, machine.bytes(self.dma_eff))
        notes = ["Percent: the least time that these limits allow, of the time it took.", made]
        if self.missing:
            notes.insert(0, "Not measured: " + ", ".join(map(label, self.missing)) + " (make bench-long measures all).")
        return roofline_svg.svg(points, roofs, notes)

    def tables(self, targets):
        return {"limits": self.table_of_limits(), "operators": self.table_of_operators(targets)}

    def table_of_limits(self):
        machine = self.machine
        return [
            "| limit | arithmetic | a cycle | written in |",
            "|---|---|---|---|",
            f"| systolic units | {machine.rows} x {machine.columns} CPEs x {machine.multipliers} multipliers"
            f" | {machine.products:,} products of bytes | {source('rows')}, {source('multipliers')} |",
            f"| vector units | {machine.rows} x {machine.columns} CPEs x {machine.lanes} lanes"
            f" | {machine.slots:,} slots | {source('rows')}, {source('lanes')} |",
            f"| memory's peak | a line of {machine.line_bytes} bytes | {machine.line_bytes} bytes | {source('line_bytes')} |",
            f"| memory, as measured | {machine.line_bytes} x {self.dma_eff} (`{MEMORY}`)"
            f" | {machine.bytes(self.dma_eff):.1f} bytes | `verif/abi/measure.py` |",
            f"| memory, as figures count it | {machine.line_bytes} x {limits.DMA_EFF} | {bench.HBM:.1f} bytes | `verif/cpe-kernels/operators/limits.py` |",
        ]

    def table_of_operators(self, targets):
        rows = ["| figure | operator | of what | operations | bytes, at least | moved | operations a byte | limit | at the limit | cycles"
                " | share | bar |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
        for one in self.operators:
            figure = one.figure
            memory = [f"{one.least_bytes:,}", f"{one.bytes:,}", f"{one.intensity:.2f}"] if one.bytes else ["", "", ""]
            share = f"{one.share:.3f}" + (f", {one.value:.2f} times as fast as `linear`" if figure.dense else "")
            rows.append(" | ".join([f"| `{figure.key}`", f"`{figure.operator}`", figure.shape, f"{one.operations:,}", *memory, one.limit,
                                    f"{one.least_cycles:,.0f}", f"{one.cycles:,}", share, bar(targets.get(figure.key))]) + " |")
        return rows


def label(figure):
    """In the picture, where those in local memory stand by themselves."""
    return figure.name.removeprefix("op.").removesuffix("_ldm").replace("_", " ")


def source(size):
    return f"`{limits.SOURCES[size][0]}`"


def bar(target):
    return f"{target['min']:.2f}" if target else ""


def made(figures):
    """A sentence that names the measured card and commit; marks trees with changes, and those without history."""
    if "bench.commit" not in figures:
        return "Measured on the RTL of a core group (cg1)."
    before = "before " if figures["bench.dirty"] else ""
    return f"Measured on the RTL of a core group (cg1), {before}commit {figures['bench.commit'][:8]}."


def kept(figures):
    """Of all figures those that picture and tables are made of."""
    names = tuple(f"{figure.name}." for figure in bench.FIGURES)
    keys = {MEMORY, *(figure.key for figure in bench.FIGURES)}
    return {key: value for key, value in figures.items() if key in keys or key.startswith(names)}


def read_targets():
    """The operators' targets by key."""
    benches = tomllib.loads(pathlib.Path("verif/cpe-kernels/operators/bench.toml").read_text())["bench"]
    return {key: target for one in benches for key, target in one.get("targets", {}).items()}


class Docs:
    def __init__(self, folder):
        self.folder = folder
        said = json.loads((folder / MEASURED).read_text())
        self.measurement = Measurement(said["figures"])
        self.made = said["made"]
        self.drawn = self.measurement.picture(self.made)

    def tables(self, check):
        tables = self.measurement.tables(read_targets())
        tables["operators"] += ["", self.made]
        return page_tables.fill(self.folder / PAGE, tables, f"{self.folder / MEASURED} and the RTL", check)

    def write(self):
        (self.folder / PICTURE).write_text(self.drawn)
        return self.tables(check=False)

    def check(self):
        if self.measurement.missing:
            print(f"{self.folder / MEASURED} has no {', '.join(figure.key for figure in self.measurement.missing)}", file=sys.stderr)
            return 1
        if (self.folder / PICTURE).read_text() != self.drawn:
            print(f"{self.folder / PICTURE} is not what {MEASURED} gives: verif/cpe-kernels/operators/roofline.py --docs docs", file=sys.stderr)
            return 1
        return self.tables(check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="?", type=pathlib.Path, help="of make bench")
    parser.add_argument("--svg", type=pathlib.Path, help="draw them there")
    parser.add_argument("--docs", type=pathlib.Path, help="folder of the page to write")
    parser.add_argument("--check", type=pathlib.Path, help="folder of the page to compare")
    options = parser.parse_args()
    figures = json.loads(options.figures.read_text()) if options.figures else {}
    if options.svg:
        options.svg.write_text(Measurement(figures).picture(made(figures)))
    if options.docs:
        if figures:
            measured.require_this_commit(made(figures))
            said = {"made": made(figures), "figures": kept(figures)}
            (options.docs / MEASURED).write_text(json.dumps(said, indent=1, sort_keys=True) + "\n")
        return Docs(options.docs).write()
    return Docs(options.check).check() if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
