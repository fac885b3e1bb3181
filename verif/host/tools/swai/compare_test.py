#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests swai compare: programs on both tiers of the card, the same and different. Run from the repository root.

With SWAI_LONG all examples, and more host programs, have to be the same on both.
"""

import os
import pathlib
import signal
import subprocess
import time
import unittest

from swai_test_case import LIMIT, MODULES, SWAI, SwaiTest

EXAMPLES = pathlib.Path("build/examples").resolve()
STORIES = pathlib.Path("models/stories260K/stories260K.bin").resolve()
PRINTS_TIMES = ["streams"]
DIFFERS = str(pathlib.Path("build/tier-dependent").resolve())
LONG = "SWAI_LONG" in os.environ


class CompareTest(SwaiTest):
    def compare(self, *words, code):
        return self.run_json("compare", *words, code=code)

    def same(self, *words):
        report = self.compare(*words, code=0)
        self.assertTrue(report["same"], report)
        self.assertNotIn("difference", report)
        self.assertEqual(report["sides"]["fast"]["exit_code"], report["sides"]["rtl"]["exit_code"])
        return report

    def different(self, *words):
        report = self.compare(*words, code=1)
        self.assertFalse(report["same"], report)
        return report, report["difference"]

    def begin(self, *words):
        """The process."""
        return subprocess.Popen(
            self.command("compare", *words), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def wait_until(self, reached, process=None):
        """Or until the process has ended."""
        end = time.monotonic() + LIMIT
        while not reached() and (process is None or process.poll() is None):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def wait_until_gone(self, process):
        """Somebody else's child, who may take its time to bury it."""

        def gone():
            try:
                return pathlib.Path(f"/proc/{process}/stat").read_text().split()[2] in "ZX"
            except (FileNotFoundError, ProcessLookupError):
                return True

        self.wait_until(gone)

    def terminate(self, process):
        """It ends in order, and leaves nothing."""
        process.terminate()
        self.assertEqual(process.communicate(timeout=LIMIT)[0], "")
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertEqual([path.name for path in self.folder.glob("swai-*")], [])


class Both(CompareTest):
    """What is the same and what is not; a card in RTL for each."""

    def test_same_failure(self):
        """A kernel that fails on all cores at once, in the same way on both."""
        report = self.same("--folder", EXAMPLES / "errors", "./errors")
        self.assertEqual(len(report["sides"]["rtl"]["faults"]), 1, report)
        self.assertEqual(report["sides"]["fast"]["faults"], report["sides"]["rtl"]["faults"])
        self.assertGreater(report["bytes"], 20_000)

    def test_bits(self):
        """One number is another one: which stream, copy and byte, both values, the kernel before it."""
        keep = self.folder / "kept"
        report, found = self.different("--keep", keep, DIFFERS, "bits")
        self.assertEqual((found["kind"], found["source"], found["process"]), ("contents", "card 0, stream 1", 0), found)
        for side, value in (("fast", 8), ("rtl", 7)):
            copy = found[side]
            self.assertEqual((copy["what"], copy["end"]), ("copy to host", "done"))
            # The long copy goes in pieces.
            begin = int(copy["place"].removeprefix("byte ").removesuffix(" of allocation 1"))
            self.assertEqual(begin + found["offset"], 4 * 12_345)
            at = found["offset"] - found["neighbours_from"]
            words = bytes.fromhex(copy["neighbours"])
            self.assertEqual(words[at : at + 4], value.to_bytes(4, "little"))
            self.assertEqual(words[at + 4 : at + 8], (3).to_bytes(4, "little"))
        self.assertTrue(found["exact"])
        self.assertEqual([launch["name"] for launch in found["launches"]], ["many_arguments"])
        self.assertEqual(report["sides"]["fast"]["exit_code"], 0)
        for side in ("fast", "rtl"):
            self.assertEqual((keep / side / "output").read_text(), "done\n")
            self.assertIn('"ended"', (keep / side / "record").read_text())

    def test_end(self):
        """A kernel that fails on one side, in words."""
        out, _ = self.run_swai("compare", DIFFERS, "end", code=1)
        self.assertRegex(out, r"^different: result \d+ of card 0, stream 1: it ended in another way\n")
        self.assertRegex(out, r"\n  fast  launch of many_arguments: the kernel failed: no such segment, core 0 of group 0, pc 0x")
        self.assertIn("\n  rtl   launch of many_arguments: done\n", out)
        self.assertRegex(out, r"\n  launches before it, the same on both: many_arguments \(result \d+ of card 0, stream 1\)\n")
        self.assertRegex(out, r"\n  fast  exit code 0; faults that the card has noted:\n +kernel failed on core 0")
        self.assertIn("\n  rtl   exit code 0; the card has noted no fault\n", out)

    def test_output(self):
        """Without a card, output is all that there is. What a program leaves running goes."""
        left = self.folder / "left"
        _, found = self.different("sh", "-c", f"sleep 100000 & echo $! >> {left}; echo the same; echo $SWAI_TIER; exit 3")
        self.assertEqual(found, {"kind": "output", "line": 2, "fast": "fast", "rtl": "rtl"})
        processes = left.read_text().split()
        self.assertEqual(len(processes), 2)
        for process in processes:
            self.wait_until_gone(process)

    def test_interrupted_between(self):
        """While the second card boots: its program has only begun then."""
        keep = self.folder / "kept"
        process = self.begin("--keep", keep, "sh", "-c", "test $SWAI_TIER = fast || sleep 100000")
        self.wait_until((keep / "rtl").exists, process)
        self.terminate(process)


class Rest(CompareTest):
    """Without a card in RTL."""

    def test_usage(self):
        for words, text in (
            (["compare"], "PROGRAM"),
            (["compare", "./nothing"], "nothing: No such file"),
            (["compare", "--keep", ".", "true"], "there is something already"),
            (["--card", "some.sock", "compare", "true"], "leave out --card"),
        ):
            self.assertIn(text, self.run_swai(*words, code=2)[1])

    def test_interrupted(self):
        """The program goes, with all that it has started, and nothing is left."""
        begun = self.folder / "begun"
        process = self.begin("sh", "-c", f"sleep 100000 & echo $! > {begun}.new; mv {begun}.new {begun}; wait")
        self.wait_until(begun.exists, process)
        self.terminate(process)
        self.wait_until_gone(begun.read_text().strip())


@unittest.skipUnless(LONG, "long")
class Long(CompareTest):
    def test_examples(self):
        for path in sorted(EXAMPLES.glob("*/*")):
            if path.suffix or not os.access(path, os.X_OK):
                continue
            with self.subTest(path.name):
                words = ["--ignore-output"] if path.name in PRINTS_TIMES else []
                report = self.same(*words, "--folder", path.parent, f"./{path.name}")
                self.assertGreater(report["results"], 0)

    def test_programs(self):
        """Host programs of others: swai itself, kernels that print, a program of the card's processor."""
        for words in (
            ["run", MODULES / "copy.elf", "--args", "buf:5000", "buf:5000:index", "5000", "0"],
            ["run", MODULES / "print.elf", "--kernel", "lines", "--args", "2"],
            ["copy-test", "--size", "16K"],
        ):
            with self.subTest(words[0]):
                report = self.same("--ignore-output", SWAI, *words)
                self.assertGreater(report["results"], 0)
        # Led by the card's own processor, which sends the tokens; what it prints is the same, too.
        self.same(SWAI, "--quiet", "generate", "-m", STORIES, "-p", "Once upon a time", "-n", "2")

    def test_ends(self):
        """Who dies on one side, does one thing more, ends with another code, or not at all."""
        report, found = self.different(DIFFERS, "signal")
        self.assertEqual(found, {"kind": "exit"})
        self.assertEqual([report["sides"][side]["exit_code"] for side in ("fast", "rtl")], [128 + signal.SIGSEGV, 0])
        self.assertGreater(report["bytes"], 150_000)
        self.assertFalse(report["cut"])
        self.assertTrue(report["no_end"])
        report, found = self.different(DIFFERS, "code")
        self.assertEqual(found, {"kind": "exit"})
        self.assertFalse(report["no_end"])
        # With the last of two cards.
        _, found = self.different("--cards", "2", DIFFERS, "missing")
        self.assertEqual((found["kind"], found["source"], found["number"]), ("missing", "card 1, default stream", 1))
        self.assertIsNone(found["rtl"])
        out, _ = self.run_swai("compare", "--limit", "1", "sleep", "100000", code=1)
        self.assertEqual(out.count("was stopped, because its time was up; it used no card"), 2)
        out, _ = self.run_swai("compare", "--ignore-output", "sh", "-c", "echo $SWAI_TIER")
        self.assertEqual(out, "same: 0 results with 0 bytes; exit code 0\nThe program used no card of the runtime library.\n")


if __name__ == "__main__":
    unittest.main()
