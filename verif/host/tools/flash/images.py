# SPDX-License-Identifier: Apache-2.0
"""Firmware images for tests, made from docs/firmware/image-format.md and nothing of ours."""

import hashlib
import pathlib
import random
import struct
import zlib

HEADER = 256
SLOTS = {"a": 0x40_0000, "b": 0x50_0000}
SLOT_BYTES = 1 << 20
CHIP_BYTES = 16 << 20
STATE = 224
CONFIRMED = STATE + 8
LOAD = 0x8000_0000


def image(version, payload_bytes=9000, seed=0):
    """An image whose payload is random; `version` like 1.2.3."""
    return with_payload(version, random.Random(f"{version} {seed}").randbytes(payload_bytes - payload_bytes % 8))


def with_payload(version, payload, name="test"):
    major, minor, patch = (int(part) for part in version.split("."))
    text = lambda value, size: value.encode(errors="surrogateescape").ljust(size, b"\0")  # noqa: E731
    identity = text(name, 32) + text(version, 32) + text("0123abc", 40) + text("swai-card", 24)
    head = struct.pack("<8sIIQQQQ", b"SWAI-IMG", 1, HEADER, major << 32 | minor << 16 | patch, len(payload), LOAD, LOAD)
    head += hashlib.sha256(payload).digest() + identity + bytes(12)
    return head + struct.pack("<I", zlib.crc32(head)) + b"\xff" * 32 + payload


def confirmed(contents):
    return contents[:CONFIRMED] + bytes(8) + contents[CONFIRMED + 8 :]


def tried(contents, times):
    return contents[:STATE] + struct.pack("<Q", (1 << 64) - (1 << times)) + contents[STATE + 8 :]


def chip(path, a=None, b=None, seed=None):
    """A flash file with these images in its slots; the rest is erased, or random with a seed."""
    cells = bytearray(b"\xff" * CHIP_BYTES if seed is None else random.Random(seed).randbytes(CHIP_BYTES))
    for slot, contents in (("a", a), ("b", b)):
        at = SLOTS[slot]
        cells[at : at + SLOT_BYTES] = (contents or b"").ljust(SLOT_BYTES, b"\xff")
    pathlib.Path(path).write_bytes(cells)


def verdict(cells):
    """What the boot ROM thinks of a slot: "valid", or why not."""
    head = cells[:HEADER]
    if head[:8] != b"SWAI-IMG":
        return "no image"
    length, load = struct.unpack_from("<QQ", head, 24)
    if struct.unpack_from("<I", head, 220)[0] != zlib.crc32(head[:220]):
        return "header"
    if hashlib.sha256(cells[HEADER : HEADER + length]).digest() != head[48:80] or load != LOAD:
        return "digest"
    attempts, is_confirmed = struct.unpack_from("<QQ", head, STATE)
    cleared = lambda word: 64 - word.bit_count()  # noqa: E731
    return "valid" if cleared(is_confirmed) >= 32 or cleared(attempts) < 3 else "attempts"
