# SPDX-License-Identifier: Apache-2.0
"""What a core group can do in a cycle at most, from the RTL that says so."""

import dataclasses
import pathlib
import re

# Of memory's peak: cpe.dma_eff, as measured, which figures of operators are held against. roofline.py compares.
DMA_EFF = 0.981
# Where each size is written down.
SOURCES = {
    "rows": ("rtl/group/cg.sv", r"parameter int unsigned Rows += (\d+)"),
    "columns": ("rtl/group/cg.sv", r"parameter int unsigned Columns += (\d+)"),
    "multipliers": ("rtl/cpe/systolic/cpe_systolic_array.sv", r"weights_q \[(\d+)\]"),
    "lanes": ("rtl/cpe/cpe.sv", r"parameter int unsigned VectorLanes += (\d+)"),
    "line_bytes": ("rtl/lib/mbus_pkg.sv", r"localparam int unsigned LineBytes = (\d+)"),
}


@dataclasses.dataclass(frozen=True)
class Machine:
    rows: int         # of CPEs
    columns: int
    multipliers: int  # of a systolic unit: products of bytes in a cycle
    lanes: int        # of a vector unit: numbers that go through an operation in a cycle
    line_bytes: int   # memory answers with one line in a cycle

    @property
    def cpes(self):
        return self.rows * self.columns

    @property
    def products(self):
        return self.cpes * self.multipliers

    @property
    def slots(self):
        return self.cpes * self.lanes

    def bytes(self, dma_eff):
        """Of memory, in a cycle. `dma_eff`: the part that DMA of all CPEs reaches, as measured (cpe.dma_eff)."""
        return self.line_bytes * dma_eff


def machine():
    sizes = {}
    for name, (path, pattern) in SOURCES.items():
        found = re.search(pattern, pathlib.Path(path).read_text())
        assert found, f"{path} has no {pattern}"
        sizes[name] = int(found[1])
    return Machine(**sizes)
