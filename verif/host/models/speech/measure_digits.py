#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many of the digits model's test words are wrong, in percent, by precision, on the fast tier. Prints a flat
JSON object for `make bench-long`. PyTorch in fp32 is no part of it, because it is no package that the build needs:
models/digits/README.md has its figure, and wer_fp32 is the card's."""

import json

from digits import wrong_words

PRECISIONS = ("fp32", "w8a8", "w4a8")


def main():
    figures = {}
    for precision in PRECISIONS:
        wrong, words = wrong_words(precision)
        figures[f"whisper.wer_{precision}"] = round(100 * wrong / words, 2)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
