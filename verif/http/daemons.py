"""Daemons on the fast tier, for tests."""

import os
import subprocess

from swai_test_case import SWAI


def start(folder, *words):
    """A daemon whose files lie in this folder, and what it says until it is ready."""
    environment = os.environ | {"XDG_RUNTIME_DIR": str(folder), "TMPDIR": str(folder)}
    environment.pop("SWAI_CARD", None)
    daemon = subprocess.Popen([SWAI, "--tier", "fast", "serve", *map(str, words)], stderr=subprocess.PIPE, text=True, env=environment)
    lines = []
    for line in daemon.stderr:
        lines.append(line)
        if "ready" in line:
            break
    return daemon, "".join(lines)


def ignore(daemon):
    """Nobody reads what it says from now on."""
    return subprocess.Popen(["cat"], stdin=daemon.stderr, stdout=subprocess.DEVNULL)
