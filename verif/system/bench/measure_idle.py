#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CPU share of a card that has booted, serves its socket and has nothing to do: with a client connected, and without."""

import json
import os
import pathlib
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SECONDS = 5
VERSION = json.dumps({"capabilities": {"max_msg_fds": 1}}).encode() + b"\0"


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share(pid):
    before, start = cpu_seconds(pid), time.monotonic()
    time.sleep(SECONDS)
    return (cpu_seconds(pid) - before) / (time.monotonic() - start)


def main():
    with tempfile.TemporaryDirectory() as folder:
        flash, path = f"{folder}/flash", f"{folder}/socket"
        shutil.copy("build/firmware/flash.bin", flash)
        command = ["build/swai-card", "--flash", flash, "--socket", path, "--console", "none"]
        card = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            if not select.select([card.stderr], [], [], 60)[0] or " is at " not in card.stderr.readline():
                print("swai-card does not come up", file=sys.stderr)
                return 1
            alone = share(card.pid)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                # vfio-user VERSION 0.1, and nothing after it.
                header = b"\0\0" + (1).to_bytes(2, "little") + (20 + len(VERSION)).to_bytes(4, "little") + bytes(8)
                client.sendall(header + (0).to_bytes(2, "little") + (1).to_bytes(2, "little") + VERSION)
                if not client.recv(4096):
                    print("swai-card refuses the client", file=sys.stderr)
                    return 1
                print(json.dumps({"sim.idle_cpu": max(alone, share(card.pid))}))
        finally:
            card.terminate()
            card.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
