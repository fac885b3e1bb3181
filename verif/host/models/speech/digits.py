# SPDX-License-Identifier: Apache-2.0
"""The model of models/digits on a card, and the sequences that it is tested with."""

import sys

from reports import printed_by, reports

sys.path.insert(0, "models/digits")
from test_list import errors, read_list  # noqa: E402

MODEL = "build/models/digits"  # `make build/models/digits`
DEMO = "010"  # of `make demo`: two digits
SEQUENCES = {entry.name: entry for entry in read_list()}


def heard(names, *words, tier="fast"):
    """Reports of what is heard in each of these sequences."""
    sounds = [SEQUENCES[name].sound() for name in names]
    return list(reports("transcribe", "-m", MODEL, *sounds, *words, tier=tier))


def heard_on_host(names, precision):
    """What the model on the host says of them, which has nothing of the card (verif/host/models/speech/host_speech.hpp)."""
    sounds = [SEQUENCES[name].sound() for name in names]
    return list(printed_by("build/whisper-host", "-m", MODEL, "--precision", precision, *sounds))


def wrong_words(precision, tier="fast"):
    """Of all sequences, and how many words there are."""
    said = heard(SEQUENCES, "--precision", precision, tier=tier)
    wrong = words = 0
    for entry, report in zip(SEQUENCES.values(), said, strict=True):
        wrong += errors(entry.words(), report["text"].split())
        words += len(entry.words())
    return wrong, words
