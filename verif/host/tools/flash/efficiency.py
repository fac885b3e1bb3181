#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of what the clock of the SPI bus allows arrives as contents when a whole chip is read, and how long a page
takes to be programmed. The time is that of the emulated board: the clock's periods, what the USB takes for its transfers,
and the chip's typical times. 1 is the limit: eight clock periods for each byte, and nothing else."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import images

PAGE = 256


def run(board, chip, *words):
    report = chip.with_suffix(".json")
    subprocess.run(
        ["build/swai-usb-board", "--board", board, "--report", str(report), str(chip), "--", "build/swai", "--quiet", "flash"]
        + [str(word) for word in words],
        check=True,
        stdout=sys.stderr,
        env=os.environ | {"XDG_CONFIG_HOME": str(chip.parent)},
    )
    (seen,) = json.loads(report.read_text())["boards"]
    return seen


def main():
    figures = {}
    with tempfile.TemporaryDirectory(prefix="swai-flash-") as name:
        folder = pathlib.Path(name)
        chip, image = folder / "chip", folder / "image"
        payload = 96 << 10
        image.write_bytes(images.image("1.1.0", payload))
        for board, way in (("icebreaker", "spi"), ("versa", "jtag")):
            images.chip(chip, a=images.confirmed(images.image("1.0.0")), seed=1)
            copy = folder / "copy"
            figures[f"flash.usb_efficiency_{way}"] = run(board, chip, "read", copy)["reading"]["usb_efficiency"]
            if copy.read_bytes() != chip.read_bytes():
                sys.exit(f"{board}: what was read is not what is there")
            programming = run(board, chip, "write", image)["programming"]
            figures[f"flash.program_page_us_{way}"] = 1e6 * programming["seconds"] / (programming["bytes"] / PAGE)
    figures["flash.usb_efficiency"] = min(figures["flash.usb_efficiency_spi"], figures["flash.usb_efficiency_jtag"])
    print(json.dumps({key: round(value, 4) for key, value in figures.items()}))


if __name__ == "__main__":
    main()
