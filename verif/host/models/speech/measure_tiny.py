#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long `swai transcribe` takes for a recording of 11 seconds with Whisper tiny.en on the fast tier, from its start
to its end. Prints a flat JSON object for `make bench`."""

import json
import time

from reports import reports
from tiny import MISSING, MODEL, RECORDING, SAID, words


def main():
    if not MODEL.exists():
        print(json.dumps({"not measured": {"whisper.tiny_wall_s": MISSING}}))
        return
    begin = time.monotonic()
    (said,) = reports("transcribe", "-m", MODEL, RECORDING)
    seconds = time.monotonic() - begin
    if words(said["text"]) != SAID:
        raise SystemExit(f"the card hears '{said['text']}'")
    print(json.dumps({"whisper.tiny_wall_s": round(seconds, 1)}))


main()
