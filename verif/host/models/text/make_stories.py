#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes verif/host/models/text/stories.json: how stories260K continues some prompts, always with the likeliest token.

  verif/host/models/text/make_stories.py [MOST]        MOST tokens of each story at most (200)

Computes as llama2.c does, in single precision and in its order (norms, products, rotations of neighbours, softmax),
and shares nothing with the code that is tested: files and tokens are read here, too. Needs Debian's python3-numpy."""

import json
import pathlib
import struct
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[4]
FOLDER = ROOT / "models/stories260K"
PROMPTS = ["", "Once upon a time", "Lily and her dog went to the park.", "The old man said: \"I am", "One day, Zoë saw 7 birds",
           "Tom was sad because"]
F = np.float32


class Tokens:
    def __init__(self, path, count):
        data = path.read_bytes()
        self.pieces, self.scores, at = [], [], 4
        for _ in range(count):
            score, length = struct.unpack_from("<fi", data, at)
            self.pieces.append(data[at + 8:at + 8 + length])
            self.scores.append(score)
            at += 8 + length
        self.numbers = {piece: number for number, piece in reversed(list(enumerate(self.pieces)))}

    def encode(self, text):
        """Begin, then the pieces that are left when the best pair has been joined again and again."""
        tokens = []
        for character in (" " + text if text else ""):
            piece = character.encode()
            tokens += [self.numbers[piece]] if piece in self.numbers else [byte + 3 for byte in piece]
        while True:
            pairs = [(self.scores[number], -i, number) for i in range(len(tokens) - 1)
                     if (number := self.numbers.get(self.pieces[tokens[i]] + self.pieces[tokens[i + 1]])) is not None]
            if not pairs:
                return [1, *tokens]
            _, at, number = max(pairs)
            tokens[-at:-at + 2] = [number]

    def text(self, token):
        piece = self.pieces[token]
        return bytes([int(piece[3:5], 16)]) if piece.startswith(b"<0x") and len(piece) == 6 else piece


class Model:
    def __init__(self, path):
        data = path.read_bytes()
        self.width, self.inner, self.layers, self.heads, self.kv_heads, self.vocabulary, self.context = struct.unpack_from("<7i", data)
        numbers, at = np.frombuffer(data, "<f4", offset=28), 0

        def take(*shape):
            nonlocal at
            size = int(np.prod(shape))
            at += size
            return numbers[at - size:at].reshape(shape)

        kv = self.width // self.heads * self.kv_heads
        self.embedding = take(self.vocabulary, self.width)
        self.attention_norm = take(self.layers, self.width)
        self.query, self.key, self.value = (take(self.layers, rows, self.width) for rows in (self.width, kv, kv))
        self.output = take(self.layers, self.width, self.width)
        self.inner_norm = take(self.layers, self.width)
        self.gate = take(self.layers, self.inner, self.width)
        self.down = take(self.layers, self.width, self.inner)
        self.up = take(self.layers, self.inner, self.width)
        self.norm = take(self.width)
        self.keys = [np.zeros((self.context, kv), F) for _ in range(self.layers)]
        self.values = [np.zeros((self.context, kv), F) for _ in range(self.layers)]

    @staticmethod
    def normal(x, weight):
        square = F(0)
        for number in x:
            square += number * number
        return weight * (F(1) / np.sqrt(square / F(len(x)) + F(1e-5)) * x)

    @staticmethod
    def product(weight, x):
        # One sum after the other over columns: the order of a plain loop.
        total = np.zeros(weight.shape[0], F)
        for column in range(weight.shape[1]):
            total += weight[:, column] * x[column]
        return total

    def turned(self, x, position):
        head = self.width // self.heads
        y = x.copy()
        for i in range(0, len(x), 2):
            angle = F(position) * F(F(1) / np.power(F(10000), F(i % head) / F(head)))
            cosine, sine = np.cos(angle), np.sin(angle)
            y[i], y[i + 1] = x[i] * cosine - x[i + 1] * sine, x[i] * sine + x[i + 1] * cosine
        return y

    def attended(self, query, layer, position):
        head, shared = self.width // self.heads, self.heads // self.kv_heads
        y = np.zeros(self.width, F)
        for h in range(self.heads):
            of = slice(h // shared * head, h // shared * head + head)
            keys, values = self.keys[layer][:position + 1, of], self.values[layer][:position + 1, of]
            scores = self.product(keys, query[h * head:(h + 1) * head]) / np.sqrt(F(head))
            weights = np.exp(scores - scores.max())
            total = F(0)
            for weight in weights:
                total += weight
            y[h * head:(h + 1) * head] = self.product(values.T, weights / total)
        return y

    def step(self, token, position):
        x = self.embedding[token].copy()
        for i in range(self.layers):
            h = self.normal(x, self.attention_norm[i])
            self.keys[i][position] = self.turned(self.product(self.key[i], h), position)
            self.values[i][position] = self.product(self.value[i], h)
            query = self.turned(self.product(self.query[i], h), position)
            x += self.product(self.output[i], self.attended(query, i, position))
            h = self.normal(x, self.inner_norm[i])
            gate, up = self.product(self.gate[i], h), self.product(self.up[i], h)
            x += self.product(self.down[i], gate * (F(1) / (F(1) + np.exp(-gate))) * up)
        return self.product(self.embedding, self.normal(x, self.norm))


def story(prompt, most):
    model = Model(FOLDER / "stories260K.bin")
    tokens = Tokens(FOLDER / "tokenizer.bin", model.vocabulary)
    given = tokens.encode(prompt)
    made, margin, position = [], float("inf"), 0
    while len(made) < most:
        token = given[position] if position < len(given) else made[position - len(given)]
        logits = model.step(token, position)
        position += 1
        if position < len(given):
            continue
        second, first = np.sort(logits)[-2:]
        margin = min(margin, float(first - second))
        if (best := int(logits.argmax())) == 1:   # the next story begins
            break
        made.append(best)
    text = b"".join(tokens.text(token) for token in given + made if token != 1)
    return {"prompt": prompt, "tokens": len(made), "least_margin": round(margin, 6), "text": text.removeprefix(b" ").decode()}


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    stories = [story(prompt, most) for prompt in PROMPTS]
    path = ROOT / "verif/host/models/text/stories.json"
    path.write_text(json.dumps({"most": most, "stories": stories}, indent=1, ensure_ascii=False) + "\n")
    for one in stories:
        print(f"{one['tokens']} tokens, least margin {one['least_margin']}: {one['text']!r}")


if __name__ == "__main__":
    main()
