#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""swai onnx: what it shows of files, and what it says of files that are none. Run from the repository root."""

import json
import pathlib
import subprocess
import tempfile
import unittest


def swai(*arguments, code=0):
    done = subprocess.run(["build/swai", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


class Show(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.temporary.name)
        subprocess.run(["build/onnx-random", folder, "1", "1"], check=True)
        cls.file = folder / "0.onnx"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_steps(self):
        """Each step starts with the nodes that the one before left, and removes what it says."""
        told = json.loads(swai("--json", "onnx", "show", self.file, "--nodes"))
        nodes = told["nodes_in_file"]
        for step in told["steps"]:
            self.assertEqual(step["nodes_before"], nodes)
            self.assertEqual(step["nodes_before"] + sum(step["operations"].values()), step["nodes_after"])
            nodes = step["nodes_after"]
        self.assertEqual(len(told["nodes"]), nodes)
        self.assertEqual(sum(told["operations"].values()), nodes)
        self.assertLess(nodes, told["nodes_in_file"])

    def test_choice_of_passes(self):
        names = [one["name"] for one in json.loads(swai("--json", "onnx", "passes"))["passes"]]
        told = json.loads(swai("--json", "onnx", "show", self.file, "--after", "fold", "--without", "noop"))
        self.assertEqual([step["pass"] for step in told["steps"]], names[:names.index("fold") + 1])
        told = json.loads(swai("--json", "onnx", "show", self.file, "--without", ",".join(names)))
        self.assertEqual(told["steps"], [])

    def test_words(self):
        text = swai("onnx", "show", self.file, "--nodes")
        self.assertRegex(text, r"(?m)^\(file\) +\d+")
        self.assertRegex(text, r"(?m)^output \w+ = %\w+")

    def test_refused(self):
        self.assertIn("is no ONNX file", swai("onnx", "show", "README.md", code=2))
        self.assertIn("cannot be opened", swai("onnx", "show", "absent.onnx", code=2))
        self.assertIn("no pass 'folded'", swai("onnx", "show", self.file, "--after", "folded", code=2))


if __name__ == "__main__":
    unittest.main()
