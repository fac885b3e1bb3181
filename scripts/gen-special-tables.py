#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table behind exp2, log2, reciprocal and 1/sqrt (docs/hardware/floating-point.md): rtl/fp/fp32_special_table.sv and
sim/iss/cpe/special_table.hpp. With --check nothing is written; exit code 1 says that the files are not what this gives.

Each word is a quadratic polynomial on a piece of one function whose values lie between 1 and 2. With t from 0 to 1 on the piece,
the value is 1 + 2^-27 * (c0 + c1 * t + c2 * t^2). Where a function falls, t counts from the piece's end, so that no coefficient is
negative.
"""

import argparse
import decimal
import pathlib
import sys

RTL = pathlib.Path("rtl/fp/fp32_special_table.sv")
MODEL = pathlib.Path("sim/iss/cpe/special_table.hpp")
WIDTHS = (27, 22, 15)  # of c0, c1, c2
POSITION_BITS = 20     # of t
SAMPLES = 64           # at which the value that is computed is compared with the function

decimal.getcontext().prec = 40
D = decimal.Decimal
ONE, TWO = D(1), D(2)
LN2 = TWO.ln()


def exp2(x):
    return (x * LN2).exp()


def log2_slope(m):
    """log2(m) / (m - 1), which is even in relative terms near 1."""
    if abs(m - 1) < D("1e-12"):
        return (ONE - (m - 1) / 2) / LN2
    return m.ln() / LN2 / (m - 1)


def reciprocal(m):
    return TWO / m


def root(m):
    return TWO / m.sqrt()


# (first address, words, function, beginning and end of the argument, bits of it within a piece that falls, or None).
# The halves of a mantissa's range that are easy have pieces of twice the size.
PARTS = [
    (0, 64, exp2, D(0), D(1), None),
    (64, 64, log2_slope, D(1), D("1.5"), 16),
    (128, 128, reciprocal, D(1), D(2), 16),
    (256, 64, root, D(1), D("1.5"), 16),
    (320, 64, root, D(2), D(3), 16),
    (384, 32, log2_slope, D("0.75"), D(1), 17),
    (416, 32, root, D("1.5"), D(2), 17),
    (448, 32, root, D(3), D(4), 17),
]
WORDS = 512


def computed(c0, c1, c2, position):
    """What the hardware makes of them, in 2^-29 above 1."""
    slope = (c1 << 2) + ((position * c2) >> (POSITION_BITS - 2))
    return (c0 << 2) + ((position * slope) >> POSITION_BITS)


def coefficients(function, begin, end, falling):
    """Near the best: the interpolation at Chebyshev's nodes, lowest places last, so that each makes up for what the others lost."""
    def at(t):
        # The position in a falling piece is that of its last argument less the argument's: bits turned over.
        x = begin + (end - begin) * t if not falling else end - (end - begin) * (t + ONE / (1 << falling))
        return (function(x) - 1) * (1 << WIDTHS[0])

    half = D("0.75").sqrt() / 2
    n0, n1, n2 = D("0.5") - half, D("0.5"), D("0.5") + half
    c2 = round((at(n0) - 2 * at(n1) + at(n2)) / (2 * half * half))
    c1 = round((at(n2) - at(n0)) / (n2 - n0) - c2)
    c0 = 0
    errors = []
    for sample in range(SAMPLES + 1):
        position = min((sample << POSITION_BITS) // SAMPLES, (1 << POSITION_BITS) - 1)
        errors.append(at(D(position) / (1 << POSITION_BITS)) - D(computed(c0, c1, c2, position)) / 4)
    c0 = max(0, min(round((max(errors) + min(errors)) / 2), (1 << WIDTHS[0]) - 1))
    found = (c0, c1, c2)
    for value, width in zip(found, WIDTHS):
        assert 0 <= value < 1 << width, (function.__name__, begin, found)
    return found


def words():
    result = [0] * WORDS
    for first, count, function, begin, end, falling in PARTS:
        size = (end - begin) / count
        for i in range(count):
            c0, c1, c2 = coefficients(function, begin + size * i, begin + size * (i + 1), falling)
            result[first + i] = (c0 << WIDTHS[1] | c1) << WIDTHS[2] | c2
    return result


def grouped(items, count):
    return [items[i:i + count] for i in range(0, len(items), count)]


def rtl(table):
    used = [f"9'd{i}: word_o <= 64'h{word:016x};" for i, word in enumerate(table) if word]
    lines = "\n".join("        " + " ".join(group) for group in grouped(used, 3))
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// The table of fp32_special, read with a clock. Written by scripts/gen-special-tables.py, which says what a word means.
module fp32_special_table (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [8:0]  address_i,
  output logic [63:0] word_o
);

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      unique case (address_i)
{lines}
        default: word_o <= '0;
      endcase
    end
  end

endmodule
"""


def model(table):
    lines = "\n".join("    " + ", ".join(f"0x{word:016x}" for word in group) + "," for group in grouped(table, 5))
    return f"""\
// SPDX-License-Identifier: Apache-2.0
// The table of the special functions. Written by scripts/gen-special-tables.py, which says what a word means.
#pragma once

#include <array>
#include <cstdint>

namespace swai::iss::cpe::special {{

// clang-format off
inline constexpr std::array<uint64_t, {WORDS}> kTable = {{
{lines}
}};
// clang-format on

}}  // namespace swai::iss::cpe::special
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    table = words()
    status = 0
    for path, text in ((RTL, rtl(table)), (MODEL, model(table))):
        if not options.check:
            path.write_text(text)
        elif path.read_text() != text:
            print(f"{path} is not what {sys.argv[0]} writes")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
