#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the pages of docs/: none is too long to read in one go, README.md and mkdocs.yml list all in one order, and links
to headings find them.

Words of generated tables and of pages that are generated as a whole do not count. --json prints figures for `make bench`.
"""

import argparse
import json
import os
import pathlib
import re
import sys

DOCS = pathlib.Path("docs")
MAP = DOCS / "README.md"
SITE = pathlib.Path("mkdocs.yml")
MAX_WORDS = 2000
# Pages that scripts write as a whole say so at the top.
GENERATED = re.compile(r"\A# [^\n]*\n\n<!-- Made from ")
TABLE = re.compile(r"<!-- table \w+ -->\n.*?<!-- end -->", re.DOTALL)


def words(text):
    return 0 if GENERATED.match(text) else len(TABLE.sub("", text).split())


def counts():
    return {page: words(page.read_text()) for page in sorted(DOCS.rglob("*.md"))}


def links():
    """The pages that the map names, in its order."""
    named = re.findall(r"\]\(([^)#:]+\.md)\)", MAP.read_text())
    return [pathlib.Path(os.path.normpath(MAP.parent / name)) for name in dict.fromkeys(named)]


def site_pages():
    """The pages that the site's navigation names, in its order."""
    return [DOCS / name for name in re.findall(r"^\s+- (?:[^:]+: )?([\w./-]+\.md)$", SITE.read_text(), re.MULTILINE)]


def anchor(heading):
    """What forges make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def lost_links(page):
    """Links of a page to headings that are not there."""
    for name, target in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text()):
        other = page.parent / name if name else page
        if other.suffix == ".md" and other.exists() and target not in anchors(other.read_text()):
            yield f"{page}: links to {name}#{target}, and there is no such heading"


def complaints():
    pages = counts()
    for page, count in pages.items():
        if count > MAX_WORDS:
            yield f"{page}: has {count} words, of at most {MAX_WORDS}: divide it, or leave out what git remembers"
        yield from lost_links(page)
    inside = [page for page in links() if page.is_relative_to(DOCS)]
    for page in sorted(set(pages) - {MAP} - set(inside)):
        yield f"{page}: {MAP} does not list it"
    if site_pages() != [MAP, *inside]:
        yield f"{SITE}: its pages are not those of {MAP}, in their order"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print figures")
    if parser.parse_args().json:
        pages = counts()
        print(json.dumps({"docs.words": sum(pages.values()), "docs.page_words_max": max(pages.values())}))
        return 0
    found = list(complaints())
    print("\n".join([*found, f"{len(found)} complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
