#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files in, labels out: `swai graph compile`, a program and a host that has the runtime library alone; and the same by `swai graph run`."""

import json
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SWAI = ["build/swai", "--tier", "fast", "--config", "tiny", "--quiet"]
TEXTS = [[1, 2, 3], [9, 8, 7, 6, 5]]
GRAPH = "verif/kit/toys/encoder.graph"


def run(*words):
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, check=True).stdout


def main():
    with tempfile.TemporaryDirectory(prefix="swai-toys-") as name:
        folder = Path(name)
        template = folder / "encoder.template"
        run(*SWAI, "graph", "compile", GRAPH, "-o", template)
        numbers = random.Random(int(sys.argv[1]))
        files = []
        for number, memory in enumerate(json.loads(run(*SWAI, "--json", "graph", "show", template))["memory"]):
            size = memory["most"]
            file = folder / f"{number}"
            is_weight = memory["kind"] == "weight"
            file.write_bytes(struct.pack(f"<{size // 4}f", *(numbers.uniform(-0.2, 0.2) if is_weight else 0 for _ in range(size // 4))))
            files.append((memory, file))
        said = run(*SWAI, "exec", "build/toy-host", "build/cpe-kernels/operators.elf", "build/programs/toy-encode.elf", template, *(file for _, file in files))
        right = ""
        for text in TEXTS:
            (folder / "tokens").write_bytes(struct.pack(f"<{len(text)}i", *text))
            given = [word for memory, file in files if memory["kind"] == "weight" for word in ("--in", f"{memory['name']}={file}")]
            run(*SWAI, "graph", "run", GRAPH, "--set", f"rows={len(text)}", "--in", f"tokens={folder / 'tokens'}", *given,
                "--out", f"label={folder / 'label'}", "--out", f"likely={folder / 'likely'}")
            (label,), (likely,) = (struct.unpack("<I", (folder / result).read_bytes()) for result in ("label", "likely"))
            right += f"{label} {likely:08x}\n"
        if said != right:
            sys.exit(f"the host that has the runtime library alone:\n{said}`swai graph run`:\n{right}")


if __name__ == "__main__":
    main()
