#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""swai model export, read as whisper.cpp's loader reads it: by a reader of our own that knows what that one asks for."""

import math
import pathlib
import struct
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "verif/host/tools/swai"))
from swai_test_case import SwaiTest  # noqa: E402

DATA = ROOT / "verif/host/models/files/data"
F32, F16 = 0, 1
BINS = 201
SIZES = ("vocabulary", "audio_context", "width", "audio_heads", "audio_layers", "text_context", "text_width", "text_heads",
         "text_layers", "mels", "weights")


def tensors_wanted(sizes, weights):
    """Name: sizes, the fastest first, and type."""
    width, inner = sizes["width"], 4 * sizes["width"]
    wanted = {}

    def linear(name, inputs, outputs, bias=True):
        wanted[f"{name}.weight"] = ([inputs, outputs], weights)
        if bias:
            wanted[f"{name}.bias"] = ([outputs], F32)

    def norm(name):
        wanted[f"{name}.weight"] = wanted[f"{name}.bias"] = ([width], F32)

    def attention(name):
        norm(f"{name}_ln")
        for part in ("query", "key", "value", "out"):
            linear(f"{name}.{part}", width, width, bias=part != "key")

    for side, layers in (("encoder", sizes["audio_layers"]), ("decoder", sizes["text_layers"])):
        for layer in range(layers):
            block = f"{side}.blocks.{layer}"
            attention(f"{block}.attn")
            if side == "decoder":
                attention(f"{block}.cross_attn")
            norm(f"{block}.mlp_ln")
            linear(f"{block}.mlp.0", width, inner)
            linear(f"{block}.mlp.2", inner, width)
    for name, channels in (("conv1", sizes["mels"]), ("conv2", width)):
        wanted[f"encoder.{name}.weight"] = ([3, channels, width], weights)
        wanted[f"encoder.{name}.bias"] = ([1, width], F32)
    wanted["encoder.positional_embedding"] = ([width, sizes["audio_context"]], F32)
    wanted["decoder.positional_embedding"] = ([width, sizes["text_context"]], F32)
    wanted["decoder.token_embedding.weight"] = ([width, sizes["vocabulary"]], weights)
    norm("encoder.ln_post")
    norm("decoder.ln")
    return wanted


class File:
    def __init__(self, path):
        self.bytes = path.read_bytes()
        self.at = 0

    def take(self, count):
        self.at += count
        assert self.at <= len(self.bytes)
        return self.bytes[self.at - count : self.at]

    def numbers(self, count, kind="i"):
        return struct.unpack(f"<{count}{kind}", self.take(4 * count))

    def number(self):
        return self.numbers(1)[0]


class ModelExport(SwaiTest):
    def export(self, name, *words):
        path = self.folder / "exported"
        self.run_swai("--quiet", "model", "export", "-m", DATA / name, "-o", path, *words)
        return path

    def read(self, path):
        file = File(path)
        self.assertEqual(file.number(), 0x67676D6C)
        sizes = dict(zip(SIZES, file.numbers(len(SIZES))))
        self.assertEqual(file.numbers(2), (sizes["mels"], BINS))
        filters = file.numbers(sizes["mels"] * BINS, "f")
        pieces = [file.take(file.number()) for _ in range(file.number())]
        tensors = {}
        while file.at < len(file.bytes):
            rank, name_bytes, kind = file.numbers(3)
            shape = list(file.numbers(rank))
            name = file.take(name_bytes).decode()
            self.assertNotIn(name, tensors)
            tensors[name] = (shape, kind)
            file.take(math.prod(shape) * (2 if kind == F16 else 4))
        return sizes, filters, pieces, tensors

    def test_formats(self):
        for name, letters in (("tiny-whisper.ggml", 50), ("tiny-whisper-ct2", 26), ("tiny-whisper-ct2-int8", 26)):
            for words, weights in (((), F16), (("--weights", "f32"), F32)):
                with self.subTest(name, words=words):
                    sizes, filters, pieces, tensors = self.read(self.export(name, *words))
                    self.assertEqual(sizes, {"vocabulary": 60, "audio_context": 12, "width": 32, "audio_heads": 2, "audio_layers": 2,
                                             "text_context": 16, "text_width": 32, "text_heads": 4, "text_layers": 2, "mels": 8,
                                             "weights": weights})
                    self.assertEqual(tensors, tensors_wanted(sizes, weights))
                    # Each band hears something, and none hears what is below 0 Hz or above 8,000.
                    for band in range(sizes["mels"]):
                        row = filters[band * BINS : (band + 1) * BINS]
                        self.assertGreater(max(row), 0)
                        self.assertEqual((row[0], row[-1], min(row)), (0, 0, 0))
                    # Texts alone: what begins, directs and ends a text whisper.cpp adds by itself.
                    self.assertEqual(pieces, [bytes([ord("A") + i]) for i in range(letters)])

    def test_refused(self):
        for path, said in ((DATA / "tiny-llama.gguf", "is a language model"), (DATA / "tiny-whisper", "has no tokens"), (self.folder / "none", "cannot be opened")):
            self.assertIn(said, self.run_swai("model", "export", "-m", path, "-o", self.folder / "out", code=2)[1])
            self.assertFalse((self.folder / "out").exists())
        self.assertIn("cannot be written", self.run_swai("model", "export", "-m", DATA / "tiny-whisper.ggml", "-o", self.folder / "no/out", code=2)[1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
