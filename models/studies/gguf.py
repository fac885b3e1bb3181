# SPDX-License-Identifier: Apache-2.0
"""Reads a GGUF file: metadata, and tensors of F32, F16, Q8_0 and Q4_1. README.md has the format."""

import math
import struct

import numpy as np

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, ARRAY = 8, 9
Q4_1 = np.dtype([("step", "<f2"), ("minimum", "<f2"), ("pairs", "u1", 16)])
Q8_0 = np.dtype([("step", "<f2"), ("whole", "i1", 32)])
TYPES = {0: (np.dtype("<f4"), 1), 1: (np.dtype("<f2"), 1), 3: (Q4_1, 32), 8: (Q8_0, 32)}


class File:
    def __init__(self, path):
        self.data, self.at = path.read_bytes(), 8
        if self.data[:4] != b"GGUF" or self.data[4] != 3:
            raise ValueError(f"{path}: not a GGUF file of version 3")
        tensors, pairs = self.number("Q"), self.number("Q")
        self.metadata = {}
        for _ in range(pairs):
            key = self.text()
            self.metadata[key] = self.value(self.number("I"))
        self.places = {}
        for _ in range(tensors):
            name = self.text()
            shape = [self.number("Q") for _ in range(self.number("I"))][::-1]
            self.places[name] = shape, self.number("I"), self.number("Q")
        align = self.metadata.get("general.alignment", 32)
        self.start = (self.at + align - 1) // align * align

    def number(self, code):
        value = struct.unpack_from("<" + code, self.data, self.at)[0]
        self.at += struct.calcsize("<" + code)
        return value

    def text(self):
        size = self.number("Q")
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def value(self, kind):
        if kind == TEXT:
            return self.text()
        if kind == ARRAY:
            element = self.number("I")
            return [self.value(element) for _ in range(self.number("Q"))]
        return self.number(NUMBERS[kind])

    def blocks(self, name):
        shape, kind, offset = self.places[name]
        dtype, size = TYPES[kind]
        return np.frombuffer(self.data, dtype, math.prod(shape) // size, self.start + offset), shape

    def q4_1(self, name):
        """(whole numbers 0 to 15 (rows, groups, 32), steps and minima (rows, groups)); None if the tensor is of another type."""
        blocks, shape = self.blocks(name)
        if blocks.dtype != Q4_1:
            return None
        q = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1)
        return tuple(x.reshape(shape[0], -1, *x.shape[1:]).astype(np.float32) for x in (q, blocks["step"], blocks["minimum"]))

    def tensor(self, name):
        """In double precision, in which a step times a whole number plus a minimum is exact."""
        blocks, shape = self.blocks(name)
        if blocks.dtype == Q4_1:
            q, step, minimum = (x.astype(np.float64) for x in self.q4_1(name))
            return (q * step[:, :, None] + minimum[:, :, None]).reshape(shape)
        if blocks.dtype == Q8_0:
            return (blocks["whole"] * blocks["step"].astype(np.float64)[:, None]).reshape(shape)
        return blocks.reshape(shape).astype(np.float64)
