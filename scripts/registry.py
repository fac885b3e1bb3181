# SPDX-License-Identifier: Apache-2.0
"""The tests that the tests.toml files under verif/ register. See docs/verify/testing.md."""

import dataclasses
import hashlib
import os
import pathlib
import re
import tomllib

VARIANTS = ["wave", "unopt", "cov", "toggle"]
FIELDS = {
    "name": str,
    "command": str,
    "needs": list,
    "long": bool,
    "seeds": int,
    "long_seeds": int,
    "fixed_seeds": bool,
    "replay": str,
    "description": str,
    "timeout": int,
    "coverage": bool,
    "cost": int,
    "build_cost": int,
    "reads": list,
    "tier": str,
    "sanitized": bool,
    "sanitized_long": bool,
}
TIERS = ["rtl", "both", "fast"]
# Six digits make seeds differ and are short enough to type.
MAX_SEED = 999_999


@dataclasses.dataclass
class Test:
    name: str
    command: str
    needs: list = dataclasses.field(default_factory=list)
    long: bool = False
    seeds: int = 1
    long_seeds: int = 0
    fixed_seeds: bool = False
    replay: str = ""
    description: str = ""
    timeout: int = 0
    coverage: bool = False
    cost: int = 0
    build_cost: int = 0
    reads: list = dataclasses.field(default_factory=list)
    tier: str = "rtl"
    sanitized: bool = False
    sanitized_long: bool = True
    registered_in: str = ""

    def on_fast_tier(self):
        """The same test, once, on the card's functional model."""
        needs = [re.sub(r"^build/swai-card(-tiny|-full)?$", "build/swai-card-fast", need) for need in self.needs]
        command = f"export SWAI_TIER=fast; {self.command}"
        return dataclasses.replace(
            self, name=f"fast.{self.name}", command=command, needs=needs, seeds=1, long_seeds=0, cost=0
        )

    def with_sanitizers(self):
        """The same test, once, by the twin of its program that has sanitizers."""

        def twin(text):
            return re.sub(r"\bbuild/(?=test-)", "build/sanitized/", text)

        needs = [twin(need) for need in self.needs]
        command = twin(self.command)
        return dataclasses.replace(
            self,
            name=f"sanitized.{self.name}",
            command=command,
            needs=needs,
            seeds=1,
            long_seeds=0,
            long=self.sanitized_long,
        )

    def runs_of(self, long, part):
        """The runs by number: those of `make test`, all with --long, with --part those that `make test` leaves out."""
        first = self.seeds + 1 if part and not self.long else 1
        last = self.all_runs if long or part else self.seeds
        return range(first, last + 1)

    @property
    def all_runs(self):
        return max(self.seeds, self.long_seeds)

    def label(self, run):
        return self.name if self.seeds == 1 and run == 1 else f"{self.name}:{run}"

    def seed(self, run, commit):
        """The seed of a run. It derives from the commit, so that each commit tests other seeds; without a commit it is
        the run's number."""
        if commit is None or self.fixed_seeds or "{seed}" not in self.command:
            return run
        digest = hashlib.sha256(f"{commit} {self.name} {run}".encode()).digest()
        return 1 + int.from_bytes(digest[:8], "big") % MAX_SEED


class UsageError(Exception):
    pass


def load_tests(root):
    """All registered tests, in the order of the files' paths and then of the files."""
    tests = []
    seen = {}
    for path in sorted(pathlib.Path(root).glob("**/tests.toml")):
        try:
            entries = tomllib.loads(path.read_text()).get("test", [])
        except tomllib.TOMLDecodeError as error:
            raise UsageError(f"{path}: {error}") from error
        for entry in entries:
            name = entry.get("name", "?")
            for field, value in entry.items():
                if field not in FIELDS:
                    raise UsageError(f"{path}: test {name}: unknown field '{field}'")
                if type(value) is not FIELDS[field]:
                    raise UsageError(f"{path}: test {name}: '{field}' must be of type {FIELDS[field].__name__}")
            if "name" not in entry or "command" not in entry:
                raise UsageError(f"{path}: test {name}: 'name' and 'command' are required")
            if name in seen:
                raise UsageError(f"{path}: test {name} is already registered in {seen[name]}")
            seen[name] = path
            test = Test(**entry, registered_in=str(path))
            if test.tier not in TIERS:
                raise UsageError(f"{path}: test {name}: 'tier' is one of {', '.join(TIERS)}")
            tests.append(test)
            if test.tier != "rtl":
                tests.append(test.on_fast_tier())
            if test.sanitized:
                tests.append(test.with_sanitizers())
            # On RTL it takes minutes and shows little more than on the model.
            test.long |= test.tier == "fast"
    return tests


def to_variant(text, variant):
    """Replaces build/NAME, and NAME in another variant, by build/VARIANT/NAME for every verilated program."""
    if variant:
        for program in os.environ.get("VERILATED_PROGRAMS", "").split():
            any_variant = rf"(?<![\w/-])build/(?:(?:{'|'.join(VARIANTS)})/)?{re.escape(program)}(?![\w/.-])"
            text = re.sub(any_variant, f"build/{variant}/{program}", text)
    return text
