# SPDX-License-Identifier: Apache-2.0
"""What pictures of `swai bench sdaa --svg` have to be: words lie beside each other, and say all that there is to say."""

import itertools
import re
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# Of a letter of sans-serif fonts, on average, in parts of the font's size; and above and below the line.
LETTER, ABOVE, BELOW = 0.56, 0.75, 0.22
SIZES = {"small": 11, "": 13}


def box(text):
    """(left, top, right, bottom)"""
    size = SIZES[text.get("class", "")]
    width = LETTER * size * len(text.text)
    left = {"start": 0, "middle": -width / 2, "end": -width}[text.get("text-anchor")]
    turned = re.fullmatch(r"translate\((\S+) (\S+)\) rotate\(-90\)", text.get("transform", ""))
    if turned:
        x, y = map(float, turned.groups())
        return x - ABOVE * size, y - left - width, x + BELOW * size, y - left
    x, y = float(text.get("x")), float(text.get("y"))
    return x + left, y - ABOVE * size, x + left + width, y + BELOW * size


def faults(path):
    """Lines that say which words lie upon which, or outside."""
    root = xml.etree.ElementTree.parse(path).getroot()
    width, height = map(float, root.get("viewBox").split()[2:])
    boxes = [(text.text, box(text)) for text in root.iter(f"{SVG}text")]
    found = [
        f"{words!r} sticks out"
        for words, (left, top, right, bottom) in boxes
        if left < 0 or top < 0 or right > width or bottom > height
    ]
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]:
            found.append(f"{one!r} lies upon {other!r}")
    return found


def missing(path, figure):
    """What does not stand in the picture of this figure (`--json`), though it should."""
    root = xml.etree.ElementTree.parse(path).getroot()
    words = " ".join(text.text for text in root.iter(f"{SVG}text"))
    drawn = [group.get("class") for group in root.iter(f"{SVG}g")]
    values = [point["ns"] for series in figure["series"] for point in series["points"]]
    if not figure["rates"]:
        values += [one["paper_number"] for one in figure["published"] if one["time"]]
    sizes = "bytes" in figure["series"][0]["points"][0]
    wanted = {
        "the figure": f"Figure {figure['figure']}. {figure['title']}" in words,
        "all series": len(drawn) - drawn.count("paper") == len(figure["series"]),
        # Those that are times have a place where the axis has times.
        "the paper's points": drawn.count("paper") == sum(one["time"] for one in figure["published"]),
        "an axis title": ("bytes per ns" if figure["rates"] else "time, ns") in words,
        "the other axis title": (" size " in words) == sizes,
        "a logarithmic axis": sizes or (", logarithmic" in words) == (max(values) > 1000 * min(values)),
        "configuration and commit": re.search(r"Measured on SWAI \w+, tier \w+, (before )?commit [0-9a-f]+", words),
    }
    for one in figure["published"]:
        wanted[one["what"]] = f"{one['what']}: {one['paper']}; here" in words
        wanted[f"why {one['what']} is worse"] = not one["worse"] or f"Ours is worse: {one['worse']}" in words
    return [what for what, there in wanted.items() if not there]
