# SPDX-License-Identifier: Apache-2.0
"""Byte-level byte pair encoding, as GGUF files of the kind "gpt2" describe it; digits one by one, as "smollm" wants it."""

import re

LETTERS = r"[^\W\d_]"
PIECES = re.compile(rf"\d|'s|'t|'re|'ve|'m|'ll|'d| ?{LETTERS}+| ?(?:(?![\s\d])(?!{LETTERS}).)+|\s+(?!\S)|\s+")


def byte_letters():
    """The letter that stands for each byte in the vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    return {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(others)}


class Tokenizer:
    def __init__(self, metadata):
        self.tokens = metadata["tokenizer.ggml.tokens"]
        self.ids = {text: i for i, text in enumerate(self.tokens)}
        self.ranks = {tuple(pair.split(" ")): i for i, pair in enumerate(metadata["tokenizer.ggml.merges"])}
        self.letters = byte_letters()

    def piece(self, text):
        parts = [self.letters[b] for b in text.encode()]
        while len(parts) > 1:
            rank, at = min((self.ranks.get(pair, len(self.ranks)), i) for i, pair in enumerate(zip(parts, parts[1:])))
            if rank == len(self.ranks):
                break
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        return [self.ids[p] for p in parts]

    def encode(self, text):
        return [token for piece in PIECES.findall(text) for token in self.piece(piece)]

    def decode(self, tokens):
        bytes_of = {letter: b for b, letter in self.letters.items()}
        return bytes(bytes_of[c] for t in tokens for c in self.tokens[t]).decode(errors="replace")
