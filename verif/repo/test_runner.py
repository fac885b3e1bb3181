#!/usr/bin/env python3
"""Tests scripts/run-tests.py on small sets of tests that pass, fail, hang and crash."""

import pathlib
import re
import subprocess
import tempfile
import time
import unittest

RUNNER = pathlib.Path("scripts/run-tests.py").resolve()


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

    def run_tests(self, *options, programs=""):
        done = subprocess.run(
            ["python3", RUNNER, *options],
            cwd=self.root,
            env={"PATH": "/usr/bin:/bin", "VERILATED_PROGRAMS": programs},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
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
        self.register({"name": '"a.slow"', "command": '"touch started; sleep 2; touch late"', "seeds": 4})
        process = subprocess.Popen(
            ["python3", RUNNER, "--jobs", "2"], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        while not (self.root / "started").exists():
            time.sleep(0.05)
        process.terminate()
        output, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, output)
        self.assertIn("interrupted", output)
        time.sleep(2.5)
        self.assertFalse((self.root / "late").exists(), "tests must end with the runner")

    def test_parallel(self):
        self.register({"name": '"a.sleep"', "command": '"sleep 1"', "seeds": 8})
        start = time.monotonic()
        code, output = self.run_tests("--jobs", "8")
        self.assertEqual(code, 0, output)
        self.assertLess(time.monotonic() - start, 6)

    def test_selection(self):
        self.register(
            {"name": '"a.short"', "command": '"true"', "needs": '["build/s", "build/both"]'},
            {"name": '"a.long"', "command": '"true"', "long": "true", "needs": '["build/l", "build/both"]'},
        )
        self.register({"name": '"b.cov"', "command": '"true"', "coverage": "true"}, block="b")
        self.assertEqual(self.run_tests()[1].splitlines()[-1], "2 passed, 0 failed")
        self.assertEqual(self.run_tests("--long")[1].splitlines()[-1], "3 passed, 0 failed")
        self.assertEqual(self.run_tests("--coverage")[1].splitlines()[-1], "1 passed, 0 failed")
        self.assertEqual(self.run_tests("--only", "a.*")[1].splitlines()[-1], "1 passed, 0 failed")
        self.assertEqual(self.run_tests("--needs")[1].split(), ["generated", "build/s", "build/both"])
        needs = self.run_tests("--needs", "--long")[1].split()
        self.assertEqual(needs, ["generated", "build/s", "build/both", "build/l"])
        self.assertEqual(self.run_tests("--tb", "a.long")[0], 0)
        names = re.findall(r"(?m)^(\S+)", self.run_tests("--list")[1])
        self.assertEqual(names, ["a.short", "a.long", "b.cov"])
        code, output = self.run_tests("--only", "nothing")
        self.assertEqual((code, output), (2, "run-tests: no test matches nothing\n"))

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


if __name__ == "__main__":
    unittest.main()
