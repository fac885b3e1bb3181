# SPDX-License-Identifier: Apache-2.0
"""Which tests a change can touch: what make test CHANGED=REF runs. See docs/verify/testing.md."""

import fnmatch
import os
import pathlib
import re
import subprocess

# A change of these may change how everything is built and run.
RUNNER = ["scripts/run-tests.py", "scripts/registry.py", "scripts/changed.py"]
OF_EVERYTHING = ["Makefile", "*build.mk", *RUNNER, "scripts/deps.txt"]
HEADERS = (".hpp", ".h", ".svh")


class UsageError(Exception):
    pass


def git(*words):
    done = subprocess.run(["git", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise UsageError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def changed_files(ref):
    """Files that differ from those of the commit that this branch has in common with `ref`, or are new."""
    base = git("merge-base", ref, "HEAD")[0]
    return set(git("diff", "--name-only", base)) | set(git("ls-files", "--others", "--exclude-standard"))


def read_rules(database):
    """Prerequisites of each target, from what `make --print-data-base` prints."""
    rules = {}
    for line in database.splitlines():
        found = re.match(r"([^\s#%=:][^#%=:]*):(?![=:])\s*([^=]*)$", line)
        if found:
            prerequisites = [word for word in found[2].split() if word != "|"]
            for target in found[1].split():
                rules.setdefault(target, []).extend(prerequisites)
    return rules


def rules_of_make():
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    command = ["make", "--print-data-base", "--dry-run", "help"]
    return read_rules(subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True).stdout)


class Change:
    def __init__(self, files, rules, exists=os.path.exists):
        self.files = files
        self.rules = rules
        self.exists = exists
        self.headers = any(file.endswith(HEADERS) for file in files)
        self.everything = any(fnmatch.fnmatchcase(file, pattern) for file in files for pattern in OF_EVERYTHING)
        self.known = {}

    def touches_target(self, target):
        """Whether it is made, by however many steps, from a file that changed."""
        pending, seen = [target], {target}
        while pending:
            name = pending.pop()
            if self.known.get(name) or name in self.files or self.unknown_headers(name):
                self.known[target] = True
                return True
            if any(self.known.get(word) for word in self.rules.get(name, [])):
                self.known[target] = True
                return True
            new = [word for word in self.rules.get(name, []) if word not in seen and word not in self.known]
            seen.update(new)
            pending += new
        self.known.update(dict.fromkeys(seen, False))
        return False

    def unknown_headers(self, target):
        """Nobody knows what an object includes that was never compiled."""
        return self.headers and target.endswith(".o") and not self.exists(target.removesuffix(".o") + ".d")

    def touches(self, test):
        if self.everything or test.registered_in in self.files:
            return True
        if test.reads:
            return any(fnmatch.fnmatchcase(file, pattern) for file in self.files for pattern in test.reads)
        if not test.needs:
            return bool(self.files)
        # Scripts that the command names, with what lies beside them.
        words = [word for word in re.split(r"[\s=;&|]+", test.command) if not word.startswith("build/")]
        folders = [str(pathlib.PurePath(word).parent) for word in words if word.endswith((".py", ".sh"))]
        if any(word in self.files for word in words):
            return True
        if any(str(pathlib.PurePath(file).parent) in folders and file.endswith((".py", ".sh")) for file in self.files):
            return True
        return any(self.touches_target(need) for need in test.needs)


def touched(tests, ref):
    change = Change(changed_files(ref), rules_of_make())
    return [test for test in tests if change.touches(test)]
