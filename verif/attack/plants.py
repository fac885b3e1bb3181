#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes out what was mended, one after the other (plants.toml), and looks whether the attacks find it; each kind of attack
is to find something. What an attack says then must be its own: what it found in reach, or what the plant `says`. The sources
are copied elsewhere and built there: make would find their build.mk files below here."""

import argparse
import fnmatch
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib

PLANTS = pathlib.Path("verif/attack/plants.toml")
PROGRAM = "build/sanitized/test-attack"  # what was planted may only misuse memory
CARD = ["build/attack-card", "build/swai", "build/swai-card-fast", "build/firmware/flash.bin", "build/firmware/rom.hex",
        "build/cpe-kernels/sdaa-tests.elf"]
PATIENCE = 300  # seconds
KEPT = 600  # characters of what an attack says
KIND = re.compile(r'const Kind \w+\(\s*Boundary::\w+,\s*"([^"]+)"')


def copy_sources(tree):
    """The tree as it is here; what is the same there keeps its time, so that make builds what differs."""
    names = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = pathlib.Path(name), tree / name
        if not source.exists() or (target.exists() and target.read_bytes() == source.read_bytes()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)


def build(tree, targets):
    done = subprocess.run(["make", "-C", tree, *targets], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)


def all_kinds():
    sources = sorted(PLANTS.parent.glob("*_kinds.cpp"))
    return [kind for source in sources for kind in KIND.findall(source.read_text())]


def on_card(plant):
    """The functional card, where kernels and programs are really run."""
    return plant.get("card", False)


def programs(card):
    return CARD if card else [PROGRAM]


def play(tree, kind, card):
    """What this attack, played alone, says when it fails, or ends the program; None: it does not."""
    command = [PROGRAM, "--test-case=each*", f"--subcase={kind}"]
    if card:
        [name] = fnmatch.filter(all_kinds(), kind)
        command = [sys.executable, "verif/attack/card_test.py", "--tier", "fast", "--steps", "2", "--attacks", name]
    try:
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"not ended after {PATIENCE} s"
    return None if done.returncode == 0 else done.stdout + done.stderr


def is_as_predicted(plant, kind, said):
    """Whether it failed for the plant's sake. An attack names itself in front of what it found in reach."""
    if "says" in plant and re.search(plant["says"], said):
        return True
    return any(f": {name}: " in said for name in fnmatch.filter(all_kinds(), kind))


def edits_of(plant):
    return [plant, *plant.get("also", [])]


def look(plants):
    """In words what cannot be right: a kind that is to find nothing, a plant that nothing is to find, or that has no place."""
    kinds = all_kinds()
    patterns = [pattern for plant in plants for pattern in plant["kinds"]]
    wrong = [f"nothing that is to be found by: {kind}" for kind in kinds
             if not any(fnmatch.fnmatch(kind, pattern) for pattern in patterns)]
    wrong += [f"no kind of attack is named: {pattern}" for pattern in patterns if not fnmatch.filter(kinds, pattern)]
    return wrong + [f"{plant['what']}: what it is to replace in {edit['file']} is not there once" for plant in plants
                    for edit in edits_of(plant) if pathlib.Path(edit["file"]).read_text().count(edit["old"]) != 1]


def try_out(tree, plant):
    """The attacks that do not find it, with the end of what they say if they fail for another reason."""
    edits = edits_of(plant)
    whole = {tree / edit["file"]: (tree / edit["file"]).read_text() for edit in edits}
    try:
        for edit in edits:
            path = tree / edit["file"]
            path.write_text(path.read_text().replace(edit["old"], edit["new"]))
        build(tree, programs(on_card(plant)))
        said = {kind: play(tree, kind, on_card(plant)) for kind in plant["kinds"]}
        return {kind: (words or "nothing").strip()[-KEPT:] for kind, words in said.items()
                if words is None or not is_as_predicted(plant, kind, words)}
    finally:
        for path, text in whole.items():
            path.write_text(text)


def try_all(tree, plants):
    """Tells of each as soon as it is known. How many are not as they should be."""
    copy_sources(tree)
    played = sorted({(on_card(plant), kind) for plant in plants for kind in plant["kinds"]})
    for card in sorted({card for card, _ in played}):
        build(tree, programs(card))
    wrong = 0
    for card, kind in played:
        if said := play(tree, kind, card):
            print(f"{kind}: fails without a plant: {said.strip()[-KEPT:]}", flush=True)
            wrong += 1
    for plant in plants:
        missed = try_out(tree, plant)
        print(f"{'missed' if missed else 'found':7} {plant['what']}", flush=True)
        for kind, words in missed.items():
            print(f"  {kind}: says not what it should, but: {words}", flush=True)
        wrong += len(missed)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=pathlib.Path, help="a folder for the copy, which is kept for the next time")
    parser.add_argument("--look", action="store_true", help="build and play nothing: only whether each kind of attack has a plant")
    parser.add_argument("words", nargs="*", help="only plants in whose names one of these is")
    options = parser.parse_args()
    plants = tomllib.loads(PLANTS.read_text())["plant"]
    if wrong := look(plants):
        sys.exit("\n".join(f"{PLANTS}: {line}" for line in wrong))
    if options.look:
        return
    plants = [one for one in plants if not options.words or any(word in one["what"] for word in options.words)]
    if not plants:
        sys.exit(f"{PLANTS}: no plant is named so")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal; what was planted is taken out"))
    with tempfile.TemporaryDirectory() as folder:
        try:
            wrong = try_all(options.tree or pathlib.Path(folder), plants)
        except RuntimeError as error:
            sys.exit(str(error))
    print(f"{wrong} times it was not so" if wrong else f"{len(plants)} plants, each found by the attacks that are to find it")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
