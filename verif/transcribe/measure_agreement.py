#!/usr/bin/env python3
"""Measures how many words of tiny.en on the fast tier are those of the same model in double precision: a recording, and
English that espeak-ng reads. Both take the likeliest tokens. Prints a flat JSON object for `make bench-long`.
scripts/get-model whisper-tiny.en fetches the model."""

import argparse
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

from reports import printed_by, reports
from tiny import MISSING, MODEL, RECORDING, words

TEXT = pathlib.Path("verif/transcribe/data/plain-english.txt")


def clips(folder):
    yield RECORDING
    for number, paragraph in enumerate(TEXT.read_text().splitlines()):
        clip = folder / f"{number}.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-w", clip, paragraph], check=True)
        yield clip


def agreement(right, said):
    """The share of the reference's words that are said, too, in their order."""
    equal = total = 0
    for reference, report in zip(right, said, strict=True):
        wanted, heard = words(reference["text"]), words(report["text"])
        matched = sum(block.size for block in difflib.SequenceMatcher(None, wanted, heard, autojunk=False).get_matching_blocks())
        # Words that nobody said count, too.
        equal += matched
        total += max(len(wanted), len(heard))
        print(f"{matched} of {len(wanted)} words: {report['file']}", file=sys.stderr, flush=True)
    return equal / total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--precision", default="w8a8", help="of the card (default w8a8)")
    precision = parser.parse_args().precision
    if not MODEL.exists():
        print(json.dumps({"not measured": {"whisper.tiny_agreement": MISSING}}))
        return
    with tempfile.TemporaryDirectory() as folder:
        sounds = list(clips(pathlib.Path(folder)))
        right = printed_by("build/whisper-reference", "-m", MODEL, *sounds)
        said = reports("transcribe", "-m", MODEL, "--precision", precision, "--no-fallback", *sounds)
        print(json.dumps({"whisper.tiny_agreement": round(agreement(right, said), 4)}))


main()
