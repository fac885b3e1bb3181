"""What `swai` reports as JSON: one object or more."""

import json
import subprocess


def reports(*words, tier="fast"):
    command = ["build/swai", "--tier", tier, "--quiet", "--json", *map(str, words)]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    while out.strip():
        report, end = json.JSONDecoder().raw_decode(out.lstrip())
        out = out.lstrip()[end:]
        yield report
