#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces text generation on a small card in RTL: a step has rows of host, processor, every core's units, DMA and ring, and flows from
its launch to the host's memory; and it can be drawn. Run from the repository root."""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, "verif/host/models/text")
import decode_step  # noqa: E402
import decode_step_svg  # noqa: E402

SWAI = ["build/swai", "--quiet"]
TOKENS, CORES = 3, 4
LIMIT = 1500  # ends what hangs
SVG = "{http://www.w3.org/2000/svg}"


class DecodeStep(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="swai-step-") as folder:
            trace = pathlib.Path(folder) / "generate.pftrace"
            generate = [*SWAI, "generate", "-m", "models/stories260K/stories260K.bin", "--precision", "w8a8", "-p", "Once", "-n", str(TOKENS)]
            subprocess.run([*SWAI, "--config", "tiny", "trace", trace, *generate], check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)
            # Raises what is missing of a step's flows.
            cls.steps = decode_step.steps(trace)

    def test_a_step_for_each_token_behind_the_first(self):
        self.assertEqual(len(self.steps), TOKENS - 1)
        for one, other in zip(self.steps, self.steps[1:]):
            self.assertLess(one.chain["done"].time, other.chain["doorbell"].time)

    def test_the_processor_is_woken(self):
        """It may be awake already when one of the launches ends, for its timer."""
        self.assertTrue(any("awake" in step.chain for step in self.steps))

    def test_every_core_and_its_units(self):
        for step in self.steps:
            self.assertEqual({core.name for core in step.cores}, {f"group 0 core {i}" for i in range(CORES)})
            for core in step.cores:
                self.assertLessEqual({"scalar", "DMA", "vector unit"}, core.units.keys(), core.name)
            self.assertIn("systolic unit", {unit for core in step.cores for unit in core.units})

    def test_the_ring(self):
        for step in self.steps:
            for node in ("MPE", "PCIe", "group 0"):
                self.assertGreater(sum(value for _, value in step.counted(f"ring {node} injected")), 0, node)

    def test_a_picture(self):
        step = self.steps[-1]
        root = xml.etree.ElementTree.fromstring(decode_step_svg.drawn(step))
        words = [text.text for text in root.iter(f"{SVG}text")]
        for row in ("host", "MPE", "inbox", "DMA 0", "ring, packets", "group 0"):
            self.assertEqual(words.count(row), 2, row)
        for row in ("waits", "DMA", "vector unit", "systolic unit"):
            self.assertTrue(any(word.startswith("core ") and word.endswith(f", {row}") for word in words), row)
        self.assertEqual([word for word in words if word.isdigit()], ["1", "2", *(["3", "4", "5", "6"] if "awake" in step.chain else ["3", "5", "6"])])
        # The chain's flows, above; below those behind the launch. One leads nowhere: a record is not behind the processor's waking.
        flows = [path for path in root.iter(f"{SVG}path") if path.get("class") == "flow"]
        links = len(step.chain) - 2
        self.assertEqual(len(flows), links + links - 2)


if __name__ == "__main__":
    unittest.main()
