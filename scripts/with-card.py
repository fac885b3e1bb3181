#!/usr/bin/env python3
"""Starts a simulated card, runs a command that uses it, and stops the card.

with-card.py [--card build/swai-card] [--folder FOLDER] COMMAND...

The command finds the card through the environment variable SWAI_CARD. Exit code: the command's; 2 when there is no card.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BOOT_SECONDS = 120


def wait_for_socket(card, log):
    """Whether the card serves its socket in time."""
    end = time.monotonic() + BOOT_SECONDS
    while time.monotonic() < end and card.poll() is None:
        if "card 0 is at " in log.read_text(errors="replace"):
            return True
        time.sleep(0.05)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--card", default="build/swai-card", help="the simulated card, a program (default: %(default)s)")
    parser.add_argument("--flash", default="build/firmware/flash.bin", help="its flash; a copy is used (default: %(default)s)")
    parser.add_argument("--folder", default=".", help="where the command runs")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run, with its arguments")
    options = parser.parse_args()
    if not options.command:
        parser.error("what is to be run?")
    # The card is stopped in any case.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))

    with tempfile.TemporaryDirectory(prefix="swai-card-") as name:
        folder = pathlib.Path(name)
        try:
            shutil.copyfile(options.flash, folder / "flash")
            log = folder / "log"
            with log.open("w") as output:
                command = [options.card, "--flash", folder / "flash", "--socket", folder / "socket"]
                card = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        except OSError as error:
            print(f"with-card: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
        try:
            if not wait_for_socket(card, log):
                print(f"with-card: the card does not serve its socket:\n{log.read_text(errors='replace')}", file=sys.stderr)
                return 2
            environment = os.environ | {"SWAI_CARD": str(folder / "socket")}
            return subprocess.run(options.command, cwd=options.folder, env=environment).returncode & 0xff
        except OSError as error:
            print(f"with-card: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
        finally:
            card.terminate()
            card.wait()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
