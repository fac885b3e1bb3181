#!/usr/bin/env python3
"""What sharing a card costs, and whether clients with equal load get equal shares. Prints a flat JSON object of figures."""

import json
import os
import signal
import subprocess
import tempfile

SWAI = "build/swai"
CLIENT = "build/serve-client"
ROUNDS = "101"
FROM, TO = 12_000_000, 20_000_000  # of the card's time: both clients are at work then


def median(command, environment):
    return int(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"XDG_RUNTIME_DIR": folder}
        environment.pop("SWAI_CARD", None)
        alone = median([SWAI, "--config", "cg1", "--quiet", "exec", CLIENT, "sync", ROUNDS], environment)
        daemon = subprocess.Popen([SWAI, "--config", "cg1", "serve"], env=environment, stderr=subprocess.PIPE, text=True)
        for line in daemon.stderr:
            if "ready" in line:
                break
        shared = median([CLIENT, "sync", ROUNDS], environment)
        load = [CLIENT, "load", str(FROM), str(TO)]
        clients = [subprocess.Popen(load, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        shares = [int(client.communicate()[0]) for client in clients]
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate()
    print(json.dumps({
        "serve.sync_wall_ns": alone,
        "serve.overhead_ns": shared - alone,
        "serve.fairness": min(shares) / max(shares),
        "serve.launches_of_two": sum(shares),
    }))


if __name__ == "__main__":
    main()
