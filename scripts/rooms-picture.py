#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/pictures/rooms.svg from the rooms of scripts/lint/imports.py: a column for each top folder, with each room
above those that it imports. With --check nothing is written; exit code 1 says that the picture is not of these rooms."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lint"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import imports  # noqa: E402
import repository  # noqa: E402

PICTURE = pathlib.Path("docs/pictures/rooms.svg")
# The columns, and the question that each answers.
COLUMNS = {
    "host": "what does a user run?",
    "sim": "what stands in for silicon?",
    "rtl": "what is the card?",
    "firmware": "what runs on the MPE?",
    "cpe-kernels": "what runs on the CPEs?",
}
BESIDE = ["bench", "examples", "models", "boards"]
WIDTHS = {"host": 320, "sim": 190, "rtl": 180, "firmware": 320, "cpe-kernels": 230}
LEFT, GAP, TOP, ROW, BOX = 20, 14, 164, 44, 34
STYLE = """  <style>
    rect { fill: #f6f1e7; stroke: #7a6a4f; rx: 6 }
    .ground { fill: #dfe8dc } .roof { fill: #e6e3ef } .hall { fill: none; stroke-dasharray: 5 4 }
    text { fill: #2b2b2b; text-anchor: middle } .note { font-size: 12px; fill: #666 }
  </style>
"""


def rooms_of(column, files):
    """The rooms of a column. Where the whole column is one room for imports, or holds folders beside its rooms, its folders."""
    rooms = [name for name in imports.ROOMS if name.startswith(column + "/")]
    folders = {"/".join(path.split("/")[:2]) for path in files if path.startswith(column + "/") and path.count("/") > 1}
    return sorted(folders) if any(all(not room.startswith(folder) for room in rooms) for folder in folders) else rooms


def imports_of(names, files):
    """Which of these folders each of them imports."""
    packages = {pathlib.PurePosixPath(path).stem: path for path in files if path.endswith("_pkg.sv")}

    def owner(path):
        return next((name for name in names if path.startswith(name + "/")), None)

    found = {name: set() for name in names}
    for path in files:
        if owner(path):
            found[owner(path)] |= {owner(target) for target in imports.targets(path, files, packages)} - {None, owner(path)}
    return found


def floors(below):
    """The floor of each folder: above all that it imports. Folders that import each other are on one floor."""
    floor = dict.fromkeys(below, 0)
    for _ in below:
        for name, others in below.items():
            floor[name] = max([floor[name], *(floor[other] + 1 for other in others if name not in below[other])])
    return floor


def box(x, y, width, height, name, kind="", note=""):
    kind = f' class="{kind}"' if kind else ""
    middle = x + width / 2
    text = [f'  <rect{kind} x="{x:g}" y="{y:g}" width="{width:g}" height="{height}"/>',
            f'  <text x="{middle:g}" y="{y + (20 if note else height / 2 + 5):g}">{name}</text>']
    if note:
        text.append(f'  <text class="note" x="{middle:g}" y="{y + 40:g}">{note}</text>')
    return text


def rows_of(column, files):
    """From the lowest floor up: the names in each."""
    names = rooms_of(column, files)
    floor = floors(imports_of(names, files))
    return [[name.removeprefix(column + "/") for name in names if floor[name] == at] for at in range(1 + max(floor.values()))]


def picture():
    files = set(repository.git("ls-files").stdout.split())
    rows = {column: rows_of(column, files) for column in COLUMNS}
    height = ROW * max(map(len, rows.values())) + 12
    width = sum(WIDTHS.values()) + GAP * (len(WIDTHS) - 1)
    text = box(LEFT, 20, width, 52, "verif", "roof", "how do we know? It imports any room; no room imports it")
    share = (width - GAP * (len(BESIDE) - 1)) / len(BESIDE)
    for place, name in enumerate(BESIDE):
        text += box(LEFT + place * (share + GAP), 84, share, 34, name)
    x = LEFT
    for column, question in COLUMNS.items():
        text.append(f'  <rect class="hall" x="{x}" y="{TOP - 36}" width="{WIDTHS[column]}" height="{height + 36}"/>')
        text.append(f'  <text x="{x + WIDTHS[column] / 2:g}" y="{TOP - 18}">{column}</text>')
        text.append(f'  <text class="note" x="{x + WIDTHS[column] / 2:g}" y="{TOP - 2}">{question}</text>')
        for place, names in enumerate(rows[column]):
            y = TOP + height - ROW * (place + 1)
            room = WIDTHS[column] - 16 - 6 * (len(names) - 1)
            letters = sum(len(name) + 4 for name in names)
            left = x + 8
            for name in names:
                wide = room * (len(name) + 4) / letters
                text += box(round(left, 1), y, round(wide, 1), BOX, name)
                left += wide + 6
        x += WIDTHS[column] + GAP
    text += box(LEFT, TOP + height + 14, width, 52, "abi", "ground", "what did two sides agree on? Every room may import it; it imports none")
    total = TOP + height + 80
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 2 * LEFT} {total}" font-family="sans-serif" font-size="13">\n'
    return head + STYLE + "\n".join(text) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    if not parser.parse_args().check:
        PICTURE.write_text(picture())
    elif PICTURE.read_text() != picture():
        print(f"{PICTURE} does not show the rooms of scripts/lint/imports.py: run scripts/rooms-picture.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
