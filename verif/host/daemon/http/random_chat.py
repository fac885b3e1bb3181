# SPDX-License-Identifier: Apache-2.0
"""A tiny language model with random weights that has ChatML's template, as a GGUF file: a token for each byte."""

import array
import itertools
import random
import struct

HEADS, CONTEXT = 4, 256
TEMPLATE = "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' }}"
U32, I32, F32, TEXT, LIST = 4, 5, 6, 8, 9
NORMAL, CONTROL = 1, 3
ALIGNMENT = 32


def letters():
    """Of the 256 bytes, as byte-level tokenizers write them."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = itertools.count(256)
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def metadata(pieces, width, inner, layers):
    yield "general.architecture", TEXT, text("llama")
    for name, number in (
        ("context_length", CONTEXT), ("embedding_length", width), ("block_count", layers), ("feed_forward_length", inner),
        ("attention.head_count", HEADS), ("attention.head_count_kv", HEADS),
    ):
        yield f"llama.{name}", U32, struct.pack("<I", number)
    yield "llama.attention.layer_norm_rms_epsilon", F32, struct.pack("<f", 1e-5)
    yield "tokenizer.ggml.model", TEXT, text("gpt2")
    yield "tokenizer.ggml.tokens", LIST, struct.pack("<IQ", TEXT, len(pieces)) + b"".join(map(text, pieces))
    kinds = [NORMAL] * 256 + [CONTROL] * (len(pieces) - 256)
    yield "tokenizer.ggml.token_type", LIST, struct.pack(f"<IQ{len(kinds)}i", I32, len(kinds), *kinds)
    yield "tokenizer.ggml.merges", LIST, struct.pack("<IQ", TEXT, 0)
    yield "tokenizer.chat_template", TEXT, text(TEMPLATE)


def shapes(vocabulary, width, inner, layers):
    yield "token_embd", (vocabulary, width)
    yield "output_norm", (width,)
    yield "output", (vocabulary, width)
    for layer in range(layers):
        for name in ("attn_norm", "ffn_norm"):
            yield f"blk.{layer}.{name}", (width,)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{layer}.{name}", (width, width)
        for name in ("ffn_gate", "ffn_up"):
            yield f"blk.{layer}.{name}", (inner, width)
        yield f"blk.{layer}.ffn_down", (width, inner)


def write(path, seed=1, width=32, inner=64, layers=1):
    rng = random.Random(seed)
    pieces = [*letters(), "<|im_start|>", "<|im_end|>"]
    entries, data, tensors = b"", b"", 0
    for name, shape in shapes(len(pieces), width, inner, layers):
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        norm = len(shape) == 1
        numbers = array.array("f", (1.0 if norm else rng.gauss(0, shape[1] ** -0.5) for _ in range(count))).tobytes()
        entries += text(f"{name}.weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), 0, len(data))
        data += numbers + bytes(-len(numbers) % ALIGNMENT)
        tensors += 1
    pairs = list(metadata(pieces, width, inner, layers))
    head = b"GGUF" + struct.pack("<IQQ", 3, tensors, len(pairs))
    head += b"".join(text(key) + struct.pack("<I", kind) + value for key, kind, value in pairs) + entries
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + data)
