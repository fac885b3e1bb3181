# SPDX-License-Identifier: Apache-2.0
"""What all generators of abi/ need: names, numbers, comments, and the error that a description is refused with."""

import re
import textwrap


class DescriptionError(Exception):
    pass


def require(condition, message):
    if not condition:
        raise DescriptionError(message)


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def grouped_hex(value, digits):
    text = f"{value:0{digits}x}"
    groups = []
    while text:
        groups.insert(0, text[-4:])
        text = text[:-4]
    return "_".join(groups)


def made_from(source):
    return f"// Made from {source} by scripts/gen-abi.py: change it there."


def comment(text, indent=0):
    return textwrap.fill(text, 108, initial_indent=" " * indent + "// ", subsequent_indent=" " * indent + "// ",
                         break_on_hyphens=False)


def page_lines(text):
    """A paragraph of docs/. No line begins with what Markdown takes for an item of a list."""
    glued = re.sub(r" ([-*+]|\d+\.) ", "\0\\1\0", text)
    return textwrap.fill(glued, 120, break_on_hyphens=False, break_long_words=False).replace("\0", " ")
