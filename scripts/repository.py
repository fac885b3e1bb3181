# SPDX-License-Identifier: Apache-2.0
"""The history of the working tree: which commit is checked out, and whether files differ from it."""

import datetime
import pathlib
import subprocess

# Test runs rewrite this file, so it does not count as a change.
RECORD = "verif/long-passes.json"


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False)


def commit():
    """The commit that is checked out; None in an unpacked tarball, even one that lies inside another repository."""
    done = git("rev-parse", "--show-toplevel", "HEAD")
    folder, _, name = done.stdout.strip().partition("\n")
    return name if done.returncode == 0 and pathlib.Path(folder) == pathlib.Path.cwd().resolve() else None


def is_clean(*except_for):
    """Whether no file differs from the commit that is checked out, except those in RECORD and `except_for`."""
    done = git("status", "--porcelain", "--", ".", *(f":(exclude){path}" for path in (RECORD, *except_for)))
    return done.returncode == 0 and not done.stdout


def has_history():
    """False in a tarball and in a shallow clone, where older commits are missing."""
    return commit() is not None and git("rev-parse", "--is-shallow-repository").stdout.strip() == "false"


def full_name(name):
    """The hash of a commit; `name` itself if there is no such commit."""
    return git("rev-parse", "--verify", f"{name}^{{commit}}").stdout.strip() or name


def is_ancestor(name):
    return git("merge-base", "--is-ancestor", name, "HEAD").returncode == 0


def date_of(name):
    """The day of a commit, in UTC."""
    seconds = int(git("show", "--no-patch", "--format=%ct", name).stdout)
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date()
