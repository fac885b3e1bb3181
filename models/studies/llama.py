# SPDX-License-Identifier: Apache-2.0
"""Decoders of the llama kind, from GGUF files and from llama2.c's, with linear layers and attention by the scheme that is asked for."""

import struct

import numpy as np

import gguf
import schemes


class GgufWeights:
    """SmolLM2's file, for instance."""

    def __init__(self, path):
        self.file = gguf.File(path)
        meta = self.file.metadata
        self.layers, self.heads, self.kv_heads = (meta["llama." + k] for k in ("block_count", "attention.head_count", "attention.head_count_kv"))
        self.theta, self.epsilon = meta["llama.rope.freq_base"], meta["llama.attention.layer_norm_rms_epsilon"]
        self.head = "output" if "output.weight" in self.file.places else "token_embd"

    def tensor(self, name):
        return self.file.tensor(name + ".weight")

    def packed(self, name):
        return self.file.q4_1(name + ".weight")


class Llama2cWeights:
    """A checkpoint of llama2.c, its first format, with the output tied to the embedding."""
    theta, epsilon, head = 10000.0, 1e-5, "token_embd"

    def __init__(self, path):
        data = path.read_bytes()
        width, hidden, self.layers, self.heads, self.kv_heads, self.vocabulary, _ = struct.unpack_from("<7i", data)
        kv = width // self.heads * self.kv_heads
        per_layer = {"attn_norm": (width,), "attn_q": (width, width), "attn_k": (kv, width), "attn_v": (kv, width), "attn_output": (width, width),
                     "ffn_norm": (width,), "ffn_gate": (hidden, width), "ffn_down": (width, hidden), "ffn_up": (hidden, width)}
        numbers = np.frombuffer(data, "<f4", offset=28).astype(np.float64)
        self.tensors, at = {"token_embd": numbers[:self.vocabulary * width].reshape(-1, width)}, self.vocabulary * width
        for name, shape in per_layer.items():
            for i in range(self.layers):
                size = int(np.prod(shape))
                self.tensors[f"blk.{i}.{name}"] = numbers[at:at + size].reshape(shape)
                at += size
        self.tensors["output_norm"] = numbers[at:at + width]

    def tensor(self, name):
        return self.tensors[name]

    def packed(self, _):
        return None


class Model:
    """Computes in `dtype`; `linear_of` says for a layer's name which schemes.Linear it has."""

    def __init__(self, weights, dtype=np.float64, linear_of=lambda name: schemes.EXACT, attention=schemes.EXACT_ATTENTION, magnitudes=None):
        self.weights, self.dtype, self.linear_of, self.attention = weights, dtype, linear_of, attention
        self.magnitudes = magnitudes or {}
        self.embedding = weights.tensor("token_embd")
        self.prepared, self.watch = {}, None    # watch: called with (name, x) of every linear layer

    def linear(self, name, x):
        if self.watch:
            self.watch(name, x)
        if name not in self.prepared:
            scheme = self.linear_of(name)
            packed = self.weights.packed(name) if scheme.weights == "q4_1" else None
            self.prepared[name] = schemes.Prepared(scheme, self.weights.tensor(name).astype(self.dtype), packed, self.magnitudes.get(name))
        return self.prepared[name](x).astype(self.dtype)

    def norm(self, name, x):
        return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + self.dtype(self.weights.epsilon)) * self.weights.tensor(name).astype(self.dtype)

    def rotated(self, x, positions):
        """(heads, tokens, channels), pairs of neighbouring channels."""
        size = x.shape[2]
        angles = positions[:, None] * self.weights.theta ** (-np.arange(0, size, 2) / size)
        cos, sin = np.cos(angles).astype(self.dtype), np.sin(angles).astype(self.dtype)
        even, odd = x[:, :, ::2], x[:, :, 1::2]
        return np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=3).reshape(x.shape)

    def logits(self, tokens):
        """For each of the tokens of one sequence."""
        x = self.embedding[tokens].astype(self.dtype)
        positions = np.arange(len(tokens))
        mask = positions <= positions[:, None]
        share = self.weights.heads // self.weights.kv_heads
        for i in range(self.weights.layers):
            block = f"blk.{i}."
            h = self.norm(block + "attn_norm", x)
            q, k, v = (self.linear(block + name, h) for name in ("attn_q", "attn_k", "attn_v"))
            q, k, v = (y.reshape(len(tokens), n, -1).swapaxes(0, 1)
                       for y, n in ((q, self.weights.heads), (k, self.weights.kv_heads), (v, self.weights.kv_heads)))
            q, k = self.rotated(q, positions), self.rotated(k, positions)
            h = schemes.attention(self.attention, q, np.repeat(k, share, axis=0), np.repeat(v, share, axis=0), mask).astype(self.dtype)
            x = x + self.linear(block + "attn_output", h.swapaxes(0, 1).reshape(x.shape))
            h = self.norm(block + "ffn_norm", x)
            gate = self.linear(block + "ffn_gate", h)
            h = gate / (1 + np.exp(-gate)) * self.linear(block + "ffn_up", h)
            x = x + self.linear(block + "ffn_down", h)
        return self.linear(self.weights.head, self.norm("output_norm", x))
