#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/run-tests.py on small sets of tests that pass, fail, hang and crash."""

import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPTS = pathlib.Path("scripts").resolve()
RUNNER = SCRIPTS / "run-tests.py"
sys.path.insert(0, str(SCRIPTS))
import registry  # noqa: E402
import sample  # noqa: E402


def runs(process):
    """Whether there is such a process that has not ended, even if nobody has asked for its end."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class RunnerTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def register(self, *entries, block="a"):
        text = ""
        for entry in entries:
            text += "[[test]]\n" + "".join(f"{key} = {value}\n" for key, value in entry.items())
        path = self.root / "verif" / block / "tests.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words):
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", *words],
            cwd=self.root, check=True, capture_output=True, text=True,
        )
        return done.stdout.strip()

    def commit(self):
        """Makes a repository of the registered tests; returns its commit."""
        (self.root / ".gitignore").write_text("build/\n")
        self.git("init")
        self.git("add", ".")
        self.git("commit", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def run_tests(self, *options, programs=""):
        return self.run_script(RUNNER, *options, programs=programs)

    def run_script(self, script, *options, programs=""):
        done = subprocess.run(
            ["python3", script, *options],
            cwd=self.root,
            env={"PATH": "/usr/bin:/bin", "VERILATED_PROGRAMS": programs},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        return done.returncode, done.stdout

    def test_passing(self):
        self.register({"name": '"a.x"', "command": '"exit 0"'}, {"name": '"a.y"', "command": '"exit 0"', "seeds": 3})
        code, output = self.run_tests()
        self.assertEqual(code, 0, output)
        self.assertEqual(output.splitlines()[-1], "4 passed, 0 failed")
        for label in ("a.x", "a.y:1", "a.y:2", "a.y:3"):
            self.assertRegex(output, rf"(?m)ok .* {label}$")

    def test_failing(self):
        self.register(
            {"name": '"a.good"', "command": '"echo fine"'},
            {"name": '"a.bad"', "command": '"seq 100; echo seed {seed}; exit 3"', "seeds": 2},
            {"name": '"a.crash"', "command": '"kill -SEGV $$"', "replay": '"replay-me {seed}"'},
        )
        code, output = self.run_tests()
        self.assertEqual(code, 1)
        self.assertEqual(output.splitlines()[-1], "1 passed, 3 failed")
        self.assertIn("a.bad:2 failed: exit code 3", output)
        self.assertIn("     seed 2\n", output)
        self.assertNotIn("     10\n", output, "only the tail of the output is shown")
        self.assertIn("replay: make tb T=a.bad SEED=2\n", output)
        self.assertIn("a.crash failed: killed by SIGSEGV", output)
        self.assertIn("replay: replay-me 1\n", output)
        self.assertIn("1\n2\n3\n", (self.root / "build/test-logs/a.bad:1.log").read_text())

    def test_failure_of_a_long_run(self):
        """It is told when it happens, and again where a log that was cut still has it."""
        self.register(
            {"name": '"a.bad"', "command": '"echo why; exit 3"', "cost": 9},
            {"name": '"a.good"', "command": '"exit 0"', "seeds": 30},
        )
        lines = self.run_tests("--jobs", "1")[1].splitlines()
        self.assertEqual([lines[0].split()[-1], lines[1]], ["a.bad", "---- a.bad failed: exit code 3"])
        self.assertEqual(lines[-4:-1], ["---- a.bad failed: exit code 3", "     why", "     replay: make tb T=a.bad SEED=1"])

    def test_hanging(self):
        # The test's child must end too: it would write the file a second after the timeout.
        self.register(
            {"name": '"a.hang"', "command": '"(sleep 2; touch late) & wait"', "timeout": 1},
            {"name": '"a.good"', "command": '"true"'},
        )
        code, output = self.run_tests()
        self.assertEqual(code, 1)
        self.assertEqual(output.splitlines()[-1], "1 passed, 1 failed")
        self.assertIn("a.hang failed: no end after 1 s", output)
        time.sleep(2)
        self.assertFalse((self.root / "late").exists())

    def test_interrupted(self):
        self.register({"name": '"a.slow"', "command": '"echo $$ >begun.$$ && mv begun.$$ $$.pid; exec sleep 3000"', "seeds": 4})
        process = subprocess.Popen(["python3", RUNNER, "--jobs", "2"], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        begun = []
        while len(begun) < 2:
            time.sleep(0.05)
            begun = list(self.root.glob("*.pid"))
        process.terminate()
        output, _ = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, output)
        self.assertIn("interrupted", output)
        self.assertEqual(len(list(self.root.glob("*.pid"))), 2, "no other test may begin")
        tests = [int(path.stem) for path in begun]
        for _ in range(6000):
            if not any(map(runs, tests)):
                return
            time.sleep(0.05)
        for test in tests:
            os.kill(test, signal.SIGKILL)
        self.fail("tests must end with the runner")

    def test_parallel(self):
        # Each ends when all have begun.
        wait = "touch {seed}.begun; until [ $(ls *.begun | wc -l) = 8 ]; do sleep 0.05; done"
        self.register({"name": '"a.wait"', "command": f'"{wait}"', "seeds": 8, "timeout": 500})
        code, output = self.run_tests("--jobs", "8")
        self.assertEqual(code, 0, output)

    def test_order(self):
        """What takes longest comes first: as measured, else as registered."""
        self.register(
            {"name": '"a.quick"', "command": '"echo quick >>order"'},
            {"name": '"a.dear"', "command": '"echo dear >>order"', "cost": 9, "needs": '["build/d"]'},
            {"name": '"a.slow"', "command": '"sleep 0.3; echo slow >>order"', "cost": 5, "needs": '["build/s"]'},
        )
        self.assertEqual(self.run_tests("--needs")[1].split(), ["generated", "build/d", "build/s"])
        for order in ("dear slow quick", "slow"):
            self.run_tests("--jobs", "1")
            self.assertTrue((self.root / "order").read_text().replace("\n", " ").startswith(order))
            (self.root / "order").unlink()

    def test_processor(self):
        """What a test and its children computed is counted, not how long it waited."""
        self.register(
            {"name": '"a.waits"', "command": '"sleep 1"'},
            {"name": '"a.computes"', "command": '"for i in $(seq 200000); do :; done & wait; true"'},
        )
        self.run_tests()
        seconds = json.loads((self.root / "build/test-logs/processor.json").read_text())
        self.assertEqual(list(seconds), ["a.computes", "a.waits"])
        self.assertGreater(seconds["a.computes"], 0.05)
        self.assertLess(seconds["a.waits"], 0.9)

    def test_whole_run(self):
        """Durations of make test are kept with its commit, for make bench, except for partial and failing runs."""
        works = '"for i in $(seq 200000); do :; done"'
        self.register({"name": '"a.x"', "command": '"true"'}, {"name": '"a.fuzz-short"', "command": works})
        commit = self.commit()
        kept = self.root / "build/test-run.json"
        self.run_tests("--only", "a.x")
        self.assertFalse(kept.exists())
        self.run_tests()
        run = json.loads(kept.read_text())
        self.assertEqual((run["commit"], run["clean"], list(run["figures"])), (commit, True, ["fuzz.seconds_in_ci"]))
        self.assertGreater(run["figures"]["fuzz.seconds_in_ci"], 0.05)
        self.run_tests("--since", str(int(time.time()) - 120))
        self.assertIn(json.loads(kept.read_text())["figures"]["build.test_minutes"] // 1, (2, 3))
        kept.unlink()
        self.register({"name": '"a.x"', "command": '"false"'})
        self.run_tests()
        self.assertFalse(kept.exists())

    def test_seeds_of_the_commit(self):
        """Seeds differ from commit to commit and from test to test, are printed, and replay a failure."""
        self.register(
            {"name": '"a.x"', "command": '"echo {seed} >>x"', "seeds": 3},
            {"name": '"a.bad"', "command": '"echo {seed} >bad; exit 3"'},
            {"name": '"a.fixed"', "command": '"echo {seed} >>fixed"', "seeds": 2, "fixed_seeds": "true"},
        )

        def said():
            output = self.run_tests("--jobs", "1")[1]
            seeds = {name: sorted((self.root / name).read_text().split()) for name in ("x", "bad", "fixed")}
            for name in seeds:
                (self.root / name).unlink()
            return output, seeds

        self.assertEqual(said()[1], {"x": ["1", "2", "3"], "bad": ["1"], "fixed": ["1", "2"]}, "no commit: by number")
        commit = self.commit()
        output, first = said()
        self.assertEqual(len(set(first["x"] + first["bad"])), 4)
        self.assertFalse({"1", "2", "3"} & set(first["x"] + first["bad"]))
        self.assertEqual(first["fixed"], ["1", "2"])
        self.assertIn(f"seeds derive from commit {commit[:12]}", output)
        self.assertEqual(sorted(re.findall(r"ok .* a\.x:\d  seed (\d+)\n", output)), first["x"])
        self.assertIn(f"replay: make tb T=a.bad SEED={first['bad'][0]}\n", output)
        self.assertEqual(said()[1], first)
        self.git("commit", "--allow-empty", "-m", "y")
        self.assertFalse(set(said()[1]["x"]) & set(first["x"]))
        self.run_tests("--only", "a.x", "--seed", "7")
        self.assertEqual((self.root / "x").read_text(), "7\n")

    def passes(self):
        path = self.root / "verif/long-passes.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def test_long_passes(self):
        """A long test's pass is recorded when all of its seeds passed on a clean tree."""
        self.register(
            {"name": '"a.short"', "command": '"true"', "long_seeds": 2},
            {"name": '"a.long"', "command": '"test {seed} -gt 0"', "long": "true", "seeds": 2},
            {"name": '"b.long"', "command": '"true"', "long": "true"},
            {"name": '"a.bad"', "command": '"test {seed} = 1"', "long": "true", "seeds": 2, "fixed_seeds": "true"},
        )
        self.run_tests("--long")
        self.assertEqual(self.passes(), {}, "without a commit there is nothing to name")
        commit = self.commit()
        self.run_tests("--long", "--only", "*.long", "--seed", "1")
        self.assertEqual(self.passes(), {}, "one seed is not the test")
        (self.root / "new").touch()
        self.run_tests("--long")
        self.assertEqual(self.passes(), {}, "a file that is not the commit's")
        (self.root / "new").unlink()
        self.run_tests("--part", "a")
        today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
        self.assertEqual(list(self.passes()), ["a.long"])
        last = {**self.passes()["a.long"], "minutes": 0}
        self.assertEqual(last, {"commit": commit[:12], "date": today, "minutes": 0})
        self.run_tests("--long")
        self.assertEqual(list(self.passes()), ["a.long", "b.long"], "the record itself does not count as a change")
        self.assertEqual(len((self.root / "verif/long-passes.json").read_text().splitlines()), 4, "a line each")

    def test_list_of_long_passes(self):
        """The script names tests that never passed, and refuses lines of tests that do not exist."""
        self.register(*({"name": f'"a.{name}"', "command": '"true"', "long": "true"} for name in ("one", "two")))
        one = {"commit": "abc", "date": "2020-01-01", "minutes": 2}
        record = self.root / "verif/long-passes.json"
        record.write_text(json.dumps({"a.one": one}))
        code, output = self.run_script(SCRIPTS / "long_passes.py")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"\Aa\.two +never\na\.one +2020-01-01  abc +2\.00 min of CPU\n\Z")
        code, output = self.run_script(SCRIPTS / "long_passes.py", "--json")
        missed = {"tests.oldest_long_days": "1 long tests never passed: a.two"}
        figures = json.loads(output.splitlines()[-1])
        self.assertEqual(figures, {"tests.long": 2, "tests.long_never": 1, "missed": missed})
        record.write_text(json.dumps({"a.one": one, "a.two": {**one, "date": "2021-01-01"}}))
        output = self.run_script(SCRIPTS / "long_passes.py", "--json")[1]
        self.assertIn("the oldest pass: a.one, 2020-01-01, commit abc", output)
        self.assertGreater(json.loads(output.splitlines()[-1])["tests.oldest_long_days"], 365)
        record.write_text(json.dumps({"a.gone": one}))
        code, output = self.run_script(SCRIPTS / "long_passes.py")
        self.assertEqual(code, 1)
        self.assertIn("a.gone is not a long test", output)

    def test_sample(self):
        """A sample holds long tests of a planned duration, without those of unknown duration."""
        long = {"command": '"exec true {seed}"', "long": "true"}
        self.register(
            {"name": '"a.short"', "command": '"true"', "needs": '["build/x"]'},
            {"name": '"a.known"', **long, "cost": 60, "seeds": 3, "needs": '["build/x"]'},
            {"name": '"a.built"', **long, "cost": 60, "needs": '["build/y"]', "build_cost": 30},
            {"name": '"a.unknown"', **long},
            {"name": '"a.unknown-build"', **long, "cost": 1, "needs": '["build/z"]'},
            {"name": '"a.huge"', **long, "cost": 9000},
        )

        def labels(minutes):
            code, output = self.run_tests("--sample", minutes)
            self.assertEqual(code, 0, output)
            return sorted(re.findall(r"ok .* s  (\S+)", output))

        self.assertEqual([label.partition(":")[0] for label in labels("10")], ["a.built", "a.known"])
        self.assertEqual([label.partition(":")[0] for label in labels("1")], ["a.known"])
        self.assertEqual(labels("0.5"), [])
        self.assertEqual(self.run_tests("--sample", "1", "--needs")[1].split(), ["generated", "build/x"])
        self.commit()
        self.assertEqual(labels("10"), labels("10"))

    def test_changed(self):
        """Only what a change can touch: by way of make's rules, of scripts, or of what the test says that it reads."""

        (self.root / "Makefile").write_text(
            "help:\n\nbuild/p: build/x.o build/y.o\nbuild/x.o: build/%.o: %.cpp | order\nbuild/y.o: y.cpp y.hpp\n"
        )
        (self.root / "build").mkdir()
        (self.root / "build/x.d").touch()
        (self.root / "build/y.d").touch()
        self.register(
            {"name": '"a.x"', "command": '"build/x"', "needs": '["build/x.o"]'},
            {"name": '"a.p"', "command": '"build/p"', "needs": '["build/p"]'},
            {"name": '"a.script"', "command": '"true tool/test.py"', "needs": '["build/x.o"]'},
            {"name": '"a.lint"', "command": '"true"', "reads": '["rtl/*"]'},
            {"name": '"a.all"', "command": '"true"'},
        )
        self.commit()
        for file, touched in [
            ("x.cpp", "a.x a.p a.script a.all"),
            ("y.hpp", "a.p a.all"),
            ("tool/helper.py", "a.script a.all"),
            ("rtl/sub/x.sv", "a.lint a.all"),
            ("Makefile", "a.x a.p a.script a.lint a.all"),
        ]:
            path = self.root / file
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "a") as text:
                text.write("# changed\n")
            output = self.run_tests("--changed", "HEAD", "--list")[1]
            self.assertEqual(re.findall(r"(?m)^(\S+)", output), touched.split(), file)
            self.git("add", ".")
            self.git("commit", "-m", "x")
        (self.root / "build/y.d").unlink()
        (self.root / "z.hpp").touch()
        output = self.run_tests("--changed", "HEAD", "--list")[1]
        self.assertEqual(re.findall(r"(?m)^(\S+)", output), ["a.p", "a.all"], "never compiled: nobody knows what it includes")
        self.assertEqual(self.run_tests("--changed", "nothing")[0], 2)

    def test_selection(self):
        self.register(
            {"name": '"a.short"', "command": '"true"', "needs": '["build/s", "build/both"]'},
            {"name": '"a.long"', "command": '"true"', "long": "true", "needs": '["build/l", "build/both"]'},
        )
        self.register({"name": '"b.cov"', "command": '"true"', "coverage": "true"}, block="b")
        self.assertEqual(self.run_tests()[1].splitlines()[-1], "2 passed, 0 failed")
        self.assertEqual(self.run_tests("--long")[1].splitlines()[-1], "3 passed, 0 failed")
        self.assertEqual(self.run_tests("--coverage")[1].splitlines()[-1], "1 passed, 0 failed")
        self.assertEqual(self.run_tests("--part", "a")[1].splitlines()[-1], "1 passed, 0 failed")
        self.assertEqual(self.run_tests("--part", "b")[0], 2)
        self.assertEqual(self.run_tests("--only", "a.*")[1].splitlines()[-1], "1 passed, 0 failed")
        self.assertEqual(self.run_tests("--needs")[1].split(), ["generated", "build/s", "build/both"])
        needs = self.run_tests("--needs", "--long")[1].split()
        self.assertEqual(needs, ["generated", "build/s", "build/both", "build/l"])
        self.assertEqual(self.run_tests("--tb", "a.long")[0], 0)
        names = re.findall(r"(?m)^(\S+)", self.run_tests("--list")[1])
        self.assertEqual(names, ["a.short", "a.long", "b.cov"])
        code, output = self.run_tests("--only", "nothing")
        self.assertEqual((code, output), (2, "run-tests: no test matches nothing\n"))

    def test_tiers(self):
        """Both: also on the fast tier. Fast: there, and on RTL among the long tests, which are told that they are long."""
        says = """'echo "tier=$SWAI_TIER long=$SWAI_LONG"'"""
        self.register(
            {"name": '"a.both"', "command": says, "tier": '"both"', "needs": '["build/swai-card-tiny"]'},
            {"name": '"a.fast"', "command": says, "tier": '"fast"', "seeds": 2},
        )

        def said(*options):
            code, output = self.run_tests(*options)
            self.assertEqual(code, 0, output)
            logs = self.root / "build/test-logs"
            labels = re.findall(r"ok .* (\S+)$", output, re.M)
            return {label: (logs / f"{label}.log").read_text().strip() for label in labels}

        short = {"a.both": "tier= long=", "fast.a.both": "tier=fast long=", "fast.a.fast": "tier=fast long="}
        self.assertEqual(said(), short)
        long = {"a.fast:1": "tier= long=1", "a.fast:2": "tier= long=1"}
        self.assertEqual(said("--part", "a"), long)
        self.assertEqual(said("--long"), short | long)
        self.assertEqual(self.run_tests("--needs")[1].split(), ["generated", "build/swai-card-tiny", "build/swai-card-fast"])
        self.register({"name": '"a.x"', "command": '"true"', "tier": '"quick"'})
        self.assertIn("'tier' is one of rtl, both, fast", self.run_tests()[1])

    def test_sanitized(self):
        """Once more among the long tests, with the twin of its program, and no longer than in the short ones."""
        self.register({"name": '"a.host"', "command": """'echo build/test-host seed={seed} long=$SWAI_LONG'""",
                       "needs": '["build/test-host", "build/swai"]', "sanitized": "true", "long_seeds": 2})
        self.assertEqual(self.run_tests("--needs")[1].split(), ["generated", "build/test-host", "build/swai"])
        twin = ["generated", "build/sanitized/test-host", "build/swai"]
        self.assertEqual(self.run_tests("--part", "sanitized", "--needs")[1].split(), twin)
        code, output = self.run_tests("--part", "sanitized")
        self.assertEqual((code, output.splitlines()[-1]), (0, "1 passed, 0 failed"))
        log = self.root / "build/test-logs/sanitized.a.host.log"
        self.assertEqual(log.read_text(), "build/sanitized/test-host seed=1 long=\n")
        short = {"sanitized": "true", "sanitized_long": "false"}
        self.register({"name": '"a.host"', "command": '"true"', "needs": '["build/test-host"]', **short})
        needs = ["generated", "build/test-host", "build/sanitized/test-host"]
        self.assertEqual(self.run_tests("--needs")[1].split(), needs)
        self.assertRegex(self.run_tests()[1], "ok .* sanitized.a.host\n")

    def test_long_seeds(self):
        """More seeds of a test among the long ones; its part has those alone."""
        self.register({"name": '"a.x"', "command": '"exit 0"', "long_seeds": 3}, {"name": '"a.l"', "command": '"exit 0"', "long": "true"})

        def labels(*options):
            return sorted(re.findall(r"ok .* (\S+)$", self.run_tests(*options)[1], re.M))

        self.assertEqual(labels(), ["a.x"])
        self.assertEqual(labels("--long"), ["a.l", "a.x", "a.x:2", "a.x:3"])
        self.assertEqual(labels("--part", "a"), ["a.l", "a.x:2", "a.x:3"])

    def test_variants(self):
        self.register(
            {
                "name": '"a.v"',
                "command": "'echo \"build/tb --x build/tb-other build/unopt/tb $SWAI_VARIANT $SWAI_WAVE\"'",
                "needs": '["build/tb", "build/tb-other"]',
            }
        )
        options = ("--tb", "a.v", "--seed", "7", "--variant", "wave")
        needs = self.run_tests(*options, "--needs", programs="tb")[1].split()
        self.assertEqual(needs, ["generated", "build/wave/tb", "build/tb-other"])
        code, output = self.run_tests(*options, programs="tb")
        self.assertEqual(code, 0)
        self.assertIn("build/wave/tb --x build/tb-other build/wave/tb wave build/waves/a.v:7.fst\n", output)

    def test_bad_registration(self):
        for entry, complaint in [
            ({"name": '"a"'}, "'name' and 'command' are required"),
            ({"name": '"a"', "command": '"true"', "sed": "1"}, "unknown field 'sed'"),
            ({"name": '"a"', "command": '"true"', "seeds": '"1"'}, "'seeds' must be of type int"),
        ]:
            self.register(entry)
            code, output = self.run_tests()
            self.assertEqual(code, 2)
            self.assertIn(complaint, output)
        self.register({"name": '"a"', "command": '"true"'})
        self.register({"name": '"a"', "command": '"true"'}, block="b")
        code, output = self.run_tests()
        self.assertEqual(code, 2)
        self.assertIn("already registered", output)


class SampleTest(unittest.TestCase):
    TESTS = [registry.Test(f"a.{i}", "true", long=True, cost=60 * (1 + i % 4), seeds=1 + i % 3) for i in range(40)]

    def setUp(self):
        self.date_of = sample.repository.date_of
        sample.repository.date_of = lambda commit: datetime.date(2026, 1, 31)
        self.addCleanup(setattr, sample.repository, "date_of", self.date_of)

    def count(self, passes):
        """How often each test is drawn in 400 commits."""
        counts = dict.fromkeys((test.name for test in self.TESTS), 0)
        runs = {name: set() for name in counts}
        for commit in range(400):
            chosen = sample.choose(self.TESTS, passes, 15, f"commit {commit}")
            self.assertLessEqual(sum(sample.planned_minutes(test, passes, set()) for test, _ in chosen), 15)
            self.assertEqual(chosen, sample.choose(self.TESTS, passes, 15, f"commit {commit}"))
            for test, run in chosen:
                counts[test.name] += 1
                runs[test.name].add(run)
        for test in self.TESTS:
            self.assertEqual(runs[test.name], set(range(1, test.seeds + 1)), "each run has its turn")
        return counts

    def test_all_have_their_turn(self):
        self.assertGreater(min(self.count({}).values()), 20)

    def test_old_passes_come_sooner(self):
        passes = {test.name: {"date": "2026-01-01" if number < 20 else "2026-01-29", "minutes": 2.0 * test.seeds}
                  for number, test in enumerate(self.TESTS)}
        counts = list(self.count(passes).values())
        self.assertGreater(sum(counts[:20]), 5 * sum(counts[20:]))
        self.assertGreater(min(counts), 0)


if __name__ == "__main__":
    unittest.main()
