#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `swai bench paper` as its users see it: what it counts on the fast tier, beside what can be known without it. Run from
the repository root."""

import json
import os
import re
import sys
import unittest

import random_whisper
from reports import reports

sys.path.insert(0, "verif/host/tools/swai")
import picture  # noqa: E402
from swai_test_case import SwaiTest  # noqa: E402

LIST = "bench/paper/eager_operators.hpp"
SOUND = "examples/sounds/jfk.wav"
TINY_LAYERS = 4
LONG = "SWAI_LONG" in os.environ


def eager_lists():
    """How many operators each part of the list has, by its name."""
    with open(LIST, encoding="utf-8") as file:
        return {name: body.count('"') // 2 for name, body in re.findall(r"std::array (k\w+) = \{(.*?)\};", file.read(), re.DOTALL)}


def eager(layers, windows, tokens):
    size = eager_lists()

    def whole(part):
        return size[f"k{part}Before"] + layers * size[f"k{part}Layer"] + size[f"k{part}After"]

    return windows * (whole("Encoder") + whole("First") + (tokens - 1) * whole("Step"))


class PaperTest(SwaiTest):
    CONFIG = ()

    def bench(self, *words):
        """The table of launches, and values of its rows by what they are."""
        (table,) = self.run_json("bench", "paper", "--table", "launches", *words)["tables"]
        return table, {row["what"]: row["values"] for row in table["rows"]}


class Launches(PaperTest):
    def test_a_window_and_several(self):
        long = 65 if LONG else 35
        table, rows = self.bench("--shape", "tiny", "--seconds", 11, "--seconds", long, "--tokens", 5)
        self.assertEqual(table["columns"], ["tiny, 11 s", f"tiny, {long} s"])
        windows, tokens = [1, 3 if LONG else 2], 5
        # Of a window: the encoder, the first of the tokens that begin a text, the other ones, and each that is said.
        self.assertEqual(rows["two-tier: our lists"], [count * (1 + 2 + tokens) for count in windows])
        self.assertEqual(rows["three-tier: by the host"], [1, 1])
        # The first list goes in two pieces.
        for inside, lists in zip(rows["three-tier: by the management processor"], rows["two-tier: our lists"]):
            self.assertGreater(inside, lists)
        one, several = rows["two-tier: our operators, one by one"]
        self.assertEqual(several, windows[1] * one)
        self.assertGreater(one, TINY_LAYERS * 10 * (tokens + 3))
        self.assertEqual(rows["two-tier: eager PyTorch's operators"], [eager(TINY_LAYERS, count, tokens) for count in windows])
        self.assertEqual(rows["equation 2: 112 a second and layer"], [112 * seconds * TINY_LAYERS for seconds in (11, long)])
        self.assertEqual(rows["two-tier: PyTorch on a V100"], [None, None])
        building, copying = self.run_json("bench", "paper", "--table", "building", "--table", "copying", "--shape", "tiny", "--seconds", long, "--tokens", 5)["tables"]
        ours = {row["what"]: row["values"][0] for row in building["rows"] if row["source"] == "measured"}
        sync, hardly_seen = ours["ours, one after the other"], ours["ours, while the one before runs: what of it nothing hides"]
        self.assertGreater(sync, several / tokens * 20e-6)  # cycles a node
        self.assertLess(hardly_seen, sync / 10)
        host, copied, shared = (row["values"][0] for row in copying["rows"] if row["source"] == "measured")
        # The spectrogram of the sound and of a window behind it: 80 channels of fp32, 100 of them a second. A link has 64 bytes a
        # nanosecond at most.
        self.assertGreater(host, 80 * 4 * 100 * (long + 30) / 64e6)
        self.assertGreater(shared, 0)
        self.assertGreater(copied, 10 * shared)
        for ratio, count in zip(rows["three-tier over two-tier (eager PyTorch's operators), by the host"], windows):
            self.assertAlmostEqual(ratio, 1 / eager(TINY_LAYERS, count, tokens))

    def test_operators_of_eager_pytorch_are_those_of_the_list(self):
        model = self.folder / "model"
        random_whisper.write(model)
        _, stats = reports("transcribe", "-m", model, SOUND, "--launch", "two-tier", "--graph", "eager", "--no-timestamps", "--no-fallback", "--stats")
        self.assertEqual(stats["encoder"]["windows"], 1)
        # The first pass takes two tokens.
        passes = stats["decoder"]["tokens"] - 1
        self.assertGreater(passes, 2)
        self.assertEqual(stats["encoder"]["launches"] + stats["decoder"]["launches"], eager(random_whisper.LAYERS, 1, passes))

    @unittest.skipUnless(LONG, "base's weights take long to pack")
    def test_where_the_time_goes(self):
        stages = self.folder / "stages.json"
        stages.write_text(json.dumps({"base": {"fast": {"map": 1.5, "copy": 40}}}))
        (table,) = self.run_json("bench", "paper", "--table", "breakdown", "--shape", "base", "--seconds", 11, "--tokens", 4, "--loading", stages)["tables"]
        rows = {row["what"]: row for row in table["rows"]}
        value = {what: row["values"][0] for what, row in rows.items()}
        self.assertEqual(value["PyTorch on a V100: loading the model (Table 1)"], 2469.44)
        self.assertEqual(value["PyTorch on a V100: kernels (Table 2)"], 127.13)
        # Kernels and calls: 7.15 % are kernels, as the table has it.
        self.assertAlmostEqual(127.13 / (127.13 + value["PyTorch on a V100: eight calls of CUDA (Table 2)"]), 0.0715, places=4)
        self.assertEqual(value["ours: loading the model, on the host"], 41.5)
        # Of the shape, whatever rows were counted with: two passes of its 74 million weights take as many cycles at least.
        self.assertGreater(value["ours: operators, at the card's limits"], 10)
        self.assertLess(value["ours: operators, at the card's limits"], 100)
        self.assertIn("takes RTL", rows["ours: other"]["not_measured"])
        calls = rows["ours: launches, and copies between host and card"]
        # Where there is no simulator of the hardware the row says so.
        self.assertEqual(calls["values"][0] is None, "not_measured" in calls)

    def test_where_the_time_goes_of_a_small_shape(self):
        (other,) = self.run_json("bench", "paper", "--table", "breakdown", "--shape", "tiny", "--seconds", 11, "--tokens", 4)["tables"]
        self.assertIn("measure_load.py --stages", {row["what"]: row for row in other["rows"]}["ours: loading the model, on the host"]["not_measured"])

    def test_pictures(self):
        """Of a table that was measured before, with the paper's values: words lie beside each other."""
        row = {"what": "two-tier: ours", "source": "measured", "values": [12, 3.5]}
        table = {"table": "launches", "title": "Launches of a job", "unit": "launches", "axis": "launches",
                 "columns": ["base, 11 s (JFK)", "tiny, 3 s"], "notes": ["a note that goes on and on, " * 9],
                 "rows": [{"what": "two-tier: theirs", "source": "published", "values": [10104, None], "ours": row["what"]}, row,
                          {"what": "a ratio", "source": "reckoned", "values": [0.1, 0.2], "share": True}]}
        measured = self.folder / "measured.json"
        measured.write_text(json.dumps({"made": "Measured on SWAI cg1, tier fast (counts), commit 1234567.", "tables": [table]}))
        self.run_swai("bench", "paper", "--draw", measured, "-o", self.folder / "drawn")
        drawn = {path.name: path for path in (self.folder / "drawn").iterdir()}
        self.assertEqual(sorted(drawn), ["launches-base-11-s-jfk.svg", "launches-tiny-3-s.svg"])
        for path in drawn.values():
            self.assertEqual(picture.faults(path), [])
            self.assertIn("commit 1234567", path.read_text())
        text = drawn["launches-base-11-s-jfk.svg"].read_text()
        self.assertIn("the paper: two-tier: theirs: 10104 launches", text)
        self.assertIn("two-tier: ours (measured): 12 launches", text)
        self.assertNotIn("a ratio", text)
        measured.write_text(json.dumps({"made": "x", "tables": [{**table, "columns": ["one"]}]}))
        self.run_swai("bench", "paper", "--draw", measured, "-o", self.folder / "drawn", code=2)
        measured.write_text("{}")
        self.assertIn("not what `bench paper --json` prints", self.run_swai("bench", "paper", "--draw", measured, "-o", self.folder / "drawn", code=2)[1])

    @unittest.skipUnless(LONG, "base's launches take long")
    def test_published_values_stand_beside_ours(self):
        out, _ = self.run_swai("--quiet", "bench", "paper", "--table", "launches", "--shape", "base", "--seconds", 11)
        published = next(line for line in out.splitlines() if line.startswith("two-tier: PyTorch on a V100"))
        self.assertRegex(published, r"published +10104$")
        self.assertIn("base, 11 s (JFK)", out)
        self.assertIn("Measured with rows of 64 channels", out)
        self.assertRegex(out, r"Measured on SWAI cg1, tier fast \(counts\), commit [0-9a-f]+")
        # The paper's 60 tokens of 30 seconds are 22 of 11.
        self.assertIn(" 22 (1 windows)", out)

    def test_bad_input(self):
        for words in (("--host-us", "-1"), ("--shape", "huge"), ("--seconds", "0"), ("--tokens", "500"), ("--width", "64", "--full-width"), ("--table", "7")):
            self.run_swai("bench", "paper", *words, code=2)
        error = self.run_swai("bench", "paper", "--shape", "tiny", "--width", "100", code=2)[1]
        self.assertIn("takes a multiple of 64", error)


if __name__ == "__main__":
    unittest.main(verbosity=2)
