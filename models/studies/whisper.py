# SPDX-License-Identifier: Apache-2.0
"""Whisper (CTranslate2's tiny.en) with linear layers and attention by the scheme that is asked for."""

import json

import numpy as np
import scipy.special

import ctranslate2
import schemes

END, START, NO_TIMESTAMPS = 50256, 50257, 50362


class Model:
    """Computes in `dtype`; `linear_of` says for a layer's name which schemes.Linear it has."""

    def __init__(self, folder, dtype=np.float64, linear_of=lambda name: schemes.EXACT, attention=schemes.EXACT_ATTENTION, cross=None):
        _, _, self.tensors = ctranslate2.read(folder / "model.bin")
        self.config = json.loads((folder / "config.json").read_text())
        self.vocabulary = (folder / "vocabulary.txt").read_text().split("\n")
        self.dtype, self.linear_of = dtype, linear_of
        self.self_attention, self.cross_attention = attention, cross or attention
        self.heads = int(self.tensors["encoder/num_heads"])
        self.layers = sum(name.endswith("self_attention/linear_0/weight") and name.startswith("encoder") for name in self.tensors)
        self.prepared = {}
        self.watch = None  # called with (name, q, k, v) of every attention

    def get(self, name):
        return self.tensors[name].astype(self.dtype)

    def linear(self, name, x):
        if name not in self.prepared:
            w = self.get(name + "/weight")
            self.prepared[name] = schemes.Prepared(self.linear_of(name), w.reshape(len(w), -1))
        bias = self.get(name + "/bias") if name + "/bias" in self.tensors else None
        return self.prepared[name](x, bias).astype(self.dtype)

    def norm(self, name, x):
        x = x - x.mean(axis=1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + self.dtype(1e-5))
        return x * self.get(name + "/gamma") + self.get(name + "/beta")

    def by_head(self, x):
        return x.reshape(len(x), self.heads, -1).swapaxes(0, 1)

    def attend(self, name, scheme, q, k, v, mask=None):
        q, k, v = self.by_head(q), self.by_head(k), self.by_head(v)
        if self.watch:
            self.watch(name, q, k, v)
        y = schemes.attention(scheme, q, k, v, mask).astype(self.dtype)
        return y.swapaxes(0, 1).reshape(q.shape[1], -1)

    def feed_forward(self, name, x):
        h = self.linear(name + "/linear_0", self.norm(name + "/layer_norm", x))
        h = h * self.dtype(0.5) * (1 + scipy.special.erf(h / self.dtype(np.sqrt(2))))
        return x + self.linear(name + "/linear_1", h)

    def convolution(self, name, x, stride):
        padded = np.pad(x, ((1, 1), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, 3, axis=0)[::stride]
        h = self.linear(name, windows.reshape(len(windows), -1))
        return h * self.dtype(0.5) * (1 + scipy.special.erf(h / self.dtype(np.sqrt(2))))

    def encode(self, mel):
        x = self.convolution("encoder/conv1", mel.astype(self.dtype), 1)
        x = self.convolution("encoder/conv2", x, 2) + self.get("encoder/position_encodings/encodings")
        for i in range(self.layers):
            layer = f"encoder/layer_{i}"
            h = self.norm(f"{layer}/self_attention/layer_norm", x)
            q, k, v = np.split(self.linear(f"{layer}/self_attention/linear_0", h), 3, axis=1)
            h = self.attend(f"{layer}/self", self.self_attention, q, k, v)
            x = x + self.linear(f"{layer}/self_attention/linear_1", h)
            x = self.feed_forward(f"{layer}/ffn", x)
        return self.norm("encoder/layer_norm", x)

    def start(self, encoded):
        """The decoder's state: keys and values of the sound, none of text yet."""
        cross = [np.split(self.linear(f"decoder/layer_{i}/attention/linear_1", encoded), 2, axis=1) for i in range(self.layers)]
        empty = np.zeros((0, encoded.shape[1]), self.dtype)
        return {"cross": cross, "past": [(empty, empty)] * self.layers}

    def decode(self, state, tokens):
        """Logits for each of `tokens`, which come after those that the state has seen."""
        past = len(state["past"][0][0])
        x = self.tensors["decoder/embeddings/weight"][tokens].astype(self.dtype)
        x = x + self.get("decoder/position_encodings/encodings")[past:past + len(tokens)]
        mask = np.arange(past + len(tokens)) <= past + np.arange(len(tokens))[:, None]
        for i in range(self.layers):
            layer = f"decoder/layer_{i}"
            h = self.norm(f"{layer}/self_attention/layer_norm", x)
            q, k, v = np.split(self.linear(f"{layer}/self_attention/linear_0", h), 3, axis=1)
            k, v = (np.concatenate(pair) for pair in zip(state["past"][i], (k, v)))
            state["past"][i] = k, v
            h = self.attend(f"{layer}/self", self.self_attention, q, k, v, mask)
            x = x + self.linear(f"{layer}/self_attention/linear_1", h)
            q = self.linear(f"{layer}/attention/linear_0", self.norm(f"{layer}/attention/layer_norm", x))
            h = self.attend(f"{layer}/cross", self.cross_attention, q, *state["cross"][i])
            x = x + self.linear(f"{layer}/attention/linear_2", h)
            x = self.feed_forward(f"{layer}/ffn", x)
        return self.linear("decoder/projection", self.norm("decoder/layer_norm", x))

    def greedy(self, encoded, limit=100):
        """The text's tokens, and the logits from which each was taken."""
        state, tokens, logits = self.start(encoded), [], []
        following = [START, NO_TIMESTAMPS]
        while len(tokens) < limit:
            logits.append(self.decode(state, following)[-1])
            allowed = logits[-1].copy()
            allowed[self.config["suppress_ids"] + [NO_TIMESTAMPS]] = -np.inf
            if not tokens:
                allowed[self.config["suppress_ids_begin"]] = -np.inf
            allowed[NO_TIMESTAMPS + 1:] = -np.inf
            token = int(allowed.argmax())
            if token == END:
                break
            tokens.append(token)
            following = [token]
        return tokens, np.array(logits)

    def text(self, tokens):
        return "".join(self.vocabulary[t] for t in tokens).replace("Ġ", " ").strip()
