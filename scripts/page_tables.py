# SPDX-License-Identifier: Apache-2.0
"""Tables in pages of docs/ that come from elsewhere: the lines between `<!-- table NAME -->` and `<!-- end -->`."""

import re
import sys


def fill(page, tables, source, check):
    """Writes `tables` (name -> lines) into a page; with `check`, only tells whether they are there. Returns an exit code."""
    text = page.read_text()
    filled = re.sub(r"<!-- table (\w+) -->\n.*?<!-- end -->",
                    lambda match: f"<!-- table {match[1]} -->\n" + "\n".join(tables[match[1]]) + "\n<!-- end -->", text, flags=re.DOTALL)
    if not check:
        page.write_text(filled)
    elif filled != text:
        print(f"{page} is not what {source} gives; without --check it is written", file=sys.stderr)
        return 1
    return 0
