#!/usr/bin/env python3
"""Tests what host programs see of the fast tier: who chooses it, who says which one runs, and that it does the same again.
Run from the repository root."""

import json
import os
import subprocess
import unittest

SWAI = "build/swai"
COPY = ["run", "build/cpe-kernels/copy.elf", "--args", "buf:4096", "buf:4096:index", "4096", "0"]
LIMIT = 120


def swai(*words, tier=None):
    environment = {name: value for name, value in os.environ.items() if name not in ("SWAI_TIER", "SWAI_CARD")}
    if tier is not None:
        environment["SWAI_TIER"] = tier
    return subprocess.run(
        [SWAI, "--config", "tiny", *words], capture_output=True, text=True, timeout=LIMIT, env=environment
    )


class HostPrograms(unittest.TestCase):
    def good(self, *words, **keys):
        done = swai(*words, **keys)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_info_says_which_tier(self):
        for words, keys in ((("--tier", "fast"), {}), ((), {"tier": "fast"}), (("--tier", "fast"), {"tier": "rtl"})):
            with self.subTest(words=words, keys=keys):
                card = json.loads(self.good(*words, "--json", "info", **keys).stdout)["cards"][0]
                self.assertEqual(card["tier"], "fast")
                self.assertEqual((card["rows"], card["columns"]), (2, 2))
        text = self.good("--tier", "fast", "info").stdout
        self.assertIn("fast: a functional model", text)

    def test_unknown_tier_is_refused(self):
        self.assertEqual(swai("--tier", "quick", "info").returncode, 2)
        self.assertEqual(swai("info", tier="quick").returncode, 2)

    def test_same_run_again(self):
        runs = [json.loads(self.good("--tier", "fast", "--json", *COPY).stdout) for _ in range(2)]
        self.assertEqual(runs[0], runs[1])

    def test_copies_of_all_kinds(self):
        self.good("--tier", "fast", "copy-test")


if __name__ == "__main__":
    unittest.main()
