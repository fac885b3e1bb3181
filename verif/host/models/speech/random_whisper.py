# SPDX-License-Identifier: Apache-2.0
"""Whisper models with random weights and OpenAI's vocabularies, in whisper.cpp's format; a small English one unless a shape
is given."""

import array
import dataclasses
import random
import struct

VOCABULARY = 51864
TEXTS = 50256  # the first tokens
WIDTH, HEADS, LAYERS, MELS = 32, 2, 1, 80
AUDIO_CONTEXT, TEXT_CONTEXT = 1500, 64
FP32, FP16 = 0, 1
MOST_DRAWN = 1 << 16  # numbers of a tensor; they are repeated, because so many random numbers take long


@dataclasses.dataclass(frozen=True)
class Shape:
    width: int = WIDTH
    heads: int = HEADS
    layers: int = LAYERS  # of the encoder, and of the decoder
    text_context: int = TEXT_CONTEXT
    all_tokens_differ: bool = False  # else each is as likely as some others
    multilingual: bool = False

    @property
    def texts(self):
        return TEXTS + self.multilingual

    @property
    def vocabulary(self):
        return VOCABULARY + self.multilingual


BASE = Shape(width=512, heads=8, layers=6, text_context=448)  # 74 million parameters
LARGE = Shape(width=1280, heads=20, layers=32, text_context=448)  # 1,550 million


def write(path, seed=1, shape=Shape()):
    rng = random.Random(seed)
    width, layers = shape.width, shape.layers

    def numbers(count, scale=1.0, mean=0.0):
        some = array.array("f", (rng.gauss(mean, scale) for _ in range(min(count, MOST_DRAWN))))
        return (some * -(-count // MOST_DRAWN))[:count].tobytes()

    def tensor(name, sizes, data, kind=FP32):
        out.write(struct.pack("<iii", len(sizes), len(name), kind))
        out.write(struct.pack(f"<{len(sizes)}i", *reversed(sizes)))
        out.write(name.encode() + data)

    def matrix(name, rows, columns):
        tensor(name, (rows, columns), numbers(rows * columns, columns**-0.5))

    def vector(name, count, mean=0.0):
        tensor(name, (count,), numbers(count, 0.1, mean))

    def norm(name):
        vector(f"{name}.weight", width, 1.0)
        vector(f"{name}.bias", width)

    def attention(name):
        for part in ("query", "key", "value", "out"):
            matrix(f"{name}.{part}.weight", width, width)
            if part != "key":
                vector(f"{name}.{part}.bias", width)
        norm(f"{name}_ln")

    def block(name, cross):
        attention(f"{name}.attn")
        if cross:
            attention(f"{name}.cross_attn")
        norm(f"{name}.mlp_ln")
        matrix(f"{name}.mlp.0.weight", 4 * width, width)
        vector(f"{name}.mlp.0.bias", 4 * width)
        matrix(f"{name}.mlp.2.weight", width, 4 * width)
        vector(f"{name}.mlp.2.bias", width)

    with open(path, "wb") as out:
        out.write(struct.pack("<I", 0x67676D6C))
        out.write(struct.pack("<11i", shape.vocabulary, AUDIO_CONTEXT, width, shape.heads, layers, shape.text_context, width, shape.heads, layers,
                              MELS, FP16))
        out.write(struct.pack("<ii", MELS, 201) + bytes(4 * MELS * 201))
        # All bytes, and words, so that what it says can be read.
        pieces = [bytes([byte]) for byte in range(256)] + [f" w{i}".encode() for i in range(256, shape.texts)]
        out.write(struct.pack("<i", len(pieces)))
        for piece in pieces:
            out.write(struct.pack("<I", len(piece)) + piece)
        for name, channels in (("conv1", MELS), ("conv2", width)):
            tensor(f"encoder.{name}.weight", (width, channels, 3), numbers(width * channels * 3, (3 * channels) ** -0.5))
            # whisper.cpp stores biases of convolutions as columns.
            tensor(f"encoder.{name}.bias", (width, 1), numbers(width, 0.1))
        tensor("encoder.positional_embedding", (AUDIO_CONTEXT, width), numbers(AUDIO_CONTEXT * width, 0.1))
        tensor("decoder.positional_embedding", (shape.text_context, width), numbers(shape.text_context * width, 0.5))
        count = 65_537 if shape.all_tokens_differ else 997 * width
        some = struct.pack(f"<{count}e", *(rng.gauss(0, 1) for _ in range(count)))
        data = (some * (shape.vocabulary * width // count + 1))[: shape.vocabulary * width * 2]
        tensor("decoder.token_embedding.weight", (shape.vocabulary, width), data, FP16)
        for layer in range(layers):
            block(f"encoder.blocks.{layer}", cross=False)
            block(f"decoder.blocks.{layer}", cross=True)
        norm("encoder.ln_post")
        norm("decoder.ln")
