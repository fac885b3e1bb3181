#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of transformer operators on a core group's datapath, before it is built: what each part of the machine needs, which one limits,
and what would become of it with other sizes. docs/hardware/datapath.md tells what follows from it. All figures are calculated, none measured.

  scripts/datapath-model.py            tables for people
  scripts/datapath-model.py --json     the same for machines
  scripts/datapath-model.py --set accumulator_rows=64 --set lanes=4    with other sizes
  scripts/datapath-model.py --page docs/hardware/datapath.md [--check]    writes the tables of that page, or tells whether they are there"""

import argparse
import dataclasses
import json
import pathlib
import random
import sys

import page_tables


@dataclasses.dataclass
class Machine:
    """Sizes of the datapath. Rates are per CPE and cycle unless something else is said."""
    rows: int = 4                    # CPEs
    columns: int = 8
    hbm_bytes: float = 62.5          # for the group: what DMA reaches of 64 (cpe.dma_eff)
    channel_bytes: float = 30.0      # for a row or column of CPEs: what multicast reaches of 32
    array: int = 8                   # k and columns of a tile
    weights: int = 8                 # loaded per cycle
    accumulator_rows: int = 256      # of `array` sums, in each of two halves
    drain: int = 2                   # results scaled per cycle
    lanes: int = 8                   # elements of the vector unit per cycle
    special: int = 4                 # exp2 and the like per cycle
    ldm_bytes: int = 128 * 1024
    banks: int = 8
    word: int = 32
    stream_words: int = 4            # read ahead by each operand stream of the vector unit
    sums_in_ldm: bool = False        # instead of an accumulator memory
    fused_softmax: bool = True
    sparse_halves: bool = True       # each half of a tile gathers activations of its own
    group_scale_in_drain: bool = False  # int4: sums of each group are drained and scaled, not scaled on the way into the accumulators

    @property
    def cpes(self):
        return self.rows * self.columns


@dataclasses.dataclass
class Result:
    """An operator: cycles that each part of the machine is busy, and those of the part that the bar is measured against."""
    name: str
    ideal: float
    parts: dict
    bar: float
    fixed: float = 0.0               # begin and end, where nothing overlaps
    note: str = ""

    @property
    def limit(self):
        return max(self.parts, key=self.parts.get)

    @property
    def second(self):
        return max((part for part in self.parts if part != self.limit), key=self.parts.get)

    @property
    def slack(self):
        """How many times faster the limiting part is than the next."""
        return self.parts[self.limit] / max(self.parts[self.second], 1)

    @property
    def cycles(self):
        return self.parts[self.limit] + self.fixed

    @property
    def efficiency(self):
        return self.ideal / self.cycles


def ceil_div(a, b):
    return -(-int(a) // int(b))


# --- Matrix products --------------------------------------------------------------------------------------------------


def block_cycles(m, rows, k, columns, *, int4=False, group=32, sums_out=1.0):
    """Parts of a CPE for rows x k times k x columns out of LDM; `sums_out`: results per product, drained through the scaler."""
    tiles = ceil_div(k, m.array) * ceil_div(columns, m.array)
    multiply = tiles * rows
    load = tiles * m.array * m.array / m.weights
    drained = rows * columns * sums_out
    words = tiles * (rows * m.array / m.word + m.array * m.array * (0.5 if int4 else 1.0) / m.word) + drained * 4 / m.word
    if m.sums_in_ldm:  # each row is read, added to and written, by two of its own ports
        words += tiles * rows * 2 * m.array * 4 / m.word
    if int4 and m.group_scale_in_drain:
        drained *= ceil_div(k, group)
    return {
        "array": multiply,
        "weights": load,
        "drain": drained / m.drain,
        "LDM": words / (m.banks * 0.6),  # random banks: more than 0.6 of them are seldom busy (see the streams below)
    }


def gemm(m, name, rows, k, columns, bar, *, int4=False, group=32):
    """A group's product: CPE rows share the rows of the result, CPE columns its columns; panels of k pass by, the sums stay."""
    my_rows, my_columns = ceil_div(rows, m.rows), ceil_div(columns, m.columns)
    passes, at_once = 1, my_rows
    while at_once * m.array > 2 * m.accumulator_rows * m.array or at_once > m.accumulator_rows:
        passes += 1
        at_once = ceil_div(my_rows, passes)
    tiles_per_block = max(1, m.accumulator_rows // at_once)
    block_columns = tiles_per_block * m.array
    column_blocks = ceil_div(my_columns, block_columns)
    parts = block_cycles(m, at_once, k, block_columns, int4=int4, group=group)
    parts = {key: value * passes * column_blocks for key, value in parts.items()}
    weight_bytes = 0.5 + 2 / group if int4 else 1.0
    # Activations stay in LDM for all column blocks when they fit in half of it, else they pass by once for each.
    resident = at_once * k <= m.ldm_bytes / 2
    x_bytes = my_rows * k * (1 if resident else column_blocks)
    w_bytes = my_columns * k * weight_bytes * passes
    out_bytes = rows * columns
    parts["HBM"] = (m.rows * x_bytes + m.columns * w_bytes + out_bytes) / m.hbm_bytes
    parts["row channel"] = x_bytes / m.channel_bytes
    parts["column channel"] = w_bytes / m.channel_bytes
    panel = 64
    fixed = (m.rows * at_once * panel + m.columns * block_columns * panel * weight_bytes) / m.hbm_bytes + at_once * tiles_per_block * m.array / m.drain
    ideal = rows * k * columns / (m.cpes * m.array * m.array)
    return Result(name, ideal, parts, bar, fixed + 500, f"{at_once} rows x {block_columns} columns per block, activations {'stay' if resident else 'pass by'}")


def gemv(m, name, k, columns, bar, *, group=32):
    per_cpe = k * columns / m.cpes
    tiles = per_cpe / m.array**2
    packed = per_cpe * (0.5 + 2 / group)
    parts = {
        "HBM": packed * m.cpes / m.hbm_bytes,
        "weights": tiles * m.array**2 / m.weights,
        "array": tiles,
        "LDM": (2 * packed / m.word + tiles * 0.25) / (m.banks * 0.6),
    }
    if m.group_scale_in_drain:
        parts["drain"] = per_cpe / group / m.drain
    return Result(name, parts["HBM"], parts, bar, 250, f"{parts['HBM'] / tiles:.1f} cycles per tile at the memory's rate")


def sparse(m, rows, k, columns, zeros, bar):
    dense = rows * ceil_div(k, 8) * ceil_div(columns, 8)
    kept = 1 - zeros
    if m.sparse_halves:
        tiles = ceil_div(k * kept * 1.03, 8) * ceil_div(columns, 8)  # lists of both halves are as long as the longer one
    else:
        tiles = ceil_div(k * (1 - zeros**2), 8) * ceil_div(columns, 8)
    parts = {"array": tiles * rows, "gather": tiles * ceil_div(rows, 32) * 16, "weights": tiles * 8, "drain": rows * columns / m.drain}
    return Result(f"sparse {zeros:.0%} {rows}x{k}x{columns} in LDM", dense * kept, parts, bar * kept, 40, f"{dense / max(parts.values()):.1f} times as fast as dense")


# --- Attention ----------------------------------------------------------------------------------------------------------


def attention(m, queries, tokens, width, heads, bar):
    """Scores, softmax and weighted sum of one head block by block in a CPE: `at_once` queries, blocks of 128 tokens, sums of V rescaled in fp32."""
    at_once, block = 64, 128
    scores = at_once * block
    first = block_cycles(m, at_once, width, block, sums_out=0)
    second = block_cycles(m, at_once, block, width, sums_out=1)
    passes = 1 + m.lanes / m.special if m.fused_softmax else 20
    vector = scores * passes / m.lanes + at_once * (6 + 4) / 1 + 2 * at_once * width / m.lanes
    parts = {key: first[key] + second[key] for key in first}
    parts["drain"] += at_once * block / m.array          # scores leave as they are, a row each cycle
    parts["vector"] = vector
    parts["LDM"] += scores * passes * 4 * 2 / m.word / (m.banks * 0.6)
    blocks = ceil_div(tokens, block) * ceil_div(queries, at_once) * heads / m.cpes
    parts = {key: value * blocks for key, value in parts.items()}
    # K and V are shared by the CPEs of a row, which do different queries of one head.
    parts["HBM"] = (2 * tokens * width * ceil_div(queries, at_once * m.columns) + 5 * queries * width) * heads / m.hbm_bytes
    ideal = 2 * queries * tokens * width * heads / (m.cpes * m.array**2)
    imbalance = ceil_div(ceil_div(queries, at_once) * heads, m.cpes) / (ceil_div(queries, at_once) * heads / m.cpes)
    parts = {key: value * (imbalance if key != "HBM" else 1) for key, value in parts.items()}
    slots = vector * m.lanes / scores
    return Result(f"attention {queries}x{tokens}, {heads} heads of {width}", ideal, parts, bar, 2000, f"{slots:.1f} vector slots per score of {2 * width / m.array**2 * m.lanes:.0f}")


# --- Vectors ------------------------------------------------------------------------------------------------------------


def vector(m, name, slots, elements, bar, in_bytes=4, out_bytes=4):
    parts = {"vector": slots * elements / (m.cpes * m.lanes), "HBM": (in_bytes + out_bytes) * elements / m.hbm_bytes}
    return Result(name, max(parts.values()), parts, bar, 600, f"{slots:g} slots per element")


def streams(m, aligned, alone, cycles=20_000, seed=1):
    """Share of 8 elements a cycle that a * b + c keeps with three operands and results in LDM, alone or while the systolic unit reads
    activations and DMA writes: each stream asks for one bank after the other, each bank serves one, in turn; operands wait in small queues.
    Runs of 256 elements follow each other; they begin in the same banks (`aligned`) or anywhere."""
    rng = random.Random(seed)
    done = 0
    operands, results = [0, 0, 0], 0
    bank = [0] * 4
    activations = 0
    for cycle in range(cycles):
        if cycle % 32 == 0 and not aligned:
            bank = [rng.randrange(m.banks) for _ in bank]
        taken = set()
        if not alone and rng.random() < 0.03:
            first = rng.randrange(m.banks)
            taken.update((first, (first + 1) % m.banks))  # a line of 64 bytes
        if not alone and cycle % 4 == 0:
            activations = (activations + 1) % m.banks
            taken.add(activations)
        for i in range(4):
            stream = (cycle + i) % 4
            wants = results > 0 if stream == 3 else operands[stream] < m.stream_words
            if wants and bank[stream] not in taken:
                taken.add(bank[stream])
                bank[stream] = (bank[stream] + 1) % m.banks
                if stream == 3:
                    results -= 1
                else:
                    operands[stream] += 1
        if all(operands) and results < 2:
            operands = [n - 1 for n in operands]
            results += 1
            done += 1
    return done / cycles


# --- Report -------------------------------------------------------------------------------------------------------------


def operators(m):
    return [
        gemm(m, "GEMM W8A8 512x512x512", 512, 512, 512, 0.90),
        gemm(m, "GEMM W8A8 1500x512x2048", 1500, 512, 2048, 0.93),
        gemm(m, "GEMM W4A8 560x2048x5504", 560, 2048, 5504, 0.93, int4=True),
        gemv(m, "GEMV W4A8 2048x5504", 2048, 5504, 0.94),
        sparse(m, 256, 512, 64, 0.8, 4.0),
        attention(m, 1500, 1500, 64, 8, 0.75),
        vector(m, "layer norm 1500x512", 6, 1500 * 512, 0.85),
        vector(m, "softmax 8x1500x1500", 4 + m.lanes / m.special, 8 * 1500 * 1500, 0.85),
        vector(m, "GELU 1500x2048", 8 + 2 * m.lanes / m.special, 1500 * 2048, 0.85),
    ]


VARIANTS = [
    ("sums in LDM", {"sums_in_ldm": True}),
    ("accumulators 2 x 64 rows", {"accumulator_rows": 64}),
    ("weights 4 a cycle", {"weights": 4}),
    ("drain 1 a cycle", {"drain": 1}),
    ("group scales in the drain", {"group_scale_in_drain": True}),
    ("one list of zeros per tile", {"sparse_halves": False}),
    ("softmax in single steps", {"fused_softmax": False}),
    ("4 vector lanes", {"lanes": 4}),
]


def changed(m, texts):
    fields = {field.name: field for field in dataclasses.fields(Machine)}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in fields or not value:
            sys.exit(f"--set {text}: expected one of {', '.join(fields)} and a value, as lanes=4")
        kind = type(getattr(m, name))
        try:
            setattr(m, name, value.lower() in ("1", "true", "yes") if kind is bool else kind(value))
        except ValueError:
            sys.exit(f"--set {text}: {value} is not a number")
    return m


def rows(header, lines):
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] + ["| " + " | ".join(line) + " |" for line in lines]


def operator_table(results):
    lines = []
    for r in results:
        others = sorted(((value / r.parts[r.limit], key) for key, value in r.parts.items() if key != r.limit), reverse=True)
        lines.append((r.name, f"{r.cycles:,.0f}", f"{r.efficiency:.3f}", f"{r.bar:.2f}", r.limit, ", ".join(f"{key} {share:.2f}" for share, key in others[:3]), r.note))
    return rows(("operator", "cycles", "of its limit", "bar", "limited by", "the next, of that", ""), lines)


def stream_table(m):
    cases = [(alone, aligned) for alone in (True, False) for aligned in (True, False)]
    return rows(("words read ahead", "alone: same banks", "any banks", "beside systolic unit and DMA: same banks", "any banks"),
                [(str(n), *(f"{streams(dataclasses.replace(m, stream_words=n), aligned, alone):.3f}" for alone, aligned in cases)) for n in (1, 2, 3, 4, 8)])


def variant_table(m, results):
    lines = []
    for name, change in VARIANTS:
        pairs = zip(results, operators(dataclasses.replace(m, **change)), strict=True)
        changes = [f"{after.name}: {before.efficiency:.2f} becomes {after.efficiency:.2f} ({after.limit}, next {after.second})" for before, after in pairs
                   if abs(before.efficiency - after.efficiency) > 0.01 or after.slack < 1.1 < before.slack]
        lines.append((name, "; ".join(changes) or "nothing"))
    return rows(("instead", "what becomes slower, or has less than a tenth to spare"), lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one object on standard output")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="another size (" + ", ".join(f.name for f in dataclasses.fields(Machine)) + ")")
    parser.add_argument("--page", type=pathlib.Path, help="whose tables are written")
    parser.add_argument("--check", action="store_true", help="nothing is written; exit code 1 when the page is out of date")
    options = parser.parse_args()
    m = changed(Machine(), options.set)
    results = operators(m)
    if options.json:
        print(json.dumps({"version": 1, "machine": dataclasses.asdict(m), "streams": streams(m, aligned=True, alone=True),
                          "operators": [dataclasses.asdict(r) | {"cycles": r.cycles, "efficiency": r.efficiency, "limit": r.limit} for r in results]}))
        return 0
    tables = {"operators": operator_table(results), "streams": stream_table(m), "variants": variant_table(m, results)}
    if options.page:
        return page_tables.fill(options.page, tables, "scripts/datapath-model.py", options.check)
    for lines in tables.values():
        print("\n".join(lines), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
