#!/usr/bin/env python3
"""Runs the tests that the tests.toml files under verif/ register. See docs/testing.md."""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
import tomllib

import changed

LOG_FOLDER = pathlib.Path("build/test-logs")
# Ends what hangs; no machine is so slow that a test which does something comes near.
DEFAULT_TIMEOUT = 1800
DEFAULT_TIMEOUT_LONG = 14400
TAIL_LINES = 25
VARIANTS = ["wave", "unopt", "cov", "toggle"]
FIELDS = {
    "name": str,
    "command": str,
    "needs": list,
    "long": bool,
    "seeds": int,
    "long_seeds": int,
    "replay": str,
    "description": str,
    "timeout": int,
    "coverage": bool,
    "cost": int,
    "reads": list,
    "tier": str,
    "sanitized": bool,
}
TIERS = ["rtl", "both", "fast"]


@dataclasses.dataclass
class Test:
    name: str
    command: str
    needs: list = dataclasses.field(default_factory=list)
    long: bool = False
    seeds: int = 1
    long_seeds: int = 0
    replay: str = ""
    description: str = ""
    timeout: int = 0
    coverage: bool = False
    cost: int = 1
    reads: list = dataclasses.field(default_factory=list)
    tier: str = "rtl"
    sanitized: bool = False
    registered_in: str = ""

    def on_fast_tier(self):
        """The same test, once, on the card's functional model."""
        needs = [re.sub(r"^build/swai-card(-tiny|-full)?$", "build/swai-card-fast", need) for need in self.needs]
        return dataclasses.replace(
            self, name=f"fast.{self.name}", command=f"export SWAI_TIER=fast; {self.command}", needs=needs, seeds=1, long_seeds=0, cost=1
        )

    def with_sanitizers(self):
        """The same test, once, among the long ones, by the twin of its program that has sanitizers."""

        def twin(text):
            return re.sub(r"\bbuild/(?=test-)", "build/sanitized/", text)

        needs = [twin(need) for need in self.needs]
        return dataclasses.replace(
            self, name=f"sanitized.{self.name}", command=twin(self.command), needs=needs, seeds=1, long_seeds=0, long=True
        )

    def seeds_of(self, long, part):
        """The seeds of a run: those of `make test`, all with --long, with --part only those that `make test` leaves out."""
        first = self.seeds + 1 if part and not self.long else 1
        last = max(self.seeds, self.long_seeds) if long or part else self.seeds
        return range(first, last + 1)


@dataclasses.dataclass
class Result:
    label: str
    verdict: str  # "ok", or why it failed
    seconds: float
    processor: float = 0.0  # seconds of CPU


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
            # What RTL takes minutes for, and shows little more of, waits for the long tests.
            test.long |= test.tier == "fast"
    return tests


def to_variant(text, variant):
    """Replaces build/NAME, and NAME in another variant, by build/VARIANT/NAME for every verilated program."""
    if variant:
        for program in os.environ.get("VERILATED_PROGRAMS", "").split():
            any_variant = rf"(?<![\w/-])build/(?:(?:{'|'.join(VARIANTS)})/)?{re.escape(program)}(?![\w/.-])"
            text = re.sub(any_variant, f"build/{variant}/{program}", text)
    return text


class Runner:
    def __init__(self, variant, show):
        self.variant = variant
        self.show = show  # let the test write to the terminal instead of a log
        self.processes = set()
        self.lock = threading.Lock()
        self.stopping = False

    def environment(self, test, label):
        env = dict(os.environ)
        # Twins with sanitizers do what `make test` does.
        if test.long and not test.sanitized:
            env["SWAI_LONG"] = "1"
        # Tests must not take part in make's job server, nor inherit options given to make.
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            env.pop(name, None)
        # Tests run side by side on all cores.
        env.setdefault("SWAI_THREADS", "1")
        if self.variant:
            env["SWAI_VARIANT"] = self.variant
        if self.variant == "wave":
            env["SWAI_WAVE"] = f"build/waves/{label}.fst"
            pathlib.Path("build/waves").mkdir(parents=True, exist_ok=True)
        if self.variant in ("cov", "toggle"):
            env["SWAI_COVERAGE"] = f"build/coverage/raw/{label}.{self.variant}.dat"
            pathlib.Path("build/coverage/raw").mkdir(parents=True, exist_ok=True)
        return env

    def run(self, test, seed):
        label = test.name if test.seeds == 1 and seed == 1 else f"{test.name}:{seed}"
        command = to_variant(test.command.replace("{seed}", str(seed)), self.variant)
        timeout = test.timeout or (DEFAULT_TIMEOUT_LONG if test.long else DEFAULT_TIMEOUT)
        if self.variant:
            timeout *= 10
        log_path = LOG_FOLDER / f"{label}.log"
        start = time.monotonic()
        with open(log_path, "wb") as log:
            with self.lock:
                if self.stopping:
                    return Result(label, "not run", 0.0)
                # A session of its own, so that a test that hangs can be ended with everything it started.
                process = subprocess.Popen(
                    ["/bin/bash", "-c", command],
                    stdin=subprocess.DEVNULL,
                    stdout=None if self.show else log,
                    stderr=None if self.show else subprocess.STDOUT,
                    env=self.environment(test, label),
                    start_new_session=True,
                )
                self.processes.add(process)
            late = threading.Event()
            alarm = threading.Timer(timeout, self.end_late, (process, late))
            alarm.start()
            # Not process.wait(): this says what the test and all that it waited for took.
            _, status, used = os.wait4(process.pid, 0)
            alarm.cancel()
            process.returncode = code = os.waitstatus_to_exitcode(status)
            if late.is_set():
                verdict = f"no end after {timeout} s"
            elif code == 0:
                verdict = "ok"
            elif code < 0:
                verdict = f"killed by {signal.Signals(-code).name}"
            else:
                verdict = f"exit code {code}"
            self.kill(process)
            with self.lock:
                self.processes.discard(process)
        return Result(label, verdict, time.monotonic() - start, used.ru_utime + used.ru_stime)

    def end_late(self, process, late):
        late.set()
        self.kill(process)

    @staticmethod
    def kill(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def stop(self):
        with self.lock:
            self.stopping = True
            for process in self.processes:
                self.kill(process)


def read_durations():
    try:
        return json.loads((LOG_FOLDER / "durations.json").read_text())
    except (OSError, ValueError):
        return {}


def colour(text, code):
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        return f"\x1b[{code}m{text}\x1b[0m"
    return text


def report_failure(test, seed, result):
    print(colour(f"---- {result.label} failed: {result.verdict}", "31"))
    log_path = LOG_FOLDER / f"{result.label}.log"
    lines = log_path.read_text(errors="replace").splitlines()
    if len(lines) > TAIL_LINES:
        print(f"     (last {TAIL_LINES} of {len(lines)} lines; all in {log_path})")
    for line in lines[-TAIL_LINES:]:
        print(f"     {line}")
    replay = test.replay.replace("{seed}", str(seed)) or f"make tb T={test.name} SEED={seed}"
    print(f"     replay: {replay}", flush=True)


def run_all(runner, jobs, workers):
    """Runs (test, seed) pairs, the ones that took longest last time (or cost most) first. Returns those that failed."""
    LOG_FOLDER.mkdir(parents=True, exist_ok=True)
    durations = read_durations()
    processor = {}
    jobs = sorted(jobs, key=lambda job: -durations.get(f"{job[0].name}:{job[1]}", job[0].cost))
    failed = []
    width = len(str(len(jobs)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(runner.run, test, seed): (test, seed) for test, seed in jobs}
        try:
            for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
                test, seed = futures[future]
                result = future.result()
                word = colour("ok  ", "32") if result.verdict == "ok" else colour("FAIL", "31")
                print(f"[{count:{width}}/{len(jobs)}] {word} {result.seconds:7.1f} s  {result.label}", flush=True)
                durations[f"{test.name}:{seed}"] = round(result.seconds, 2)
                processor[result.label] = round(result.processor, 2)
                if result.verdict != "ok":
                    failed.append((test, seed, result))
                    report_failure(test, seed, result)
        except KeyboardInterrupt:
            runner.stop()
            print("interrupted", file=sys.stderr)
            raise
    (LOG_FOLDER / "durations.json").write_text(json.dumps(durations, indent=0, sort_keys=True))
    # What took most of the processor comes first; a busy machine changes little of it.
    most_first = dict(sorted(processor.items(), key=lambda entry: -entry[1]))
    (LOG_FOLDER / "processor.json").write_text(json.dumps(most_first, indent=0))
    print(f"{sum(processor.values()):.0f} s of CPU; each test's: {LOG_FOLDER}/processor.json")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default="verif", help="folder that is searched for tests.toml files")
    parser.add_argument("--list", action="store_true", help="list the tests and end")
    parser.add_argument("--needs", action="store_true", help="print the make targets that the tests need and end")
    parser.add_argument("--long", action="store_true", help="include the long tests")
    parser.add_argument("--part", metavar="BLOCK", help="only the long tests of this block: mpe for those named mpe.*, and their seeds that make test leaves out")
    parser.add_argument("--changed", metavar="REF", help="only what differences from this commit can touch")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only tests with such a name, like lib.*")
    parser.add_argument("--tb", metavar="NAME", help="one test, long or not, with its output on the terminal")
    parser.add_argument("--coverage", action="store_true", help="only tests marked for coverage")
    parser.add_argument("--variant", choices=VARIANTS, help="another variant of the simulators")
    parser.add_argument("--seed", type=int, help="run this seed instead of 1 to the test's number of seeds")
    parser.add_argument("--since", type=int, metavar="TIME", help="when all this began: a figure for make bench")
    # One more than there are cores: now and then a test waits.
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)) + 1, help="tests at a time")
    options = parser.parse_args()

    tests = load_tests(options.root)
    if options.changed:
        tests = changed.touched(tests, options.changed)
    if options.list:
        width = max((len(test.name) for test in tests), default=0)
        for test in tests:
            print(f"{test.name:{width}}  {'long' if test.long else '    '}  {test.description}")
        return 0

    if options.tb is not None:
        tests = [test for test in tests if test.name == options.tb]
        if not tests:
            raise UsageError(f"no test named '{options.tb}': `make test-list` shows the names (make tb T=name SEED=n)")
    else:
        tests = [test for test in tests if options.long or options.part or not test.long]
        if options.part:
            tests = [test for test in tests if test.seeds_of(False, options.part) and test.name.startswith(options.part + ".")]
            if not tests:
                raise UsageError(f"no long test is named {options.part}.*: `make test-list` shows the names")
        if options.coverage:
            tests = [test for test in tests if test.coverage]
        if options.only:
            tests = [test for test in tests if any(fnmatch.fnmatchcase(test.name, only) for only in options.only)]
            if not tests:
                raise UsageError(f"no test matches {' '.join(options.only)}")

    if options.needs:
        # What builds longest comes first, so that it is not waited for alone at the end.
        tests.sort(key=lambda test: -test.cost)
        needs = dict.fromkeys(to_variant(need, options.variant) for test in tests for need in test.needs)
        print(" ".join(["generated", *needs]))
        return 0

    runner = Runner(options.variant, show=options.tb is not None)
    if options.tb is not None:
        test = tests[0]
        seed = options.seed or 1
        print(to_variant(test.command.replace("{seed}", str(seed)), options.variant), flush=True)
        LOG_FOLDER.mkdir(parents=True, exist_ok=True)
        result = runner.run(test, seed)
        print(f"{result.label}: {result.verdict}")
        if options.variant == "wave":
            print(f"waves: build/waves/{result.label}.fst")
        return 0 if result.verdict == "ok" else 1

    jobs = []
    for test in tests:
        seeds = [options.seed] if options.seed is not None else test.seeds_of(options.long, options.part)
        jobs += [(test, seed) for seed in seeds]
    failed = run_all(runner, jobs, options.jobs)
    if len(jobs) > TAIL_LINES:
        # Once more at the end, where whoever has only the last lines of a long log finds them.
        for failure in failed:
            report_failure(*failure)
    if options.since and not options.changed:
        minutes = round((time.time() - options.since) / 60, 1)
        pathlib.Path("build/test-minutes.json").write_text(json.dumps({"build.test_minutes": minutes}))
    print(f"{len(jobs) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def interrupt(number, frame):
    raise KeyboardInterrupt


if __name__ == "__main__":
    # Whoever ends the runner ends the tests: they are in sessions of their own.
    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGHUP, interrupt)
    try:
        sys.exit(main())
    except (UsageError, changed.UsageError) as error:
        print(f"run-tests: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
