#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What sdaacc does before it compiles and after it has linked: a clone in which nothing was built, a disk that is full. Run from the
repository root."""

import errno
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from unittest import mock

SDAACC = "cpe-kernels/sdk/compiler/sdaacc"


sys.dont_write_bytecode = True


def loaded():
    sys.path.insert(0, "cpe-kernels/sdk/compiler")
    loader = SourceFileLoader("sdaacc", SDAACC)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("sdaacc", loader))
    loader.exec_module(module)
    return module


def full_disk(_source, target):
    pathlib.Path(target).write_bytes(b"a par")
    raise OSError(errno.ENOSPC, "No space left on device")


class Output(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sdaacc-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_new_clone(self):
        shutil.copytree("cpe-kernels", self.folder / "cpe-kernels", ignore=shutil.ignore_patterns("*.cpp"))
        command = [self.folder / SDAACC, SDAACC, "-o", self.folder / "out.elf"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"`make -C {self.folder} generated` makes it", done.stderr)

    def test_full_disk(self):
        sdaacc = loaded()
        made = self.folder / "made"
        made.write_bytes(b"a whole module")
        out = self.folder / "out.elf"
        for before in (None, b"an older one"):
            if before:
                out.write_bytes(before)
            there = {path: path.read_bytes() for path in self.folder.iterdir()}
            with mock.patch("shutil.copyfile", full_disk), self.assertRaises(sdaacc.Refused) as refused:
                sdaacc.deliver(made, out)
            self.assertEqual((str(refused.exception), refused.exception.code), (f"cannot write {out}: No space left on device", 2))
            self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir()}, there)
        sdaacc.deliver(made, out)
        self.assertEqual(out.read_bytes(), made.read_bytes())

    def test_where_a_link_leads(self):
        made = self.folder / "made"
        made.write_bytes(b"a whole module")
        (self.folder / "link.elf").symlink_to("out.elf")
        loaded().deliver(made, self.folder / "link.elf")
        self.assertEqual((self.folder / "out.elf").read_bytes(), made.read_bytes())
        self.assertTrue((self.folder / "link.elf").is_symlink())


if __name__ == "__main__":
    unittest.main()
