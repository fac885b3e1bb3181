# SPDX-License-Identifier: Apache-2.0
"""Daemons (`swai ... serve`), for tests."""

import os
import signal
import subprocess

from swai_test_case import LIMIT, SWAI


def begin(folder, *words):
    """A daemon that boots, by these words behind `swai`. Its files lie in this folder."""
    environment = os.environ | {"XDG_RUNTIME_DIR": str(folder), "TMPDIR": str(folder)}
    environment.pop("SWAI_CARD", None)
    return subprocess.Popen([SWAI, *map(str, words)], stderr=subprocess.PIPE, text=True, env=environment)


def start(folder, *words):
    """One that is ready, and what it said until then."""
    daemon = begin(folder, *words)
    lines = []
    for line in daemon.stderr:
        lines.append(line)
        if "ready" in line:
            break
    return daemon, "".join(lines)


def ignore(daemon):
    """Nobody reads what it says from now on."""
    return subprocess.Popen(["cat"], stdin=daemon.stderr, stdout=subprocess.DEVNULL)


def end(daemon, log, folder):
    """It ends in order, and leaves nothing in its folder, a TemporaryDirectory. `log`: who ignores it."""
    daemon.send_signal(signal.SIGTERM)
    code = daemon.wait(LIMIT)
    log.wait()
    left = os.listdir(folder.name)
    folder.cleanup()
    assert code == 0, code
    assert not left, left
