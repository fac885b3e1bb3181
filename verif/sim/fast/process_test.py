#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the memory of the functional model's process: generated code is never writable where it is executable, and the
card's memory is kept only as long as a client may read it. Run from the repository root."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

CARD = "build/swai-card-fast"
FLASH = "build/firmware/flash.bin"
KERNELS = "build/cpe-kernels"
RUN = "build/iss-cpe-run"
SWAI = "build/swai"
# Long enough to be inspected; the test ends it.
LONG = [f"{KERNELS}/scalar.elf", "--args", "buf:4096", str(2**32 - 1), "0"]
LIMIT = 1500  # seconds after which a hanging command is ended
MIB = 1 << 20
FILLED = 512  # MiB
# One client fills memory and leaves; the next one waits until the card's kernel has reclaimed all of it.
CLIENT = """
import ctypes, sys
library = ctypes.CDLL("build/libsdaa.so.1")
def call(name, *arguments):
    if getattr(library, name)(*arguments) != 0:
        library.sdaaGetLastErrorMessage.restype = ctypes.c_char_p
        sys.exit(name + ": " + library.sdaaGetLastErrorMessage().decode())
def free_bytes():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("sdaaMemGetInfo", ctypes.byref(free), ctypes.byref(total))
    return free.value
if sys.argv[1] == "free":
    while free_bytes() < int(sys.argv[2]):
        pass
    print(free_bytes())
else:
    memory = ctypes.c_void_p()
    call("sdaaMalloc", ctypes.byref(memory), ctypes.c_size_t(int(sys.argv[2])))
    call("sdaaMemset", memory, 0xa5, ctypes.c_size_t(int(sys.argv[2])))
    call("sdaaDeviceSynchronize")
"""
MAPPING = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (?P<access>\S{4}) \S+ \S+ \S+ *(?P<name>.*)$")


def mappings(process):
    """Access, name and resident KiB of each mapping."""
    found = []
    for line in pathlib.Path(f"/proc/{process.pid}/smaps").read_text(encoding="utf-8").splitlines():
        if begin := MAPPING.match(line):
            found.append([begin["access"], begin["name"], 0])
        elif line.startswith("Rss:"):
            found[-1][2] = int(line.split()[1])
    return found


def generates_code():
    """Whether generated code is in use, by HostCode's condition."""
    return bool(re.search(r"^flags\s*:.*\bbmi2\b", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M))


class Process(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.socket = self.folder / "card.sock"
        own = ("SWAI_TIER", "SWAI_CARD", "SWAI_RESTORE", "SWAI_CHECK", "SWAI_MEMORY_CHECK")
        self.environment = {name: value for name, value in os.environ.items() if name not in own}

    def start(self, *words, **variables):
        process = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment | variables)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition, what):
        end = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def start_card(self):
        flash = self.folder / "card.flash"
        shutil.copy(FLASH, flash)
        card = self.start(CARD, "--config", "tiny", "--flash", flash, "--socket", self.socket, "--console", "none")
        self.wait_until(self.socket.exists, "the card serves no socket")
        return card


class GeneratedCode(Process):
    def check(self, process, *others):
        """A page of a mapping is resident only if the process has touched it there; executable pages are never read as
        data."""
        def is_executed():
            for needed in (process, *others):
                self.assertIsNone(needed.poll(), f"{needed.args} has ended")
            now = mappings(process)
            both = [(access, name) for access, name, _ in now if "w" in access and "x" in access]
            self.assertEqual(both, [], "mappings that are writable and executable")
            return any(access.startswith("r-x") and "swai-host-code" in name and resident > 0 for access, name, resident in now)
        if generates_code():
            self.wait_until(is_executed, "no generated code is executed")
        else:
            is_executed()

    def test_of_a_kernel_alone(self):
        self.check(self.start(RUN, *LONG))

    def test_of_a_card(self):
        card = self.start_card()
        self.check(card, self.start(SWAI, "--quiet", "run", *LONG, SWAI_CARD=str(self.socket)))


class CardMemory(Process):
    def client(self, *words):
        done = subprocess.run([sys.executable, "-c", CLIENT, *map(str, words)], capture_output=True, text=True, timeout=LIMIT,
                              env=self.environment | {"SWAI_CARD": str(self.socket)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_of_clients_that_have_gone_is_given_back(self):
        card = self.start_card()
        resident = lambda: sum(kib for _, _, kib in mappings(card)) // 1024
        free = int(self.client("free", 0))
        before = resident()
        # The kernel gives each client other blocks.
        for _ in range(3):
            self.client("fill", FILLED * MIB)
            self.assertGreater(resident(), before + FILLED // 2, "nothing was filled")
            self.client("free", free)
            self.assertLess(resident(), before + FILLED // 8)


if __name__ == "__main__":
    unittest.main()
