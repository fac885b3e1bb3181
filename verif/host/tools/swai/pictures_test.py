#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of figures that were measured before (docs/pictures/sdaa.json, and tables in paper.json): those in docs are what build/swai
draws of them, and words do not lie upon words, with whatever sizes. Run from the repository root; with --write it draws those in docs
anew, where the figures are of this commit, without changes outside docs/, or known to be stale."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import picture

sys.path.insert(0, "scripts")
from measured import is_known_stale, require_this_commit  # noqa: E402

SWAI = "build/swai"
DOCS = pathlib.Path("docs/pictures")
MEASURED = DOCS / "sdaa.json"
PAPER = DOCS / "paper.json"


def draw(measured, folder, what="sdaa"):
    command = [SWAI, "bench", what, "--draw", measured, "--svg", folder]
    return subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.report = json.loads(MEASURED.read_text())

    def drawn(self):
        """Each figure with its picture."""
        measured = self.folder / "measured.json"
        measured.write_text(json.dumps(self.report))
        done = draw(measured, self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [(figure, self.folder / f"figure-{figure['figure']}.svg") for figure in self.report["figures"]]

    def check(self):
        for figure, path in self.drawn():
            self.assertEqual(picture.faults(path) + picture.missing(path, figure), [], path.name)

    def test_those_in_docs(self):
        self.check()
        for _, path in self.drawn():
            self.assertEqual((DOCS / path.name).read_text(), path.read_text(), f"{__file__} --write draws it anew")

    def test_sizes_side_by_side(self):
        for figure in self.report["figures"]:
            for series in figure["series"]:
                if "bytes" in series["points"][0]:
                    point = series["points"][-1]
                    series["points"] = [{**point, "bytes": 1024 << i, "ns": point["ns"] * 1.9**i} for i in range(20)]
        self.check()

    def test_long_words(self):
        for figure in self.report["figures"]:
            figure["title"] = "much that was measured, " * 9 + "and more"
            figure["notes"] = ["x < y & z", "a note that goes on and on, " * 12 + "to its end"]
        self.check()

    def test_values_that_differ_by_thousands(self):
        figure = copy.deepcopy(next(one for one in self.report["figures"] if one["figure"] == 13))
        figure["published"] = []
        for values, logarithmic in (((3, 2999), False), ((3, 3001), True), ((0, 5), False), ((7, 7), False)):
            figure["series"] = [
                {"name": f"series {i}", "baseline": False, "points": [{"ns": value}]} for i, value in enumerate(values)
            ]
            self.report["figures"] = [figure]
            ((_, path),) = self.drawn()
            self.assertEqual(picture.faults(path), [])
            self.assertEqual(", logarithmic" in path.read_text(), logarithmic, values)

    def test_what_is_no_figure(self):
        bad = self.folder / "bad.json"
        for text in ("", "{}", '{"made": "x", "figures": [{}]}', json.dumps({**self.report, "figures": [{"series": []}]})):
            bad.write_text(text)
            done = draw(bad, self.folder)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("not what `bench sdaa --json` prints", done.stderr)


class Tables(unittest.TestCase):
    FOLDER = DOCS / "paper"

    def test_those_in_docs(self):
        with tempfile.TemporaryDirectory() as name:
            done = draw(PAPER, name, "paper")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            drawn = {path.name: path.read_text() for path in pathlib.Path(name).iterdir()}
        self.assertEqual(drawn, {path.name: path.read_text() for path in self.FOLDER.iterdir()}, f"{__file__} --write draws them anew")
        for path in self.FOLDER.iterdir():
            self.assertEqual(picture.faults(path), [], path.name)
        page = pathlib.Path("docs/measurements/paper.md").read_text()
        for path in drawn:
            self.assertIn(f"pictures/paper/{path}", page)


def write():
    for figures, folder, what in ((MEASURED, DOCS, "sdaa"), (PAPER, Tables.FOLDER, "paper")):
        made = json.loads(figures.read_text())["made"]
        if not is_known_stale(made):
            require_this_commit(made)
        if draw(figures, folder, what).returncode:
            return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        sys.exit(write())
    unittest.main()
