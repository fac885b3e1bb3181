#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many words of tiny.en on the fast tier are those of the same model in double precision. Both take the
likeliest tokens. The sounds are real recordings, and plain English and an encyclopedia that espeak-ng reads; the key pools
all of them, and each part has a key of its own. Prints a flat JSON object for `make bench-long`.
scripts/get-model whisper-tiny.en fetches the model."""

import argparse
import dataclasses
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

from reports import printed_by, reports
from tiny import MISSING, MODEL, RECORDING, words

RECORDINGS = pathlib.Path("verif/host/models/speech/data/recordings")
PLAIN = pathlib.Path("verif/host/models/speech/data/plain-english.txt")
ENCYCLOPEDIA = pathlib.Path("verif/host/models/text/data/squad-paragraphs.txt")
PARAGRAPHS = 4
WORDS_OF_A_PARAGRAPH = 40


@dataclasses.dataclass
class Part:
    """Sounds of one kind, and how many of their words are the same."""

    sounds: list
    equal: int = 0
    total: int = 0

    def add(self, right, said):
        expected, transcribed = words(right["text"]), words(said["text"])
        blocks = difflib.SequenceMatcher(None, expected, transcribed, autojunk=False).get_matching_blocks()
        matched = sum(block.size for block in blocks)
        # Words that only one of the texts has also count as different.
        self.equal += matched
        self.total += max(len(expected), len(transcribed))
        print(f"{matched} of {len(expected)} words: {said['file']}", file=sys.stderr, flush=True)


def spoken(folder, name, paragraphs):
    """Sounds of espeak-ng that reads these paragraphs."""
    clips = []
    for number, paragraph in enumerate(paragraphs):
        clip = folder / f"{name}-{number}.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-w", clip, paragraph], check=True)
        clips.append(clip)
    return clips


def parts_in(folder):
    encyclopedia = ENCYCLOPEDIA.read_text().splitlines()[:PARAGRAPHS]
    encyclopedia = [" ".join(paragraph.split()[:WORDS_OF_A_PARAGRAPH]) for paragraph in encyclopedia]
    return {
        "recordings": Part([RECORDING, *sorted(RECORDINGS.glob("*.wav"))]),
        "plain": Part(spoken(folder, "plain", PLAIN.read_text().splitlines())),
        "encyclopedia": Part(spoken(folder, "encyclopedia", encyclopedia)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--precision", default="w8a8", help="of the card (default w8a8)")
    precision = parser.parse_args().precision
    if not MODEL.exists():
        print(json.dumps({"not measured": {"whisper.tiny_agreement": MISSING}}))
        return
    with tempfile.TemporaryDirectory() as folder:
        parts = parts_in(pathlib.Path(folder))
        sounds = [sound for part in parts.values() for sound in part.sounds]
        right = iter(printed_by("build/whisper-reference", "-m", MODEL, *sounds))
        said = iter(reports("transcribe", "-m", MODEL, "--precision", precision, "--no-fallback", *sounds))
        for part in parts.values():
            for _ in part.sounds:
                part.add(next(right), next(said))
    key = "whisper.tiny_agreement"
    figures = {f"{key}_{name}": round(part.equal / part.total, 4) for name, part in parts.items()}
    equal, total = (sum(getattr(part, what) for part in parts.values()) for what in ("equal", "total"))
    print(json.dumps({key: round(equal / total, 4)} | figures))


main()
