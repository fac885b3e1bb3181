#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that measured pictures and tables in docs/ are of one commit, which is part of the history, and of a tree
without changes. verif/repo/stale-pictures.toml lists those that are known not to be; it may only shrink. Without history
(a tarball, a shallow clone) nothing is checked."""

import json
import pathlib
import sys
import tomllib

sys.path.insert(0, "scripts")
import measured  # noqa: E402
import repository  # noqa: E402

PICTURES = pathlib.Path("docs/pictures")
# Pages whose tables are measured.
PAGES = [pathlib.Path("docs/measurements") / name for name in ("paper.md", "paper-llm.md", "roofline.md")]


def measured_files():
    """Texts that must name a commit, by path."""
    files = {path: path.read_text() for path in [*sorted(PICTURES.glob("**/*")), *PAGES] if path.is_file()}
    return {path: text for path, text in files.items() if path.suffix in (".json", ".md") or "Measured" in text}


def first_version():
    """Commits, and names of pages, that the list had when it was first committed; None before that."""
    added = repository.git("log", "--diff-filter=A", "--format=%H", "--", str(measured.STALE)).stdout.split()
    if not added:
        return None
    first = tomllib.loads(repository.git("show", f"{added[-1]}:{measured.STALE}").stdout)
    return {name_of(key) for key in [*first.get("commits", {}), *first.get("pages", {})]}


def name_of(key):
    """A page that moves to another folder is still the same page."""
    return pathlib.PurePath(key).name


def complaints():
    stale = measured.stale()
    stale_commits, stale_pages = stale.get("commits", {}), stale.get("pages", {})
    used = set()
    fresh = {}
    for path, text in measured_files().items():
        named = measured.commits(json.loads(text)["made"] if path.suffix == ".json" else text)
        if not named and str(path) in stale_pages:
            used.add(str(path))
        elif not named:
            yield f"{path}: names no commit"
        for name, dirty in named:
            if name in stale_commits:
                used.add(name)
                continue
            fresh.setdefault(repository.full_name(name), (path, name))
            if dirty:
                yield f"{path}: was measured with changes to commit {name}"
            if not repository.is_ancestor(name):
                yield f"{path}: commit {name} is not part of this history"
    if len(fresh) > 1:
        examples = ", ".join(f"{path} of {name}" for path, name in sorted(fresh.values()))
        yield f"pictures and tables are of different commits: {examples}"
    listed = {**stale_commits, **stale_pages}
    for key in sorted(set(listed) - used):
        yield f"{measured.STALE}: {key} is not stale any more: remove it"
    first = first_version()
    for key in sorted(listed):
        if first is not None and name_of(key) not in first:
            yield f"{measured.STALE}: {key} was added; the list may only shrink"
        if set(listed[key]) != {"since", "reason"}:
            yield f"{measured.STALE}: {key}: needs since and reason"


def main():
    if not repository.has_history():
        print("no history: nothing is checked")
        return 0
    found = list(complaints())
    print("\n".join([*found, f"{len(found)} complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
