# SPDX-License-Identifier: Apache-2.0
"""What programs report as JSON: one object or more."""

import json
import subprocess


def printed_by(*command):
    out = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, check=True).stdout
    while out.strip():
        report, end = json.JSONDecoder().raw_decode(out.lstrip())
        out = out.lstrip()[end:]
        yield report


def reports(*words, tier="fast"):
    yield from printed_by("build/swai", "--tier", tier, "--quiet", "--json", *words)
