# SPDX-License-Identifier: Apache-2.0
"""The commits that measured pictures and tables of docs/ name, and the check that scripts make before they write
them."""

import pathlib
import re
import tomllib

import repository

# Forms of commits in pictures: as `git describe` prints them, and those of trees with changes.
NAME = re.compile(r"(before )?commit (?:[\w.]+-\d+-g)?([0-9a-f]{7,40})(-dirty)?\b")
STALE = pathlib.Path("verif/repo/stale-pictures.toml")


def commits(text):
    """Pairs of each commit that a text names, and whether files differed from it."""
    return {(name, bool(before or dirty)) for before, name, dirty in NAME.findall(text)}


def stale():
    """Commits and pages that are known to be stale: `commits` and `pages`, each with date and reason."""
    return tomllib.loads(STALE.read_text()) if STALE.exists() else {}


def is_known_stale(made):
    names = {name for name, _ in commits(made)}
    return bool(names) and names <= set(stale().get("commits", {}))


def require_this_commit(made):
    """Ends the program unless `made` names the commit that is checked out, and only docs/ differs from it."""
    named = commits(made)
    head = repository.commit()
    if head is None or not repository.is_clean("docs"):
        raise SystemExit("files differ from the commit that is checked out: commit them, and measure again")
    if len(named) != 1:
        raise SystemExit(f"figures that name no commit: {made!r}; measure again with make bench-long")
    ((name, dirty),) = named
    if dirty or not head.startswith(name):
        tree = f"a tree with changes to commit {name}" if dirty else f"commit {name}"
        raise SystemExit(f"figures of {tree}, not of {head[:12]}: measure again")
