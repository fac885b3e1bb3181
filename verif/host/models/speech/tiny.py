# SPDX-License-Identifier: Apache-2.0
"""Whisper tiny.en, which scripts/get-model fetches, and the recording of examples/sounds that it listens to."""

import pathlib
import re

MODEL = pathlib.Path("build/models/whisper-tiny.en")
MISSING = f"{MODEL} is not there: scripts/get-model whisper-tiny.en fetches it"
RECORDING = pathlib.Path("examples/sounds/jfk.wav")


def words(text):
    return re.findall(r"[a-z0-9']+", text.lower())


SAID = words("And so, my fellow Americans, ask not what your country can do for you, ask what you can do for your country.")
