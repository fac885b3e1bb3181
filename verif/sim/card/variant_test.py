#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares other builds of swai-card with the fast one: the unoptimised one must run the same cycles and retire the same
instructions, and the one with waves must write those that were asked for."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest


class VariantTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def boot(self, program, *options):
        flash = self.folder / "card.flash"
        shutil.copy("build/firmware/flash.bin", flash)
        done = subprocess.run(
            [program, "--flash", flash, "--json", *options],
            input="info\n",
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        report.pop("khz")
        return report, done.stderr

    def test_unoptimised_build_does_the_same(self):
        traces = [self.folder / "fast", self.folder / "unopt"]
        fast = self.boot("build/swai-card-tiny", "--trace", traces[0])
        self.assertEqual(self.boot("build/unopt/swai-card-tiny", "--trace", traces[1]), fast)
        self.assertEqual(traces[0].read_bytes(), traces[1].read_bytes())

    def test_waves_of_a_window(self):
        fast = self.boot("build/swai-card-tiny")
        waves = self.folder / "new" / "window.fst"
        options = ["--wave", waves, "--wave-from", "1000", "--wave-to", "1999"]
        self.assertEqual(self.boot("build/wave/swai-card-tiny", *options), fast)
        # Start and end time of an FST file are the first two numbers of its header block.
        header = waves.read_bytes()[9:25]
        start, end = int.from_bytes(header[:8], "big"), int.from_bytes(header[8:], "big")
        self.assertEqual((start, end), (2000, 3999))
        self.assertGreater(waves.stat().st_size, 10_000)

    def test_waves_from_a_trigger_on(self):
        fast = self.boot("build/swai-card-tiny")
        trace = self.folder / "trace"
        self.boot("build/swai-card-tiny", "--trace", trace)
        clock, pc = 0, ""
        with open(trace, encoding="utf-8") as lines:
            for line in lines:
                clock, _, pc = line.split()[:3]
                if int(clock) > 50_000:
                    break
        waves = self.folder / "window.fst"
        options = ["--wave", waves, "--wave-from", clock, "--wave-trigger", f"pc=0x{pc}", "--wave-length", "100"]
        self.assertEqual(self.boot("build/wave/swai-card-tiny", *options), fast)
        header = waves.read_bytes()[9:25]
        start, end = int.from_bytes(header[:8], "big"), int.from_bytes(header[8:], "big")
        self.assertEqual(end - start, 199)
        self.assertTrue(int(clock) <= start // 2 <= int(clock) + 20, (clock, start))


if __name__ == "__main__":
    unittest.main()
