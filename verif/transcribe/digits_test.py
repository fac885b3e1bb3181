#!/usr/bin/env python3
"""Tests what the digits model hears in sequences of its test, on a card. Run from the repository root.

The RTL takes about a minute for a sequence, so comparing both tiers is a long test."""

import sys
import unittest

from digits import DEMO, MODEL, SEQUENCES, heard

sys.path.insert(0, "verif/cli")
from swai_test_case import SwaiTest  # noqa: E402

PRECISIONS = ("fp32", "w8a8")
# One digit to eight, with noise and without; the model hears all of them right.
FEW = ("000", "010", "019", "042", "064")
TEN = ("000", "001", "006", "010", "012", "019", "048", "054", "063", "099")


def tokens(report):
    return [token for segment in report["segments"] for token in segment["tokens"]]


class Words(unittest.TestCase):
    def test_are_those_that_were_said(self):
        for precision in PRECISIONS:
            for name, report in zip(FEW, heard(FEW, "--precision", precision), strict=True):
                with self.subTest(precision=precision, sequence=name):
                    self.assertEqual(report["text"].split(), SEQUENCES[name].words())


class SomethingElse(SwaiTest):
    CONFIG = ("--tier", "fast")
    SPEECH = "examples/sounds/jfk.wav"

    def complaints(self, *sounds):
        said = self.run_swai("transcribe", "-m", MODEL, *sounds)[1]
        return [line for line in said.splitlines() if "knows spoken digits only" in line]

    def test_is_doubted(self):
        (complaint,) = self.complaints(SEQUENCES["010"].sound(), self.SPEECH)
        self.assertTrue(complaint.endswith(self.SPEECH), complaint)


class Shares(unittest.TestCase):
    CORES = 32

    def test_are_those_of_what_the_simulator_counts(self):
        stats = heard((DEMO,), "--stats", tier="rtl")[-1]
        cycles, listening = stats["jobs"]["ns"], stats["phases"][-1]
        self.assertEqual(listening["phase"], "listening")
        for share, expected in (("overhead_share", 1 - listening["any"] / cycles),
                                ("barrier_share", listening["barrier"] / self.CORES / cycles),
                                ("least_share", stats["least_cycles"] / cycles)):
            with self.subTest(share):
                self.assertAlmostEqual(stats[share], expected, places=6)
                self.assertTrue(0 < stats[share] < 1, stats[share])

    def test_are_missing_where_nobody_counts(self):
        stats = heard((DEMO,), "--stats")[-1]
        self.assertFalse({"phases", "overhead_share", "barrier_share", "least_share"} & set(stats))


class BothTiers(unittest.TestCase):
    def test_choose_the_same_tokens(self):
        for name, fast, rtl in zip(TEN, heard(TEN), heard(TEN, tier="rtl"), strict=True):
            with self.subTest(sequence=name):
                self.assertGreater(len(tokens(fast)), 0)
                self.assertEqual(tokens(rtl), tokens(fast))


if __name__ == "__main__":
    unittest.main(verbosity=2)
