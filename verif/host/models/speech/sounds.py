# SPDX-License-Identifier: Apache-2.0
"""Sounds for tests: a sweep that swells."""

import math
import struct
import wave


def write_sound(path, seconds, rate=16000):
    with wave.open(path, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        count = int(seconds * rate)
        out.writeframes(b"".join(
            struct.pack("<h", int(8000 * math.sin(i * i / rate / 40) * math.sin(i / rate))) for i in range(count)))
