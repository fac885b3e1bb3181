#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that the tests.toml files under verif/ register. See docs/verify/testing.md."""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import changed
import long_passes
import registry
import repository
import sample
from registry import UsageError

LOG_FOLDER = pathlib.Path("build/test-logs")
# Ends what hangs; no machine is so slow that a test which does something comes near.
DEFAULT_TIMEOUT = 1800
DEFAULT_TIMEOUT_LONG = 14400
TAIL_LINES = 25
# Durations of the last passing `make test`, for make bench.
WHOLE_RUN = pathlib.Path("build/test-run.json")


@dataclasses.dataclass
class Job:
    test: registry.Test
    run: int  # 1 to the test's number of seeds
    seed: int

    @property
    def label(self):
        return self.test.label(self.run)


@dataclasses.dataclass
class Result:
    verdict: str  # "ok", or why it failed
    seconds: float
    processor: float = 0.0  # seconds of CPU


def command_of(job, variant):
    return registry.to_variant(job.test.command.replace("{seed}", str(job.seed)), variant)


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

    def run(self, job):
        test = job.test
        command = command_of(job, self.variant)
        timeout = test.timeout or (DEFAULT_TIMEOUT_LONG if test.long else DEFAULT_TIMEOUT)
        if self.variant:
            timeout *= 10
        log_path = LOG_FOLDER / f"{job.label}.log"
        start = time.monotonic()
        with open(log_path, "wb") as log:
            with self.lock:
                if self.stopping:
                    return Result("not run", 0.0)
                # A session of its own, so that a test that hangs can be ended with everything it started.
                process = subprocess.Popen(
                    ["/bin/bash", "-c", command],
                    stdin=subprocess.DEVNULL,
                    stdout=None if self.show else log,
                    stderr=None if self.show else subprocess.STDOUT,
                    env=self.environment(test, job.label),
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
        return Result(verdict, time.monotonic() - start, used.ru_utime + used.ru_stime)

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


def report_failure(job, result):
    print(colour(f"---- {job.label} failed: {result.verdict}", "31"))
    log_path = LOG_FOLDER / f"{job.label}.log"
    lines = log_path.read_text(errors="replace").splitlines()
    if len(lines) > TAIL_LINES:
        print(f"     (last {TAIL_LINES} of {len(lines)} lines; all in {log_path})")
    for line in lines[-TAIL_LINES:]:
        print(f"     {line}")
    replay = job.test.replay.replace("{seed}", str(job.seed)) or f"make tb T={job.test.name} SEED={job.seed}"
    print(f"     replay: {replay}", flush=True)


def run_all(runner, jobs, workers, passed):
    """Runs the jobs, the ones that took longest last time (or cost most) first; calls `passed` with each that passes
    and its result. Returns pairs of the jobs that failed and their results, and the seconds of CPU by label."""
    LOG_FOLDER.mkdir(parents=True, exist_ok=True)
    durations = read_durations()
    processor = {}
    jobs = sorted(jobs, key=lambda job: -durations.get(f"{job.test.name}:{job.run}", job.test.cost))
    failed = []
    width = len(str(len(jobs)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(runner.run, job): job for job in jobs}
        try:
            for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
                job = futures[future]
                result = future.result()
                word = colour("ok  ", "32") if result.verdict == "ok" else colour("FAIL", "31")
                seed = f"  seed {job.seed}" if job.seed != job.run else ""
                print(f"[{count:{width}}/{len(jobs)}] {word} {result.seconds:7.1f} s  {job.label}{seed}", flush=True)
                durations[f"{job.test.name}:{job.run}"] = round(result.seconds, 2)
                processor[job.label] = round(result.processor, 2)
                if result.verdict == "ok":
                    passed(job, result)
                else:
                    failed.append((job, result))
                    report_failure(job, result)
        except KeyboardInterrupt:
            runner.stop()
            print("interrupted", file=sys.stderr)
            raise
    (LOG_FOLDER / "durations.json").write_text(json.dumps(durations, indent=0, sort_keys=True))
    # What took most of the processor comes first; a busy machine changes little of it.
    most_first = dict(sorted(processor.items(), key=lambda entry: -entry[1]))
    (LOG_FOLDER / "processor.json").write_text(json.dumps(most_first, indent=0))
    print(f"{sum(processor.values()):.0f} s of CPU; each test's: {LOG_FOLDER}/processor.json")
    return failed, processor


def write_whole_run(since, commit, processor):
    """Records durations of a passing `make test`, by keys of make bench, and its commit."""
    fuzzed = sum(seconds for label, seconds in processor.items() if ".fuzz" in label)
    figures = {"fuzz.seconds_in_ci": round(fuzzed, 1)}
    if since:
        figures["build.test_minutes"] = round((time.time() - since) / 60, 1)
    WHOLE_RUN.write_text(json.dumps({"commit": commit, "clean": repository.is_clean(), "figures": figures}))


def selected(tests, options):
    """The tests that the options ask for; UsageError when there are none."""
    if options.tb is not None:
        tests = [test for test in tests if test.name == options.tb]
        if not tests:
            raise UsageError(f"no test named '{options.tb}': `make test-list` shows the names (make tb T=name SEED=n)")
        return tests
    tests = [test for test in tests if options.long or options.part or not test.long]
    if options.part:
        tests = [test for test in tests if test.name.startswith(options.part + ".")]
        tests = [test for test in tests if test.runs_of(False, options.part)]
        if not tests:
            raise UsageError(f"no long test is named {options.part}.*: `make test-list` shows the names")
    if options.coverage:
        tests = [test for test in tests if test.coverage]
    if options.only:
        tests = [test for test in tests if any(fnmatch.fnmatchcase(test.name, only) for only in options.only)]
        if not tests:
            raise UsageError(f"no test matches {' '.join(options.only)}")
    return tests


def jobs_of(tests, options, commit):
    if options.sample:
        chosen = sample.choose(tests, long_passes.read(), options.sample, commit)
        # The time limit of short tests: a sample must not run for hours.
        chosen = [(dataclasses.replace(test, timeout=DEFAULT_TIMEOUT), run) for test, run in chosen]
        return [Job(test, run, test.seed(run, commit)) for test, run in chosen]
    tests = selected(tests, options)
    if options.seed is not None or options.tb is not None:
        seed = options.seed or 1
        return [Job(test, seed, seed) for test in tests]
    runs = [(test, run) for test in tests for run in test.runs_of(options.long, options.part)]
    return [Job(test, run, test.seed(run, commit)) for test, run in runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default="verif", help="folder that is searched for tests.toml files")
    parser.add_argument("--list", action="store_true", help="list the tests and end")
    parser.add_argument("--needs", action="store_true", help="print the make targets that the tests need and end")
    parser.add_argument("--long", action="store_true", help="include the long tests")
    parser.add_argument("--part", metavar="BLOCK", help="only the long tests of this block: mpe for those named mpe.*, and their seeds that make test leaves out")
    parser.add_argument("--sample", type=float, metavar="MINUTES", help="some long tests, drawn by the commit")
    parser.add_argument("--changed", metavar="REF", help="only what differences from this commit can touch")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only tests with such a name, like lib.*")
    parser.add_argument("--tb", metavar="NAME", help="one test, long or not, with its output on the terminal")
    parser.add_argument("--coverage", action="store_true", help="only tests marked for coverage")
    parser.add_argument("--variant", choices=registry.VARIANTS, help="another variant of the simulators")
    parser.add_argument("--seed", type=int, help="run each test once, with this seed instead of the commit's")
    parser.add_argument("--since", type=int, metavar="TIME", help="when all this began: a figure for make bench")
    # One more than there are cores: now and then a test waits.
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)) + 1, help="tests at a time")
    options = parser.parse_args()

    tests = registry.load_tests(options.root)
    if options.changed:
        tests = changed.touched(tests, options.changed)
    if options.list:
        width = max((len(test.name) for test in tests), default=0)
        for test in tests:
            print(f"{test.name:{width}}  {'long' if test.long else '    '}  {test.description}")
        return 0

    commit = repository.commit()
    jobs = jobs_of(tests, options, commit)
    if options.needs:
        # What builds longest comes first, so that it is not waited for alone at the end.
        by_cost = sorted(jobs, key=lambda job: -job.test.cost)
        needs = dict.fromkeys(registry.to_variant(need, options.variant) for job in by_cost for need in job.test.needs)
        print(" ".join(["generated", *needs]))
        return 0

    runner = Runner(options.variant, show=options.tb is not None)
    if options.tb is not None:
        (job,) = jobs
        print(command_of(job, options.variant), flush=True)
        LOG_FOLDER.mkdir(parents=True, exist_ok=True)
        result = runner.run(job)
        print(f"{job.label}: {result.verdict}")
        if options.variant == "wave":
            print(f"waves: build/waves/{job.label}.fst")
        return 0 if result.verdict == "ok" else 1

    if commit and options.seed is None:
        print(f"seeds derive from commit {commit[:12]}; `make test SEED=n` runs another one")
    record = long_passes.Record()

    def passed(job, result):
        if options.seed is None and options.variant is None:
            record.note(job.test, job.run, result.processor)

    failed, processor = run_all(runner, jobs, options.jobs, passed)
    if len(jobs) > TAIL_LINES:
        # Repeated at the end, where a truncated log still has it.
        for failure in failed:
            report_failure(*failure)
    selection = ("long", "part", "sample", "changed", "only", "coverage", "variant", "seed")
    if not failed and not any(getattr(options, name) for name in selection):
        write_whole_run(options.since, commit, processor)
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
