# SPDX-License-Identifier: Apache-2.0
"""What the tests of build/swai share. They run from the repository root."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SWAI = str(pathlib.Path("build/swai").resolve())
MODULES = pathlib.Path("build/cpe-kernels").resolve()
SAMPLES = pathlib.Path("build/examples/cuda").resolve()
HANGS = ["run", MODULES / "faults.elf", "--kernel", "endless_loop", "--args", "buf:64", "3", "0"]
LIMIT = 1500  # ends what hangs
# Whether swai starts the card's functional model, as its environment says.
FAST = os.environ.get("SWAI_TIER") == "fast"
TINY = "SWAI tiny, fast tier" if FAST else "SWAI tiny"


def on_rtl(why):
    """A test that runs on RTL alone."""
    return unittest.skipIf(FAST, why)


class SwaiTest(unittest.TestCase):
    """Each test has a folder of its own, in which swai leaves nothing."""

    CONFIG = ("--config", "tiny")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="swai-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # What swai makes lies in here, so that it can be seen what it leaves.
        self.environment = os.environ | {"TMPDIR": folder.name}
        self.environment.pop("SWAI_CARD", None)
        self.environment.pop("XDG_RUNTIME_DIR", None)

    def command(self, *words):
        return [SWAI, *self.CONFIG, *map(str, words)]

    def run_swai(self, *words, code=0, limit=LIMIT, fsize=None):
        """`fsize`: maximum bytes of a file, as if the disk were full then."""
        full = [] if fsize is None else ["prlimit", f"--fsize={fsize}"]
        done = subprocess.run(
            [*full, *self.command(*words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit, env=self.environment
        )
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        self.assertEqual([path.name for path in self.folder.glob("swai-*")], [], "something was left")
        return done.stdout, done.stderr

    def run_json(self, command, *words, **how):
        report = json.loads(self.run_swai("--json", command, *words, **how)[0])
        self.assertEqual(report["version"], 2)
        self.assertEqual(report["command"], command)
        return report
