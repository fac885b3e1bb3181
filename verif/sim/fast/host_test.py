#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what host programs see of the fast tier: who chooses it, who says which one runs, and that it does the same again.
Run from the repository root."""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SWAI = "build/swai"
COPY = ["run", "build/cpe-kernels/copy.elf", "--args", "buf:4096", "buf:4096:index", "4096", "0"]
# Rounds of its cores take the host milliseconds: long enough for threads.
ROWS, DEPTH, COLUMNS = 256, 1024, 512
GEMM = ["run", "build/cpe-kernels/gemm.elf", "--kernel", "gemm",
        "--args", f"buf:{4 * ROWS * COLUMNS}", f"buf:{ROWS * DEPTH}:random", f"buf:{DEPTH * COLUMNS}:random",
        *map(str, (0, 0, ROWS, DEPTH, COLUMNS, 0, 1, 0))]
LIMIT = 1500  # ends what hangs


def swai(*words, config="tiny", **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("SWAI_TIER", "SWAI_CARD", "SWAI_RESTORE")}
    return subprocess.run(
        [SWAI, "--config", config, *words], capture_output=True, text=True, timeout=LIMIT, env=environment | variables
    )


class HostPrograms(unittest.TestCase):
    def good(self, *words, **keys):
        done = swai(*words, **keys)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_info_says_which_tier(self):
        for words, keys in ((("--tier", "fast"), {}), ((), {"SWAI_TIER": "fast"}), (("--tier", "fast"), {"SWAI_TIER": "rtl"})):
            with self.subTest(words=words, keys=keys):
                card = json.loads(self.good(*words, "--json", "info", **keys).stdout)["cards"][0]
                self.assertEqual(card["tier"], "fast")
                self.assertEqual((card["rows"], card["columns"]), (2, 2))
        text = self.good("--tier", "fast", "info").stdout
        self.assertIn("fast: a functional model", text)

    def test_times_are_labelled(self):
        self.assertRegex(self.good("--tier", "fast", *COPY).stdout, r"copy: done in \d+ ns \(fast tier: coarse\)\n")
        self.assertEqual(json.loads(self.good("--tier", "fast", "--json", *COPY).stdout)["tier"], "fast")

    def test_unknown_tier_is_refused(self):
        self.assertEqual(swai("--tier", "quick", "info").returncode, 2)
        self.assertEqual(swai("info", SWAI_TIER="quick").returncode, 2)

    def test_same_run_again(self):
        runs = [json.loads(self.good("--tier", "fast", "--json", *COPY).stdout) for _ in range(2)]
        self.assertEqual(runs[0], runs[1])

    def test_same_run_with_any_number_of_threads(self):
        runs = []
        with tempfile.TemporaryDirectory() as folder:
            for config, threads in itertools.product(("cg1", "full"), ("1", "2", "7")):
                out = pathlib.Path(folder) / "sums.bin"
                words = ("--tier", "fast", "--json", *GEMM, "--repeat", "2", "--dump", f"0:{out}")
                report = json.loads(self.good(*words, config=config, SWAI_THREADS=threads).stdout)
                runs.append((config, report, out.read_bytes()))
        self.assertNotEqual(runs[0][2], bytes(4 * ROWS * COLUMNS))
        self.assertEqual(runs[1:3], runs[:1] * 2)
        self.assertEqual(runs[4:6], runs[3:4] * 2)

    def test_threads_that_cannot_be_are_refused(self):
        for threads in ("0", "33", "-1", "two", ""):
            with self.subTest(threads=threads):
                done = swai("--tier", "fast", "info", SWAI_THREADS=threads)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("SWAI_THREADS", done.stderr)

    def test_programs_find_the_card_of_a_snapshot(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            flash, booted, copied = folder / "flash", folder / "booted", folder / "copied"
            shutil.copy("build/firmware/flash.bin", flash)
            card = ["build/swai-card-fast", "--config", "tiny", "--flash", flash]
            subprocess.run([*card, "--until-ready", "--save", booted], check=True, capture_output=True, timeout=LIMIT)
            self.good("--tier", "fast", *COPY, "--dump", f"0:{copied}", SWAI_RESTORE=str(booted))
            words = copied.read_bytes()
            self.assertEqual(words[:8], bytes((0, 0, 0, 0, 1, 0, 0, 0)))
            self.assertNotEqual(swai("--tier", "fast", *COPY, SWAI_RESTORE=str(folder / "none")).returncode, 0)

    def test_snapshot_of_a_served_card_whose_client_is_gone_then(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            flash, socket, saved = folder / "flash", folder / "socket", folder / "saved"
            shutil.copy("build/firmware/flash.bin", flash)
            for restore in ([], ["--restore", saved]):
                words = ["build/swai-card-fast", "--config", "tiny", "--flash", flash, "--socket", socket]
                card = subprocess.Popen(
                    [*words, *restore, "--save", saved], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
                )
                with card:
                    try:
                        while "is at" not in card.stderr.readline():
                            self.assertIsNone(card.poll())
                        self.good("--card", str(socket), *COPY)
                    finally:  # what fails does not wait for it
                        card.terminate()
                    card.stderr.read()
                self.assertEqual(card.returncode, 0)
                self.assertTrue(saved.read_bytes().startswith(b'{"swai_snapshot":1,'))

    def test_copies_of_all_kinds(self):
        self.good("--tier", "fast", "copy-test")


if __name__ == "__main__":
    unittest.main()
