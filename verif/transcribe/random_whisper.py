"""A small Whisper model with random weights and OpenAI's English vocabulary, in whisper.cpp's format."""

import array
import random
import struct

VOCABULARY = 51864
TEXTS = 50256  # the first tokens
WIDTH, HEADS, LAYERS, MELS = 32, 2, 1, 80
AUDIO_CONTEXT, TEXT_CONTEXT = 1500, 64
FP32, FP16 = 0, 1


def write(path, seed=1):
    rng = random.Random(seed)

    def numbers(count, scale=1.0, mean=0.0):
        return array.array("f", (rng.gauss(mean, scale) for _ in range(count))).tobytes()

    def tensor(name, shape, data, kind=FP32):
        out.write(struct.pack("<iii", len(shape), len(name), kind))
        out.write(struct.pack(f"<{len(shape)}i", *reversed(shape)))
        out.write(name.encode() + data)

    def matrix(name, rows, columns):
        tensor(name, (rows, columns), numbers(rows * columns, columns**-0.5))

    def vector(name, count, mean=0.0):
        tensor(name, (count,), numbers(count, 0.1, mean))

    def norm(name):
        vector(f"{name}.weight", WIDTH, 1.0)
        vector(f"{name}.bias", WIDTH)

    def attention(name):
        for part in ("query", "key", "value", "out"):
            matrix(f"{name}.{part}.weight", WIDTH, WIDTH)
            if part != "key":
                vector(f"{name}.{part}.bias", WIDTH)
        norm(f"{name}_ln")

    def block(name, cross):
        attention(f"{name}.attn")
        if cross:
            attention(f"{name}.cross_attn")
        norm(f"{name}.mlp_ln")
        matrix(f"{name}.mlp.0.weight", 4 * WIDTH, WIDTH)
        vector(f"{name}.mlp.0.bias", 4 * WIDTH)
        matrix(f"{name}.mlp.2.weight", WIDTH, 4 * WIDTH)
        vector(f"{name}.mlp.2.bias", WIDTH)

    with open(path, "wb") as out:
        out.write(struct.pack("<I", 0x67676D6C))
        out.write(struct.pack("<11i", VOCABULARY, AUDIO_CONTEXT, WIDTH, HEADS, LAYERS, TEXT_CONTEXT, WIDTH, HEADS, LAYERS,
                              MELS, FP16))
        out.write(struct.pack("<ii", MELS, 201) + bytes(4 * MELS * 201))
        # All bytes, and words, so that what it says can be read.
        pieces = [bytes([byte]) for byte in range(256)] + [f" w{i}".encode() for i in range(256, TEXTS)]
        out.write(struct.pack("<i", len(pieces)))
        for piece in pieces:
            out.write(struct.pack("<I", len(piece)) + piece)
        for name, channels in (("conv1", MELS), ("conv2", WIDTH)):
            tensor(f"encoder.{name}.weight", (WIDTH, channels, 3), numbers(WIDTH * channels * 3, (3 * channels) ** -0.5))
            # whisper.cpp stores biases of convolutions as columns.
            tensor(f"encoder.{name}.bias", (WIDTH, 1), numbers(WIDTH, 0.1))
        tensor("encoder.positional_embedding", (AUDIO_CONTEXT, WIDTH), numbers(AUDIO_CONTEXT * WIDTH, 0.1))
        tensor("decoder.positional_embedding", (TEXT_CONTEXT, WIDTH), numbers(TEXT_CONTEXT * WIDTH, 0.5))
        rows = 997  # repeated, because so many random numbers take long
        some = struct.pack(f"<{rows * WIDTH}e", *(rng.gauss(0, 1) for _ in range(rows * WIDTH)))
        data = (some * (VOCABULARY // rows + 1))[: VOCABULARY * WIDTH * 2]
        tensor("decoder.token_embedding.weight", (VOCABULARY, WIDTH), data, FP16)
        for layer in range(LAYERS):
            block(f"encoder.blocks.{layer}", cross=False)
            block(f"decoder.blocks.{layer}", cross=True)
        norm("encoder.ln_post")
        norm("decoder.ln")
