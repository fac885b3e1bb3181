# SPDX-License-Identifier: Apache-2.0
"""Draws a roofline: operations for each byte of memory's traffic against operations in a cycle, both logarithmic, below what the
card can. What moves no bytes stands beside it, on the same axis. For light and dark pages; words lie on nothing
(roofline_test.py, with verif/host/tools/swai/picture.py)."""

import dataclasses
import math
import textwrap
import xml.sax.saxutils

WIDTH, LEFT, RIGHT = 860, 64, 846
TOP, HEIGHT, ASIDE = 48, 400, 150  # of the plot; how wide the part for local memory is
ASIDE_FIRST, ASIDE_STEP = 14, 12   # of points there
PLOT = RIGHT - ASIDE - 14          # where the plot ends
FRAMES = ((LEFT, PLOT), (RIGHT - ASIDE, RIGHT))
LINE = 20
SMALL_LETTER, SMALL_LINE = 6.4, 15  # of small words: a letter, more than most have, and a line
DOT = 4
MOST_POWERS = 8  # of two, that an axis goes on for words
HANG, GAP = 17, 7  # of words below and beside their point

STYLE = """<style>
  text { font: 13px sans-serif; fill: #222 } .small { font-size: 11px }
  .frame, .grid { stroke: #bbb } .frame, .lead { fill: none } .grid { stroke-width: 0.5 } .lead { stroke: #888; stroke-width: 0.8 }
  .roof { stroke: currentColor; stroke-width: 2 } .dot { fill: currentColor }
  .systolic { color: #1b6ca8 } .vector { color: #c2571a } .memory { color: #2b8a3e }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .frame, .grid { stroke: #555 } .lead { stroke: #999 }
    .systolic { color: #6db3e8 } .vector { color: #f0a070 } .memory { color: #7bd88f } }
</style>
"""


@dataclasses.dataclass(frozen=True)
class Point:
    label: str
    intensity: float | None  # operations a byte; None: it moves none
    rate: float              # operations a cycle
    systolic: bool           # by the systolic units, else by the vector units


@dataclasses.dataclass(frozen=True)
class Roofs:
    products: float  # in a cycle
    slots: float
    bytes: float


class Axis:
    """Logarithmic, with whole powers of two at both ends."""

    def __init__(self, values, start, end):
        self.low, self.high = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
        self.start, self.end = start, end

    def at(self, value):
        return self.start + (self.end - self.start) * (math.log2(value) - self.low) / (self.high - self.low)

    def powers(self):
        return [2.0 ** power for power in range(self.low, self.high + 1)]


class Chart:
    def __init__(self, points, roofs):
        self.points, self.roofs = points, roofs
        intensities = [point.intensity for point in points if point.intensity]
        ridge = roofs.products / roofs.bytes
        self.x = Axis([*(value / 1.5 for value in intensities), *(value * 1.5 for value in intensities), ridge * 4, 0.25], LEFT, PLOT)
        self.y = Axis([*(point.rate / 2 for point in points), roofs.products * 1.3], TOP + HEIGHT, TOP)
        # Until there is room for all words, or so many that there cannot be.
        for _ in range(MOST_POWERS):
            beside, below = self.too_far()
            self.x.high += beside
            self.y.low -= below
        self.out = []

    def too_far(self):
        """Whether words of points stick out at the right, and below."""
        words = list(self.words())
        return (any(point.intensity and left + SMALL_LETTER * len(point.label) > PLOT for point, _, _, left, _ in words),
                any(foot > TOP + HEIGHT - SMALL_LINE / 2 for _, _, _, _, foot in words))

    def place(self, point):
        if point.intensity:
            return self.x.at(point.intensity), self.y.at(point.rate)
        aside = [one for one in self.points if not one.intensity]
        return RIGHT - ASIDE + ASIDE_FIRST + ASIDE_STEP * aside.index(point), self.y.at(point.rate)

    def text(self, x, y, words, anchor="start", kind="small"):
        self.out.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{xml.sax.saxutils.escape(words)}</text>')

    def path(self, kind, *corners):
        steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
        self.out.append(f'<path class="{kind}" d="M{steps}"/>')

    def frame(self):
        for left, right in FRAMES:
            self.out.append(f'<rect class="frame" x="{left}" y="{TOP}" width="{right - left}" height="{HEIGHT}"/>')
        for value in self.y.powers():
            for left, right in FRAMES:
                self.path("grid", (left, self.y.at(value)), (right, self.y.at(value)))
            self.text(LEFT - 6, self.y.at(value) + 4, f"{value:g}", "end")
        for value in self.x.powers():
            self.path("grid", (self.x.at(value), TOP), (self.x.at(value), TOP + HEIGHT))
            self.text(self.x.at(value), TOP + HEIGHT + 16, f"{value:g}", "middle")
        foot = TOP + HEIGHT + 36
        self.text((LEFT + PLOT) / 2, foot, "operations for each byte that memory reads or writes", "middle", "")
        self.text(RIGHT - ASIDE / 2, foot, "in local memory", "middle", "")
        self.out.append(f'<text class="" text-anchor="middle" transform="translate(14 {TOP + HEIGHT / 2:.1f}) rotate(-90)">'
                        "operations a cycle</text>")

    def roof(self):
        """Memory's slope, and the units' limits from there on."""
        roofs = self.roofs
        low = 2.0 ** max(self.x.low, self.y.low - math.log2(roofs.bytes))
        self.out.append('<g class="memory">')
        self.path("roof", *((self.x.at(value), self.y.at(value * roofs.bytes)) for value in (low, roofs.products / roofs.bytes)))
        self.out.append("</g>")
        for kind, limit in (("vector", roofs.slots), ("systolic", roofs.products)):
            self.out.append(f'<g class="{kind}">')
            for left, right in ((self.x.at(limit / roofs.bytes), PLOT), FRAMES[1]):
                self.path("roof", (left, self.y.at(limit)), (right, self.y.at(limit)))
            self.out.append("</g>")

    def legend(self, y, kind, words, dot):
        self.out.append(f'<g class="{kind}">')
        self.path("roof", (LEFT, y - 4), (LEFT + 30, y - 4))
        if dot:
            self.out.append(f'<circle class="dot" cx="{LEFT + 15}" cy="{y - 4}" r="{DOT}"/>')
        self.out.append("</g>")
        self.text(LEFT + 38, y, words)

    def dots(self):
        for point in self.points:
            x, y = self.place(point)
            self.out.append(f'<g class="{"systolic" if point.systolic else "vector"}">'
                            f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{DOT}"/></g>')

    def columns(self):
        """Points whose words stand below one another, to the right of them. The rightmost comes first: so no line from a point to its
        words crosses others."""
        for there in (True, False):
            points = [point for point in self.points if (point.intensity is not None) == there]
            yield sorted(points, key=lambda point: (-self.place(point)[0], self.place(point)[1]))

    def words(self):
        """Of each point: where it is, and where its words begin and stand."""
        for points in self.columns():
            free = TOP
            for point in points:
                x, y = self.place(point)
                free = self.beside_roofs(max(y + HANG, free + SMALL_LINE))
                yield point, x, y, x + GAP + 2, free

    def beside_roofs(self, foot):
        """Where words that would stand there lie upon no level roof."""
        for limit in (self.roofs.slots, self.roofs.products):
            roof = self.y.at(limit)
            if foot - SMALL_LINE < roof < foot + SMALL_LINE / 2:
                return roof + SMALL_LINE
        return foot

    def labels(self):
        for point, x, y, left, foot in self.words():
            middle = foot - SMALL_LINE / 4
            self.path("lead", (x, y), (x, middle), (x + GAP, middle))
            self.text(left, foot, point.label)


def svg(points, roofs, notes):
    """`notes`: what stands below, each in lines of its own."""
    chart = Chart(points, roofs)
    chart.text(LEFT, 28, "Operators against the limits of a core group", kind="")
    chart.frame()
    chart.roof()
    chart.dots()
    chart.labels()
    y = TOP + HEIGHT + 64
    for kind, words in (("memory", f"memory: {roofs.bytes:.1f} bytes a cycle"),
                        ("systolic", f"systolic units: {roofs.products:,.0f} operations a cycle, which are products of bytes"),
                        ("vector", f"vector units: {roofs.slots:,.0f} operations a cycle, which are slots")):
        chart.legend(y, kind, words, kind != "memory")
        y += LINE
    for note in notes:
        for words in textwrap.wrap(note, int((RIGHT - LEFT) / SMALL_LETTER)):
            chart.text(LEFT, y, words)
            y += LINE
    body = "\n".join(chart.out)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}">\n{STYLE}{body}\n</svg>\n'
