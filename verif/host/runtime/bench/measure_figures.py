#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All figures of `swai bench sdaa` for all sizes of the paper, up to 1 GB, as a flat JSON object of ns."""

import json
import re
import subprocess

SIZES = ("1K", "16K", "256K", "4M", "8M", "64M", "1G")


def key(figure, series, point):
    name = re.sub(r"[^a-z0-9]+", "_", series["name"].lower()).strip("_")
    size = point.get("bytes")
    if size is None:
        return f"figure_{figure['figure']}.{name}_ns"
    for shift, unit in ((30, "g"), (20, "m"), (10, "k")):
        if size >= 1 << shift:
            return f"figure_{figure['figure']}.{name}_{size >> shift}{unit}_ns"
    raise ValueError(size)


def main():
    command = ["build/swai", "--json", "--config", "cg1", "bench", "sdaa"]
    for size in SIZES:
        command += ["--sizes", size]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    print(json.dumps({
        key(figure, series, point): point["ns"]
        for figure in report["figures"]
        for series in figure["series"]
        for point in series["points"]
    }))


if __name__ == "__main__":
    main()
