# SPDX-License-Identifier: Apache-2.0
"""Draws a step of text generation (decode_step.py): above all of it, with every core; below the moments between two launches, where
flows lead from the launch's end to the host. For light and dark pages.

    python3 verif/host/models/text/decode_step_svg.py FILE.pftrace STEP.svg      # draws the last step of a trace
"""

import sys
import xml.sax.saxutils

import decode_step

WIDTH, LEFT, RIGHT = 960, 150, 946
ROW, GAP, STRIP = 16, 3, 3  # of a row, between rows, of a core among all
TOP, BETWEEN = 40, 56       # of the first part, and between parts
BINS = 399                  # of time
BEFORE, BEHIND = 400, 500   # cycles that the lower part shows around what it is about

STYLE = """<style>
  text { font: 11px sans-serif; fill: #222 } .title { font-size: 13px } .name { text-anchor: end } .in { text-anchor: middle }
  .frame { fill: none; stroke: #bbb; stroke-width: 0.6 } .flow { fill: none; stroke: #b3261e; stroke-width: 1 }
  .tip, .number { fill: #b3261e } .number { font-weight: bold } .dot { fill: #222 } .whole { fill: #c9d8c5 } .core { fill: #6f9a68 } .wait { fill: #e4c17c }
  .dma { fill: #1b6ca8 } .channel { fill: #8a63a8 } .systolic { fill: #2b8a3e } .vector { fill: #c2571a } .ring { fill: #7a6a4f }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .frame { stroke: #555 } .flow { stroke: #ff8a80 } .tip, .number { fill: #ff8a80 }
    .dot { fill: #ddd } .whole { fill: #40543d } .dma { fill: #6db3e8 } .channel { fill: #c7a3e0 } .systolic { fill: #7bd88f }
    .vector { fill: #f0a070 } .ring { fill: #b9a88a } }
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>
"""
KINDS = {"scalar": "wait", "DMA": "dma", "row channel": "channel", "column channel": "channel", "systolic unit": "systolic", "vector unit": "vector"}
# Of the step's chain: what has a number in the picture.
NUMBERED_ABOVE = {"call": 1, "doorbell": 2}
NUMBERED_BELOW = {"done": 3, "awake": 4, "record": 5, "data": 6}


class Part:
    """Rows over a time, one below the other."""

    def __init__(self, step, begin, end, top):
        self.step, self.begin, self.end, self.y, self.rows = step, begin, end, top, {}
        self.out = []

    def x(self, time):
        return LEFT + (RIGHT - LEFT) * min(max(time - self.begin, 0) / (self.end - self.begin), 1)

    def row(self, name, height=ROW):
        self.rows[name] = self.y + height / 2
        self.text(LEFT - 8, self.y + height / 2 + 4, name, "name")
        self.out.append(f'<rect class="frame" x="{LEFT}" y="{self.y}" width="{RIGHT - LEFT}" height="{height}"/>')
        top, self.y = self.y, self.y + height + GAP
        return top

    def text(self, x, y, words, kind=""):
        self.out.append(f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}">{xml.sax.saxutils.escape(words)}</text>')

    def boxes(self, kind, top, height, spans):
        """Of times, where something is; shorter ones than a pixel are still there."""
        path, last = [], None
        for begin, end in sorted(spans):
            if end < self.begin or begin > self.end:
                continue
            left, right = round(self.x(begin), 1), round(self.x(end), 1)
            right = max(right, left + 0.6)
            if last and left <= last[1]:
                last[1] = max(last[1], right)
            else:
                path.append(last := [left, right])
        if path:
            self.out.append(f'<path class="{kind}" d="{"".join(f"M{a:g} {top}H{b:.1f}v{height}H{a:g}z" for a, b in path)}"/>')

    def share(self, kind, top, height, level, most):
        """How much of something there is, in each part of the time."""
        width = (RIGHT - LEFT) / BINS
        heights = [height * min(level(self.begin + (self.end - self.begin) * (i + 0.5) / BINS) / most, 1) for i in range(BINS)]
        foot = top + height
        path = f"M{LEFT} {foot}"
        for i, one in enumerate(heights):
            if i == 0 or f"{one:.1f}" != f"{heights[i - 1]:.1f}":
                path += f"H{LEFT + width * i:.1f}V{foot - one:.1f}"
        self.out.append(f'<path class="{kind}" d="{path}H{RIGHT}V{foot}z"/>')

    def dot(self, row, time):
        self.out.append(f'<circle class="dot" cx="{self.x(time):.1f}" cy="{self.rows[row]:.1f}" r="2"/>')

    def flow(self, one, other):
        (from_row, from_time), (to_row, to_time) = one, other
        a, b = (self.x(from_time), self.rows[from_row]), (self.x(to_time), self.rows[to_row])
        middle = (a[1] + b[1]) / 2
        self.out.append(f'<path class="flow" marker-end="url(#tip)" d="M{a[0]:.1f} {a[1]:.1f}C{a[0]:.1f} {middle:.1f} {b[0]:.1f} {middle:.1f} '
                        f'{b[0]:.1f} {b[1]:.1f}"/>')

    def slices(self, track, kind, top, height=ROW):
        self.boxes(kind, top, height, [(item.begin, item.end) for item in self.step.on(track) if isinstance(item, decode_step.perfetto.Slice)])

    def instants(self, track):
        for item in self.step.on(track):
            time = decode_step.begin_of(item)
            if not isinstance(item, decode_step.perfetto.Slice) and self.begin <= time <= self.end:
                self.dot(track, time)

    def counter(self, label, names):
        top = self.row(label)
        windows = [self.step.counted(name) for name in names]

        def level(time):
            return sum(next((value for begin, value in reversed(values) if begin <= time), 0) for values in windows)

        self.share("ring", top, ROW, level, max([1, *(level(begin) for values in windows for begin, _ in values)]))

    def processor(self):
        """Host, management processor and what is between it and the others."""
        self.row("host")
        self.instants("host")
        self.slices("MPE", "whole", self.row("MPE"))
        self.instants("MPE")
        self.row("inbox")
        self.instants("inbox")
        for channel in sorted({item.track.name for item in self.step.trace.slices if item.track.name.startswith("DMA ") and self.begin <= item.begin <= self.end}):
            self.slices(channel, "dma", self.row(channel))
        self.counter("ring, packets", ["ring MPE injected", "ring PCIe injected", "ring group 0 injected"])
        self.slices("group 0", "whole", self.row("group 0"))
        self.instants("group 0")

    def chain(self, numbered):
        """The step's flows, and numbers where they lead, as far as this part shows them."""
        step = self.step
        for item, other in zip(step.chain.values(), list(step.chain.values())[1:]):
            # What a launch leads to comes at its end.
            begin, end = item.end if item is step.launch else decode_step.begin_of(item), decode_step.begin_of(other)
            if set(item.flows) & set(other.flow_ends) and begin >= self.begin:
                self.flow((item.track.name, begin), (other.track.name, end))
        for name, number in numbered.items():
            if item := step.chain.get(name):
                self.text(self.x(decode_step.begin_of(item)) + 6, self.rows[item.track.name] + 4, str(number), "number")


def whole(step, top):
    part = Part(step, step.begin - 0.01 * (step.end - step.begin), step.end + 0.01 * (step.end - step.begin), top)
    part.text(LEFT, top - 10, f"a step: {step.end - step.begin:,} cycles from the program's call to the token in the host's memory", "title")
    part.processor()
    part.chain(NUMBERED_ABOVE)
    core = max(step.cores, key=lambda one: one.computes())
    part.y += 6
    for unit in filter(core.units.get, decode_step.UNITS):
        label = f"{core.name.removeprefix('group 0 ')}, {'waits' if unit == 'scalar' else unit}"
        part.boxes(KINDS[unit], part.row(label), ROW, [(item.begin, item.end) for item in core.units[unit]])
    part.y += 6
    height = STRIP * len(step.cores)
    for unit in ("vector unit", "systolic unit"):
        first = part.row(f"all cores, {unit}", height)
        for i, one in enumerate(step.cores):
            part.boxes(KINDS[unit], first + STRIP * i, STRIP - 0.6, [(item.begin, item.end) for item in one.units.get(unit, [])])
    return part


def between(step, top):
    done = step.chain["done"].time
    part = Part(step, done - BEFORE, step.end + BEHIND, top)
    part.text(LEFT, top - 10, f"its last {step.end - done:,} cycles, from the launch's end on", "title")
    part.processor()
    part.chain(NUMBERED_BELOW)
    return part


def drawn(step):
    upper = whole(step, TOP)
    lower = between(step, upper.y + BETWEEN)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {lower.y + 8}" font-family="sans-serif">\n'
    return head + STYLE + "\n".join([*upper.out, *lower.out]) + "\n</svg>\n"


def main():
    file, picture = sys.argv[1:]
    with open(picture, "w", encoding="utf-8") as out:
        out.write(drawn(decode_step.steps(file)[-1]))


if __name__ == "__main__":
    main()
