#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a header with all of a CPE's model, as Verilator made it, and with what happens at its edges as a template of them.

Verilator's eval_nba() asks before each function that it calls whether one of its edges is there. Here the edges are known when the
model is compiled, so the compiler makes one function for each set that tile.cpp asks for, without what is for other edges.

  edges.py MODEL_FOLDER >HEADER"""

import pathlib
import re
import sys

TOP = "Vcpe_tile_top"
ROOT = f"{TOP}___024root"
# As cpe_tile_top.sv, or the doors below it, name the signals.
EDGES = {"Copy": "cpe_tile_top.copy", "Clock": "cpe_tile_top.clk", "Core": "cpe_tile_top.u_cpe.u_scalar.u_core_gate.clk",
         "Movers": "cpe_tile_top.u_cpe.u_engines.u_movers.u_gate.clk",
         "Systolic": "cpe_tile_top.u_cpe.u_engines.u_units.u_systolic.u_gate.clk",
         "Vector": "cpe_tile_top.u_cpe.u_engines.u_units.u_vector.u_gate.clk"}


def edge_numbers(text):
    """Verilator's, from what it prints in models for debugging."""
    found = {signal: int(number) for number, signal in
             re.findall(r"'act' region trigger index (\d+) is active: @\(posedge ([\w.]+)\)", text)}
    if sorted(found) != sorted(EDGES.values()):
        sys.exit(f"edges.py: the model has the edges {sorted(found)}, not those that tile.cpp knows")
    return {name: found[signal] for name, signal in EDGES.items()}


def evaluation(text):
    """The body of eval_nba(), with an `if constexpr` in place of every question about edges."""
    body = re.search(rf"^void {ROOT}___eval_nba\({ROOT}\* vlSelf\) {{\n(.*?)^}}\n", text, re.S | re.M)
    if body is None:
        sys.exit("edges.py: Verilator's eval_nba() looks different")
    symbols = f"{TOP}__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;"
    body = f"    {ROOT}* const vlSelf = &vlSymsp->TOP;\n" + body[1].replace(symbols, "")
    body = re.sub(r"vlSelf->__VnbaTriggered\.at\((\d+)U\)", r"(Edges >> \1 & 1)", body)
    if "Triggered" in body:
        sys.exit("edges.py: eval_nba() uses edges in a way that is not known")
    return re.sub(r"^    if \((?=\(*Edges)", "    if constexpr (", body, flags=re.M)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sources = sorted(file for file in pathlib.Path(sys.argv[1]).glob(f"{TOP}*.cpp") if "__ALL" not in file.name)
    text = "\n".join(file.read_text(encoding="utf-8") for file in sources)
    print("#pragma once\n")
    for file in sources:
        print(f'#include "{file.name}"')
    print("\nenum Edge : uint64_t {")
    for name, number in edge_numbers(text).items():
        print(f"  k{name} = 1U << {number},")
    print(f"}};\nconstexpr size_t kEdges = {len(EDGES)};\n")
    print("template <uint64_t Edges>")
    print(f"[[gnu::flatten, gnu::noinline]] void happen({TOP}__Syms* vlSymsp) {{\n{evaluation(text)}}}")


if __name__ == "__main__":
    main()
