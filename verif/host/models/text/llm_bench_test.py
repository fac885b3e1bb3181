#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests `swai bench llm` as its users see it, with a small shape on the fast tier, and its formulas beside what the paper prints.
Run from the repository root."""

import sys
import unittest

sys.path.insert(0, "verif/host/tools/swai")
from swai_test_case import SwaiTest  # noqa: E402

TINY = ("--shape", "tiny", "--prompt", 70, "--past", 80)


class LanguageBench(SwaiTest):
    def tables(self, *words):
        report = self.run_json("bench", "llm", *words)
        return {table["table"]: {row["what"]: row["values"] for row in table["rows"]} for table in report["tables"]}

    def check_shares(self, throughput):
        for share, peak, reached in zip(throughput["share, ours"], throughput["peak, ours: each operator at its own limit"],
                                        throughput["reached, ours"]):
            self.assertAlmostEqual(share, reached / peak)
            self.assertGreater(share, 0.005)
            self.assertLess(share, 1)


class LanguageTables(LanguageBench):
    CONFIG = ("--tier", "fast")

    def test_formulas_give_what_the_paper_prints(self):
        """No card: its own shape, from its own formulas, to a unit of the last digit that is printed."""
        last_digits = {("operations", "linear layers"): (0.01, 0.01), ("operations", "attention"): (0.01, 0.01),
                       ("bytes", "linear layers"): (0.01, 0.01), ("bytes", "attention"): (0.01, 0.01),
                       ("bytes", "all else"): (0.0001, 0.00001)}
        tables = self.tables("--table", "operations", "--table", "bytes")
        for (table, part), units in last_digits.items():
            rows = [tables[table][f"{part}, the paper's{more}"] for more in ("", " formulas")]
            for theirs, ours, unit in zip(*rows, units):
                self.assertAlmostEqual(ours, theirs, delta=unit, msg=f"{table}: {part}")

    def test_demand_of_our_nodes(self):
        """What a tiny model needs, by hand: weights of four bits with a byte of scale and zero for each 32."""
        rows = self.tables(*TINY, "--table", "operations")["operations"]
        width, inner, keys, words, layers = 128, 256, 64, 512, 2
        block = width * (width + 2 * keys + width) + 3 * width * inner
        decode = 2 * (layers * block + width * words)
        # 70 tokens are two launches, each with the output for its last one.
        prefill = 2 * (70 * layers * block + 2 * width * words)
        for found, wanted in zip(rows["linear layers, our nodes"], (prefill, decode)):
            self.assertAlmostEqual(found * 2**30, wanted)
        # Scores and sums: each query head, each key that is seen.
        seen = sum(range(1, 71)), 81
        for found, wanted in zip(rows["attention, our nodes"], seen):
            self.assertAlmostEqual(found * 2**30, 2 * 2 * layers * wanted * width)
        self.assertNotIn("linear layers, the paper's", rows)

    def test_a_card(self):
        tables = self.tables(*TINY)
        self.assertEqual(list(tables), ["machine", "operations", "bytes", "intensity", "throughput", "gains"])
        # Times of a functional model are coarse.
        for reached in tables["machine"]["operators: copy, linear in int8, in fp32"]:
            self.assertGreater(reached, 0)
        self.check_shares(tables["throughput"])
        self.assertEqual(len([what for what in tables["gains"] if what.endswith(", ours")]), 3)

    def test_text_and_pictures(self):
        out = self.run_swai("--quiet", "bench", "llm", *TINY, "--table", "throughput", "-o", self.folder / "drawn")[0]
        self.assertIn("its times are coarse. --tier rtl measures", out)
        self.assertIn("Tokens a second against the machine's limits", out)
        self.assertRegex(out, r"Measured on SWAI cg1, fast tier, commit [-0-9a-z]+: tiny, 2 blocks, W4A8\.")
        self.assertEqual(sorted(path.name for path in (self.folder / "drawn").iterdir()),
                         ["throughput-decode-behind-80.svg", "throughput-prefill-70-tokens.svg"])

    def test_bad_input(self):
        for words in (("--shape", "huge"), ("--prompt", 0), ("--past", 5000), ("--blocks", 65), ("--table", "all")):
            self.run_swai("bench", "llm", *words, code=2)


class OnRtl(LanguageBench):
    """The same on a small card in RTL, where times are the hardware's."""

    CONFIG = ("--config", "tiny", "--tier", "rtl")

    def test_a_card(self):
        tables = self.tables(*TINY)
        machine = tables["machine"]
        copied, integers, reals = (
            reached / limit for reached, limit in zip(machine["operators: copy, linear in int8, in fp32"], machine["the card's limits"]))
        # Four cores do not fill the memory's rate.
        self.assertTrue(0.05 < copied < 1.06, copied)
        self.assertTrue(0.5 < integers < 1, integers)
        self.assertTrue(0.3 < reals < 1, reals)
        self.check_shares(tables["throughput"])
        for what, values in tables["gains"].items():
            if what.endswith(", ours"):
                self.assertGreater(values[1], 0, what)


if __name__ == "__main__":
    unittest.main()
