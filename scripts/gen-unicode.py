#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes which characters are letters, numbers and spaces, for tokenizers: gen-unicode.py FILE."""

import pathlib
import sys
import unicodedata

# As \s means it: Unicode's White_Space.
SPACES = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}


def ranges(belongs):
    found = []
    for code in range(0x110000):
        if belongs(code):
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return found


def main():
    lines = ["// Written by scripts/gen-unicode.py.", "#pragma once", "", "#include <cstdint>", "", "namespace swai::unicode {", "",
             "struct Range {", "  uint32_t first, last;", "};", ""]
    for name, belongs in (("kLetters", lambda c: unicodedata.category(chr(c))[0] == "L"),
                          ("kNumbers", lambda c: unicodedata.category(chr(c))[0] == "N"), ("kSpaces", lambda c: c in SPACES)):
        lines += [f"inline constexpr Range {name}[] = {{", *(f"    {{{a:#x}, {b:#x}}}," for a, b in ranges(belongs)), "};", ""]
    pathlib.Path(sys.argv[1]).write_text("\n".join([*lines, "}  // namespace swai::unicode"]) + "\n")


if __name__ == "__main__":
    main()
