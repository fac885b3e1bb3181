#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proof about a channel's bus and a receiver on it. verif/rtl/lib/formal/proof.py tells how it is done.

Data have one bit instead of 256: the design only carries them.

Exit code 1: a property does not hold; the waveform is build/formal/channel.vcd.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "lib/formal"))
import proof  # noqa: E402


def narrow(source):
    """256 bits of data become one."""
    text = source.read_text()
    small = re.sub(r"\b256\b", "1", text.replace("[255:0]", "[0:0]"))
    if small == text and source.name != "cpe_channel_queue.sv":
        sys.exit(f"{source}: no data of 256 bits")
    source.write_text(small)
    return source


def main():
    designs = ["cpe/channel/cpe_channel_queue", "cpe/channel/cpe_channel_receive", "group/cg_channel"]
    sources = [narrow(source) for source in proof.readable_rtl("channel", designs)]
    sources += [proof.HERE / "fv_reset.sv", HERE / "fv_channel.sv"]
    return 0 if proof.prove("channel", "fv_channel", sources, 10) else 1


if __name__ == "__main__":
    sys.exit(main())
