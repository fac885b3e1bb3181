# SPDX-License-Identifier: Apache-2.0
"""Draws the long tests that continuous integration runs after the short ones: some minutes, anew for each commit."""

import datetime
import hashlib

import repository

# A sampled test has the time limit of a short one, so only those that need a small part of it are candidates.
MAX_MINUTES = 7
# Assumed age in days of a test that never passed, or whose last pass is unknown.
NEVER = 30


def planned_minutes(test, passes, built):
    """Minutes of CPU for one run of a test and for building what is not in `built`; None where one is unknown."""
    if test.name in passes:
        minutes = passes[test.name]["minutes"] / test.all_runs
    elif test.cost:
        minutes = test.cost / 60
    else:
        return None
    needs_a_build = not set(test.needs) <= built
    if minutes > MAX_MINUTES or (needs_a_build and not test.build_cost):
        return None
    return minutes + test.build_cost / 60 * needs_a_build


def draw(text):
    """A number above 0 and at most 1."""
    return (1 + int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")) / 2**64


def choose(tests, passes, minutes, commit):
    """Pairs of a long test and the number of one of its runs, planned to take at most `minutes` of CPU together. The
    commit's hash draws them; the longer ago a test passed, the likelier it is."""
    built = {need for test in tests if not test.long for need in test.needs}
    today = repository.date_of(commit) if commit else None

    def ticket(test):
        """Weighted sampling without replacement: the largest tickets win."""
        age = NEVER
        if today and test.name in passes:
            age = max(1, (today - datetime.date.fromisoformat(passes[test.name]["date"])).days)
        return draw(f"{commit} {test.name}") ** (1 / age)

    chosen = []
    for test in sorted((test for test in tests if test.long), key=ticket, reverse=True):
        planned = planned_minutes(test, passes, built)
        if planned is not None and planned <= minutes:
            chosen.append((test, 1 + int(draw(f"{commit} run of {test.name}") * test.all_runs) % test.all_runs))
            minutes -= planned
    return chosen
