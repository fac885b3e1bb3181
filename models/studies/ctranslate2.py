# SPDX-License-Identifier: Apache-2.0
"""Reads model.bin of a CTranslate2 folder (what faster-whisper uses): tensors by name. README.md has the format."""

import struct

import numpy as np

TYPES = [np.float32, np.int8, np.int16, np.int32, np.float16]
VERSION = 6


class Reader:
    """Takes numbers and texts off a buffer, one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, code):
        value = struct.unpack_from("<" + code, self.data, self.at)[0]
        self.at += struct.calcsize("<" + code)
        return value

    def take(self, size):
        if self.at + size > len(self.data):
            raise ValueError(f"ends after {len(self.data)} bytes, {self.at + size} are needed")
        self.at += size
        return self.data[self.at - size:self.at]

    def text(self):
        return self.take(self.number("H")).rstrip(b"\0").decode()


def read(path):
    """(name of the architecture, its revision, {tensor's name: array})"""
    reader = Reader(path.read_bytes())
    version = reader.number("I")
    if version != VERSION:
        raise ValueError(f"{path}: version {version}, only {VERSION} is known")
    architecture, revision = reader.text(), reader.number("I")
    tensors = {}
    for _ in range(reader.number("I")):
        name = reader.text()
        shape = [reader.number("I") for _ in range(reader.number("B"))]
        dtype = np.dtype(TYPES[reader.number("B")])
        size = reader.number("I")
        tensors[name] = np.frombuffer(reader.take(size), dtype).reshape(shape)
    for _ in range(reader.number("I")):
        alias = reader.text()
        tensors[alias] = tensors[reader.text()]
    return architecture, revision, tensors
