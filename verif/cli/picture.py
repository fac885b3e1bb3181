"""Where the words of an SVG picture lie: that none lie upon others, and none stick out."""

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
