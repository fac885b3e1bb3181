#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often the host asks the card for a sound, and for a text, on the fast tier, as a flat JSON object.

Models with random weights do: what they say is no good, so sounds are taken as they are first heard."""

import json
import tempfile

import random_whisper
from reports import reports
from sounds import write_sound

TEXT_MODEL = "models/stories260K/stories260K.bin"
PROMPT_WORDS = (1, 40)  # repetitions; the second is longer than what one list takes
WINDOWS = {5: 1, 45: 3, 170: 9}  # of the sound of so many seconds


def launches_of(stats):
    return sum(part["launches"] for part in stats.values() if isinstance(part, dict) and "launches" in part)


def main():
    with tempfile.TemporaryDirectory() as folder:
        model, sound = f"{folder}/model", f"{folder}/sound.wav"
        random_whisper.write(model)
        speech = []
        for seconds, windows in WINDOWS.items():
            write_sound(sound, seconds)
            said, stats = reports("transcribe", "-m", model, sound, "--no-fallback", "--stats")
            if said["windows"] != windows:
                raise SystemExit(f"{seconds} s of sound are {said['windows']} windows, not {windows}")
            speech.append(launches_of(stats))
    texts = []
    for words in PROMPT_WORDS:
        prompt = " ".join(["Once upon a time"] * words)
        (answer,) = reports("generate", "-m", TEXT_MODEL, "-p", prompt, "-n", "40", "--stats")
        texts.append(launches_of(answer["stats"]))
    print(json.dumps({"whisper.launches_per_job": max(speech), "llm.launches_per_job": max(texts)}))


main()
