#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boots the card from the built flash image and prints the figures of `make bench` about it and the kernel that it runs."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile



def symbols(program):
    listed = subprocess.run(["riscv64-unknown-elf-nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: int(value, 16) for value, _, name in (line.split() for line in listed.splitlines() if line[0] != " ")}


kernel = symbols("build/firmware/kernel.elf")
with tempfile.TemporaryDirectory() as folder:
    flash = pathlib.Path(folder) / "card.flash"
    shutil.copy("build/firmware/flash.bin", flash)
    done = subprocess.run(
        ["build/swai-card", "--flash", flash, "--until-ready", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
if done.returncode != 0:
    sys.exit(done.stderr)
report = json.loads(done.stdout)
print(
    json.dumps(
        {
            "firmware.image_bytes": report["image_bytes"],
            "firmware.sram_free_bytes": kernel["__free_end"] - kernel["__free_start"],
            "firmware.boot_cycles": report["boot_cycles"],
            "firmware.boot_over_flash": report["boot_over_flash"],
            "sim.card_boot_khz": report["khz"],
        }
    )
)
