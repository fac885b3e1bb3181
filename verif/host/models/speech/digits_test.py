#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what the digits model hears in sequences of its test, on a card. Run from the repository root.

The RTL takes half a minute for the shortest sequence, so comparing both tiers in ten is a long test."""

import functools
import json
import shutil
import sys
import unittest

from digits import DEMO, MODEL, SEQUENCES, heard, heard_on_host
from reports import reports

sys.path.insert(0, "verif/host/tools/swai")
from swai_test_case import SwaiTest  # noqa: E402

# One digit to eight, with noise and without; the model hears all of them right. `transcribe.digits-host` takes all there are.
FEW = {"fp32": ("010",), "w8a8": ("000", "019", "064"), "w4a8": ("042",)}
TEN = ("000", "001", "006", "010", "012", "019", "048", "054", "063", "099")


def tokens(report):
    return [token for segment in report["segments"] for token in segment["tokens"]]


def all_but_times(report):
    """What the host's model says, too. Each probability is a number of 64 bits: all logits of a step are in it."""
    segments = report["segments"]
    return {"language": report["language"], "text": report["text"], "tokens": tokens(report),
            "avg_logprob": [segment["avg_logprob"] for segment in segments],
            "no_speech_prob": [segment["no_speech_prob"] for segment in segments]}


def without_file(report):
    return {key: value for key, value in report.items() if key != "file"}


@functools.cache
def few(precision):
    return heard(FEW[precision], "--precision", precision)


class Words(unittest.TestCase):
    def test_are_those_that_were_said(self):
        for precision in FEW:
            for name, report in zip(FEW[precision], few(precision), strict=True):
                with self.subTest(precision=precision, sequence=name):
                    self.assertEqual(report["text"].split(), SEQUENCES[name].words())


class Eager(unittest.TestCase):
    """The operators that eager PyTorch issues, one by one: products of 16 bits say what those of fp32 do."""

    def test_says_the_same_as_the_graph_in_fp32(self):
        names = FEW["fp32"] + FEW["w8a8"]
        fp32, eager = (heard(names, "--no-timestamps", "--no-fallback", *words)
                       for words in (("--precision", "fp32"), ("--launch", "two-tier", "--graph", "eager")))
        for name, right, report in zip(names, fp32, eager, strict=True):
            with self.subTest(sequence=name):
                self.assertEqual(report["text"].split(), SEQUENCES[name].words())
                self.assertEqual(tokens(report), tokens(right))
                for likely, other in zip(report["segments"], right["segments"], strict=True):
                    self.assertAlmostEqual(likely["avg_logprob"], other["avg_logprob"], delta=2e-3)


class HostModel(unittest.TestCase):
    def compare(self, names, precision, said):
        for name, report, host in zip(names, said, heard_on_host(names, precision), strict=True):
            with self.subTest(precision=precision, sequence=name):
                self.assertGreater(len(host["tokens"]), 0)
                self.assertEqual(all_but_times(report), without_file(host))

    def test_says_the_same_to_the_bit(self):
        for precision in FEW:
            self.compare(FEW[precision], precision, few(precision))


class HostModelOfAll(HostModel):
    def compare_all(self, precision):
        self.compare(tuple(SEQUENCES), precision, heard(SEQUENCES, "--precision", precision))

    def test_says_the_same_to_the_bit(self):
        self.compare_all("w8a8")

    def test_says_the_same_in_fp32(self):
        self.compare_all("fp32")

    def test_says_the_same_with_four_bits(self):
        self.compare_all("w4a8")


class SomethingElse(SwaiTest):
    CONFIG = ("--tier", "fast")
    SPEECH = "examples/sounds/jfk.wav"

    def complaints(self, *sounds):
        said = self.run_swai("transcribe", "-m", MODEL, *sounds)[1]
        return [line for line in said.splitlines() if "knows spoken digits only" in line]

    def test_is_doubted(self):
        (complaint,) = self.complaints(SEQUENCES["010"].sound(), self.SPEECH)
        self.assertTrue(complaint.endswith(self.SPEECH), complaint)

    def test_names_of_strangers(self):
        """A model's description and a sound's name are printed without control characters."""
        model = shutil.copytree(MODEL, self.folder / "model")
        config = json.loads((model / "config.json").read_text())
        config["trained_for"]["only"] = "\x1b[31m\u009b"
        (model / "config.json").write_text(json.dumps(config))
        packed, sound = self.folder / "packed", self.folder / "\x1b[32m.wav"
        self.run_swai("--quiet", "model", "import", model, "-o", packed)
        shutil.copy(self.SPEECH, sound)
        out, error = self.run_swai("transcribe", "-m", packed, sound, sound)
        self.assertIn("knows ?[31m? only: something else seems to be in", error)
        self.assertIn("?[32m.wav:", out)
        self.assertNotRegex(out + error, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


class Shares(unittest.TestCase):
    CORES = 32
    SOUND_BYTES = 128 * 80 * 4  # of a window of 1.28 seconds

    def test_are_those_of_what_the_simulator_counts(self):
        stats = heard((DEMO,), "--stats", tier="rtl")[-1]
        phases = {phase["phase"]: phase for phase in stats["phases"]}
        self.assertEqual(list(phases), ["loading", "preparing", "listening", "ending"])
        cycles, listening = stats["jobs"]["ns"], phases["listening"]
        for share, expected in (("overhead_share", 1 - listening["any"] / listening["cycles"]),
                                ("barrier_share", listening["barrier"] / self.CORES / cycles),
                                ("least_share", stats["least_cycles"] / cycles)):
            with self.subTest(share):
                self.assertAlmostEqual(stats[share], expected, places=6)
                self.assertTrue(0 < stats[share] < 1, stats[share])
        # The sound, as rows of numbers, is sent to the card then, and not before.
        self.assertGreater(listening["bytes_to_card"], self.SOUND_BYTES)
        self.assertLess(phases["preparing"]["bytes_to_card"], self.SOUND_BYTES)

    def shares(self, us, *words):
        """Values by row and column."""
        (report,) = reports("bench", "paper", "--table", "shares", "--once", "--model", MODEL, "--sound", SEQUENCES[DEMO].sound(), "--host-us", 0, "--host-us", us, *words, tier="rtl")
        (table,) = report["tables"]
        return {row["what"]: dict(zip(table["columns"], row["values"])) for row in table["rows"]}

    def test_of_all_ways_to_launch(self):
        us = 6.5
        value = self.shares(us)
        job, works, idle, launches = (value[what] for what in ("the job", "an engine works", "overhead: none does", "launches by the host"))
        streamed, paced = "two-tier, operators", f"two-tier, operators, {us} us each"
        eager, eager_paced = "two-tier, PyTorch's operators", f"two-tier, PyTorch's operators, {us} us each"
        self.assertEqual(list(job), [streamed, eager, paced, eager_paced, "three-tier"])
        self.assertEqual(launches["three-tier"], 1)
        self.assertEqual(launches[streamed], launches[paced])
        self.assertEqual(launches[eager], launches[eager_paced])
        self.assertGreater(launches[eager], 2 * launches[streamed])
        for way in job:
            self.assertEqual(idle[way], job[way] - works[way])
            if way != "three-tier":
                self.assertAlmostEqual(value["three-tier's overhead over it"][way], idle["three-tier"] / idle[way])
        host_us = value["the host's time for a launch, us"]
        self.assertEqual(host_us, {streamed: 0, eager: 0, paced: us, eager_paced: us, "three-tier": 0})
        for way in (paced, eager_paced):
            self.assertGreaterEqual(job[way], (launches[way] - 1) * us * 1000)
        # Hosts change nothing about what is computed, and ours compute the same.
        for way, other in ((eager_paced, eager), (paced, streamed), (streamed, "three-tier")):
            self.assertLess(abs(works[way] / works[other] - 1), 0.2)
        self.assertGreater(works[eager], works["three-tier"])

    def test_are_missing_where_nobody_counts(self):
        stats = heard((DEMO,), "--stats")[-1]
        self.assertFalse({"phases", "overhead_share", "barrier_share", "least_share"} & set(stats))


class ClipOnRtl(HostModel):
    def test_says_the_same_to_the_bit(self):
        (said,) = heard((DEMO,), tier="rtl")
        self.assertEqual(said["text"].split(), SEQUENCES[DEMO].words())
        self.compare((DEMO,), "w8a8", (said,))


class BothTiers(HostModel):
    def test_says_the_same_to_the_bit(self):
        for tier in ("fast", "rtl"):
            with self.subTest(tier):
                self.compare(TEN, "w8a8", heard(TEN, tier=tier))


if __name__ == "__main__":
    unittest.main(verbosity=2)
