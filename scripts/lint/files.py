#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks all files of the repository for what must not be in them. See RULES."""

import pathlib
import re
import subprocess
import sys

# The patterns are written so that they do not match themselves.
RULES = [
    (re.compile(r"(?<![\w.-])/(?:work|tmp|root|home)[/]"), "names a path of one machine"),
    (re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b"), "says that something is unfinished"),
    (re.compile(r"[ \t]+$"), "ends with white space"),
]
PAGE_WIDTH = 120
# Works of other authors.
EXEMPT = {"LICENSE", "CC-BY-SA-4.0.txt", "MIT.txt"}
# Sources name their licence in one of the first lines. Data and files without comments are in NOTICE, or under LICENSE.
SPDX = "SPDX-License-Identifier: Apache-2.0"
SPDX_LINES = 3
SOURCES = {".cpp", ".hpp", ".c", ".h", ".S", ".sv", ".svh", ".cu", ".py", ".sh", ".mjs", ".toml", ".mk", ".ld", ".graph", ".sed", ".inc"}


def repository_files():
    """What git tracks; in an unpacked tarball everything outside build/."""
    listed = subprocess.run(["git", "ls-files", "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if listed.returncode == 0 and listed.stdout:
        return [pathlib.Path(name) for name in listed.stdout.decode().split("\0") if name]
    return [path for path in pathlib.Path(".").rglob("*") if path.is_file() and path.parts[0] != "build"]


def main():
    found = 0
    files = [path for path in repository_files() if path.is_file() and path.name not in EXEMPT]
    for path in files:
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, complaint in RULES:
                if pattern.search(line):
                    print(f"{path}:{number}: {complaint}: {line.strip()[:100]}")
                    found += 1
        if path.suffix in SOURCES and not any(SPDX in line for line in text.splitlines()[:SPDX_LINES]):
            print(f"{path}: does not say '{SPDX}' in its first {SPDX_LINES} lines")
            found += 1
        if path.suffix == ".md":
            for number, line in enumerate(text.splitlines(), 1):
                if len(line) > PAGE_WIDTH and not line.startswith("|"):
                    print(f"{path}:{number}: has {len(line)} characters, of at most {PAGE_WIDTH} outside of tables")
                    found += 1
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
                if not (path.parent / link).exists():
                    print(f"{path}: links to {link}, which does not exist")
                    found += 1
        if text and not text.endswith("\n"):
            print(f"{path}: does not end with a newline")
            found += 1
    print(f"{len(files)} files, {found} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
