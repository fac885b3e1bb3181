#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What sharing a card costs, and whether clients with equal load get equal shares. Prints a flat JSON object of figures."""

import json
import os
import signal
import statistics
import subprocess
import tempfile

SWAI = "build/swai"
CLIENT = "build/serve-client"
ROUNDS = "1000"
FROM, TO = 12_000_000, 20_000_000  # of the card's time: both clients are at work then


def sync_times(served, environment):
    """Of launches that take turns, pair by pair: on a card of the client's own, on the one that is served."""
    both = ["sh", "-c", f"SWAI_CARD=$SWAI_CARD,{served} exec {CLIENT} sync {ROUNDS}"]
    command = [SWAI, "--config", "tiny", "--quiet", "exec", *both]
    lines = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
    return [tuple(map(int, line.split())) for line in lines]


def overhead(pairs):
    alone, served = zip(*pairs)
    # One launch in a hundred finds a processor at once at every step, however busy the machine is.
    quiet_alone, quiet_served = (statistics.quantiles(times, n=100)[0] for times in (alone, served))
    return {
        "serve.sync_wall_ns": statistics.median(alone),
        "serve.overhead_ns": statistics.median(served - alone for alone, served in pairs),
        "serve.overhead_quiet_ns": round(quiet_served - quiet_alone),
    }


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"XDG_RUNTIME_DIR": folder}
        environment.pop("SWAI_CARD", None)
        daemon = subprocess.Popen([SWAI, "--config", "tiny", "serve"], env=environment, stderr=subprocess.PIPE, text=True)
        try:
            for line in daemon.stderr:
                if "ready" in line:
                    break
            pairs = sync_times(f"{folder}/swai/card0", environment)
            load = [CLIENT, "load", str(FROM), str(TO)]
            clients = [subprocess.Popen(load, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
            shares = [int(client.communicate()[0]) for client in clients]
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.communicate()
    print(json.dumps({
        **overhead(pairs),
        "serve.fairness": min(shares) / max(shares),
        "serve.launches_of_two": sum(shares),
    }))


if __name__ == "__main__":
    main()
