#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The roofline: points lie where their figures say, each has its words once, words lie upon nothing; the page's picture, tables and
arithmetic are those of its measurement, of bench.toml and of the RTL. Run from the repository root."""

import itertools
import json
import math
import pathlib
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import bench
import limits
import roofline
import roofline_svg

sys.path.insert(0, "verif/host/tools/swai")
import picture  # noqa: E402

SVG = picture.SVG
ROOFS = roofline_svg.Roofs(2048, 256, 62.5)
DOCS = pathlib.Path("docs")
FOOT = roofline_svg.TOP + roofline_svg.HEIGHT
CORNER = re.compile(r"(-?[\d.]+) (-?[\d.]+)")


class Drawn:
    """What is in a picture."""

    def __init__(self, svg):
        self.svg = svg
        root = xml.etree.ElementTree.fromstring(svg)
        self.texts = [(text.text, picture.box(text)) for text in root.iter(f"{SVG}text")]
        self.dots, self.roofs = [], {}
        for group in root.iter(f"{SVG}g"):
            kind = group.get("class")
            dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in group.iter(f"{SVG}circle")]
            self.dots += [(kind, x, y) for x, y in dots if y <= FOOT]
            lines = [self.corners(path) for path in group.iter(f"{SVG}path")]
            self.roofs.setdefault(kind, []).extend(line for line in lines if line[0][1] <= FOOT)
        self.leads = [self.corners(path) for path in root.iter(f"{SVG}path") if path.get("class") == "lead"]

    @staticmethod
    def corners(path):
        return [tuple(map(float, corner)) for corner in CORNER.findall(path.get("d"))]

    def middle(self, words, below):
        """Of a number on the axis below, or on that at the left."""
        for text, (left, top, right, bottom) in self.texts:
            if text == words and (top > FOOT) == below:
                return (left + right) / 2 if below else (top + bottom) / 2
        raise AssertionError(f"no {words} on the axis")

    def labels(self):
        """Words of points: they end with their share."""
        return [(words, box) for words, box in self.texts if words.endswith(" %")]

    def faults(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "picture.svg"
            path.write_text(self.svg)
            found = picture.faults(path)
        for words, box in self.labels():
            if not any(left <= box[0] and box[2] <= right for left, right in roofline_svg.FRAMES) or box[3] > FOOT:
                found.append(f"{words!r} sticks out of its frame")
            if any(inside(box, x, y, roofline_svg.DOT) for _, x, y in self.dots):
                found.append(f"{words!r} lies upon a point")
            for kind, lines in {**self.roofs, "line to words": self.leads}.items():
                if any(inside(box, x, y, 0.5) for line in lines for x, y in along(line)):
                    found.append(f"{words!r} lies upon a {kind}")
        return found


def inside(box, x, y, more):
    return box[0] - more < x < box[2] + more and box[1] - more < y < box[3] + more


def along(line):
    for (x, y), (to_x, to_y) in itertools.pairwise(line):
        steps = max(1, int(math.hypot(to_x - x, to_y - y)))
        for step in range(steps + 1):
            yield x + (to_x - x) * step / steps, y + (to_y - y) * step / steps


def draw(*points, notes=()):
    return Drawn(roofline_svg.svg([roofline_svg.Point(*point) for point in points], ROOFS, list(notes)))


class Picture(unittest.TestCase):
    def test_places(self):
        drawn = draw(("known 12 %", 4, 64, True), ("other 34 %", 1, 32, False), ("aside 56 %", None, 128, False))
        at = [(kind, drawn.middle(x, True), drawn.middle(y, False)) for kind, x, y in
              (("systolic", "4", "64"), ("vector", "1", "32"))]
        for (kind, x, y), (found, found_x, found_y) in zip(at, drawn.dots):
            self.assertEqual(kind, found)
            self.assertAlmostEqual(x, found_x, delta=0.2)
            self.assertAlmostEqual(y, found_y, delta=1.5)  # a word's middle is not quite its line's
        self.assertGreater(drawn.dots[2][1], roofline_svg.PLOT)
        self.assertAlmostEqual(drawn.dots[2][2], drawn.middle("128", False), delta=1.5)

    def test_roofs(self):
        """Points at a limit lie on its line."""
        limits_ = [("memory", 1, 62.5), ("memory", 16, 1000), ("vector", 16, 256), ("systolic", 64, 2048)]
        drawn = draw(*((f"{kind} {i} %", intensity, rate, kind != "vector") for i, (kind, intensity, rate) in enumerate(limits_)))
        for (kind, _, _), (_, x, y) in zip(limits_, drawn.dots):
            nearest = min(math.hypot(x - to_x, y - to_y) for line in drawn.roofs[kind] for to_x, to_y in along(line))
            self.assertLess(nearest, 1, kind)
        (ridge_x, ridge_y), = (line[-1] for line in drawn.roofs["memory"])
        self.assertIn((ridge_x, ridge_y), [line[0] for line in drawn.roofs["systolic"]])

    def test_words(self):
        """Once each, though points lie upon each other."""
        points = [(f"with a long name {i} {i} %", 100 * 1.1**i, 2000, True) for i in range(8)]
        points += [(f"operator {i} {i} %", 0.5 * 1.05**i, 20 + i / 10, False) for i in range(8)]
        points += [(f"tile {i} {i} %", None, 250, False) for i in range(4)]
        drawn = draw(*points)
        self.assertEqual(sorted(words for words, _ in drawn.labels()), sorted(point[0] for point in points))
        self.assertEqual(drawn.faults(), [])
        self.assertEqual(len(drawn.leads), len(points))

    def test_notes(self):
        drawn = draw(("one 50 %", 1, 32, False), notes=["much that has to be said, " * 20, "x < y & z"])
        self.assertEqual(drawn.faults(), [])
        self.assertIn("x < y & z", [words for words, _ in drawn.texts])


class Figures(unittest.TestCase):
    def setUp(self):
        self.said = json.loads((DOCS / roofline.MEASURED).read_text())
        self.targets = roofline.read_targets()

    def drawn(self):
        return Drawn(roofline.Measurement(self.said["figures"]).picture(self.said["made"]))

    def test_each_operator_has_a_point(self):
        drawn = self.drawn()
        self.assertEqual(len(drawn.dots), len(bench.FIGURES))
        words = [words.rsplit(" ", 2)[0] for words, _ in drawn.labels()]
        self.assertEqual(sorted(words), sorted(roofline.label(figure) for figure in bench.FIGURES))
        self.assertEqual(drawn.faults(), [])

    def test_what_was_not_measured(self):
        long = [figure for figure in bench.FIGURES if figure.long]
        for figure in long:
            del self.said["figures"][figure.key]
        drawn = self.drawn()
        self.assertEqual(len(drawn.dots), len(bench.FIGURES) - len(long))
        said = " ".join(words for words, _ in drawn.texts).partition("Not measured: ")[2]
        for figure in long:
            self.assertIn(roofline.label(figure), said)

    def test_memory_that_was_not_measured(self):
        del self.said["figures"][roofline.MEMORY]
        with self.assertRaisesRegex(SystemExit, "cpe.dma_eff was not measured"):
            self.drawn()

    def test_keys(self):
        """Every target of an operator is that of a figure, and every figure has a row."""
        keys = [figure.key for figure in bench.FIGURES]
        self.assertEqual(len(keys), len(set(keys)))
        self.assertLessEqual({key for key in self.targets if key.startswith("op.")}, set(keys))
        page = (DOCS / roofline.PAGE).read_text()
        for key in keys:
            self.assertEqual(page.count(f"| `{key}` |"), 1, key)

    def test_figures_follow_from_what_was_measured(self):
        for one in roofline.Measurement(self.said["figures"]).operators:
            if not one.figure.dense:
                self.assertAlmostEqual(one.value, one.share, delta=0.0006, msg=one.figure.key)


class Limits(unittest.TestCase):
    def test_arithmetic(self):
        """The graph's tools count with the same."""
        demand = pathlib.Path("host/models/graph/demand.cpp").read_text()
        constants = dict(re.findall(r"constexpr double k(\w+) = (\d+)", demand))
        machine = limits.machine()
        self.assertEqual((int(constants["ProductsOfCpe"]), int(constants["SlotsOfCpe"]), int(constants["Hbm"])),
                         (machine.multipliers, machine.lanes, machine.line_bytes))
        self.assertEqual((machine.products, machine.slots), (2048, 256))
        rate, = re.findall(r"kHbm = 64 \* ([\d.]+)", demand)
        self.assertEqual(float(rate), limits.DMA_EFF)

    def test_memory(self):
        measured = json.loads((DOCS / roofline.MEASURED).read_text())["figures"][roofline.MEMORY]
        # Where code lies moves it by a thousandth.
        self.assertAlmostEqual(limits.DMA_EFF, measured, delta=0.002)

    def test_page(self):
        self.assertEqual(roofline.Docs(DOCS).check(), 0)


if __name__ == "__main__":
    unittest.main()
