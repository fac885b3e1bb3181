#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/bench.py, scripts/coverage.py, and files.py, pictures.py and circles.py of scripts/lint on small inputs."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path("scripts").resolve()


class ToolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
        done = subprocess.run(["git", *identity, *words], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self):
        """Commits all files; returns the commit's name."""
        if not (self.root / ".git").exists():
            self.write(".gitignore", "build/\n__pycache__/\n")
            self.git("init")
        self.git("add", ".")
        self.git("commit", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def run_script(self, name, *options):
        done = subprocess.run(
            ["python3", SCRIPTS / name, *options],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout


class FilesTest(ToolTest):
    def test_long_lines_of_pages(self):
        self.write("docs/a.md", f"{'x' * 120}\n{'x' * 121}\n| {'x' * 121} |\n")
        code, output = self.run_script("lint/files.py")
        self.assertEqual((code, output), (1, "docs/a.md:2: has 121 characters, of at most 120 outside of tables\n1 files, 1 complaints\n"))


class BenchTest(ToolTest):
    def figures(self):
        """The figures without the place and time of the measurement, which every run has."""
        figures = json.loads((self.root / "build/bench/bench.json").read_text())
        self.assertIn("bench.load", figures)
        return {key: value for key, value in figures.items() if not key.startswith("bench.")}

    def bench(self, printed, **targets):
        """Registers a measurement with targets."""
        lines = "".join(f'"{key}" = {target}\n' for key, target in targets.items())
        command = f"command = '''echo '{json.dumps(printed)}' '''"
        self.write("verif/a/bench.toml", f"[[bench]]\nname = 'x'\n{command}\n[bench.targets]\n{lines}")

    def test_figures(self):
        self.write(
            "verif/a/bench.toml",
            """
            [[bench]]
            name = "quick"
            command = '''echo '{"a.cycles": 12345, "a.ratio": 0.5}' '''
            needs = ["build/q"]
            [[bench]]
            name = "slow"
            command = '''echo '{"b.time": 7}' '''
            long = true
            needs = ["build/s"]
            """,
        )
        code, output = self.run_script("bench.py", "--long")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.figures(), {"a.cycles": 12345, "a.ratio": 0.5, "b.time": 7})
        code, output = self.run_script("bench.py")
        self.assertEqual(code, 0, output)
        figures = self.figures()
        self.assertGreaterEqual(figures.pop("build.bench_minutes"), 0)
        self.assertEqual(figures, {"a.cycles": 12345, "a.ratio": 0.5}, "no figure of an earlier run is kept")
        self.assertEqual(self.run_script("bench.py", "--needs")[1].split(), ["generated", "build/q"])
        code, output = self.run_script("bench.py", "--long", "--only", "sl*")
        self.assertEqual((code, self.figures()), (0, {"b.time": 7}), output)

    def test_targets(self):
        """Each target appears, as met, missed or not measured, and a missed one fails unless its cause is listed."""
        self.bench({"a": 12345, "b": 0.5}, a="{ max = 20000 }", b="{ min = 0.85 }")
        code, output = self.run_script("bench.py")
        self.assertRegex(output, r"(?m)^a +12,345  at most +20,000  met$")
        self.assertRegex(output, r"(?m)^b +0\.500  at least +0\.850  MISSED: verif/missed\.toml does not list it$")
        self.assertIn("2 targets: 1 met, 1 MISSED, 0 not measured\n", output)
        self.assertIn("missed, and not in verif/missed.toml: b\n", output)
        self.assertEqual(code, 2)
        self.write("verif/missed.toml", "[b]\ncause = 'it is slow'\nremedy = 'a faster one'\n")
        code, output = self.run_script("bench.py")
        self.assertRegex(output, r"(?m)^b +0\.500  at least +0\.850  MISSED: it is slow$")
        self.assertEqual(code, 0)
        self.bench({"a": 12345, "b": 0.9}, a="{ max = 20000 }", b="{ min = 0.85 }")
        code, output = self.run_script("bench.py")
        self.assertEqual(code, 0)
        self.assertIn("the entry b is stale", output)
        for text, complaint in (
            ("[c]\ncause = 'x'\nremedy = 'y'\n", "c is not a target"),
            ("[b]\ncause = 'x'\n", "needs cause and remedy"),
        ):
            self.write("verif/missed.toml", text)
            code, output = self.run_script("bench.py")
            self.assertEqual(code, 2)
            self.assertIn(complaint, output)

    def test_targets_that_are_not_measured(self):
        printed = {"not measured": {"a": "there is no model"}, "missed": {"b": "never"}}
        self.bench(printed, a="{ max = 1 }", b="{ max = 1 }")
        self.write(
            "verif/b/bench.toml",
            """
            [[bench]]
            name = "fails"
            command = "exit 3"
            [bench.targets]
            "c" = { max = 1 }
            [[bench]]
            name = "takes-hours"
            command = "exit 3"
            long = true
            [bench.targets]
            "d" = { max = 1 }
            [[bench]]
            name = "forgets"
            command = "echo {}"
            [bench.targets]
            "e" = { max = 1 }
            [[bench]]
            name = "without-target"
            command = '''echo '{"not measured": {"f": "there is no PyTorch"}}' '''
            """,
        )
        code, output = self.run_script("bench.py")
        for line in (
            r"a +-  at most +1  not measured: there is no model",
            r"b +-  at most +1  MISSED: never; verif/missed\.toml does not list it",
            r"c +-  at most +1  not measured: fails failed: exit code 3",
            r"d +-  at most +1  not measured: takes-hours takes long: make bench-long",
            r"e +-  at most +1  not measured: forgets failed: it printed neither e nor why",
            r"f +-  not measured: there is no PyTorch",
        ):
            self.assertRegex(output, f"(?m)^{line}$")
        self.assertEqual(code, 2, "a missed target is worse than a measurement that failed")
        self.assertEqual(list(self.figures()), ["build.bench_minutes"])
        code, output = self.run_script("bench.py", "--only", "x")
        self.assertRegex(output, r"(?m)^c +-  at most +1  not measured: fails was not selected$")

    def test_provenance(self):
        """Commit, whether files differ from it, date, the machine's speed and load are in the file."""
        self.bench({"sim.cpe_core_khz": 21500})
        commit = self.commit()
        for dirty in (0, 1):
            self.run_script("bench.py")
            figures = json.loads((self.root / "build/bench/bench.json").read_text())
            about = [figures[f"bench.{key}"] for key in ("commit", "dirty", "core_speed_mhz")]
            self.assertEqual(about, [commit, dirty, 21.5])
            self.assertRegex(figures["bench.date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
            strings = [key for key, value in figures.items() if type(value) is str]
            self.assertEqual(strings, ["bench.commit", "bench.date"])
            self.write("new", "")

    def test_registered_targets(self):
        """The measurements of the tree are read, and each target belongs to one."""
        command = ["python3", SCRIPTS / "bench.py", "--long", "--needs"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.write("verif/a/bench.toml", "[targets]\n'a' = { max = 1 }\n")
        code, output = self.run_script("bench.py")
        self.assertEqual(code, 2)
        self.assertIn("a: a target belongs to the [[bench]] that measures it", output)

    def test_order(self):
        """The longest measurement begins first."""
        entry = "[[bench]]\nname = '{0}'\ncommand = 'echo {0} >>order; echo {{}}'\ncycles = true\ncost = {1}\n"
        self.write("verif/a/bench.toml", entry.format("quick", 0) + entry.format("long", 9) + entry.format("medium", 5))
        subprocess.run(["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), "python3", SCRIPTS / "bench.py"],
                       cwd=self.root, check=True, capture_output=True)
        self.assertEqual((self.root / "order").read_text().split(), ["long", "medium", "quick"])

    @unittest.skipIf(len(os.sched_getaffinity(0)) == 1, "nothing runs beside anything")
    def test_side_by_side(self):
        """Those that count cycles run together; one that measures time has the machine for itself."""
        meets = "touch {0}; for i in `seq 400`; do test -e {1} && break; sleep 0.05; done; test -e {1} && echo {{}}"
        self.write(
            "verif/a/bench.toml",
            f"""
            [[bench]]
            name = "alone"
            command = "test -e a && test -e b && rm a && sleep 0.2 && test ! -e a && echo {{}}"
            [[bench]]
            name = "a"
            command = "{meets.format("a", "b")}"
            cycles = true
            [[bench]]
            name = "b"
            command = "{meets.format("b", "a")}"
            cycles = true
            [[bench]]
            name = "alone, too"
            command = "touch a; test -e b && echo {{}}"
            """,
        )
        code, output = self.run_script("bench.py")
        self.assertEqual(code, 0, output)

    def test_failures(self):
        for command, reason in [
            ("exit 3", "exit code 3"),
            ("echo hello", "its output is not JSON"),
            ("echo '[1]'", "not a flat JSON object"),
            ("""echo '{"a": "x"}'""", "not a flat JSON object"),
            ("""echo '{"not measured": ["a"]}'""", "'not measured' in its output is not an object of reasons"),
        ]:
            self.write("verif/a/bench.toml", f"[[bench]]\nname = 'x'\ncommand = '''{command}'''\n")
            code, output = self.run_script("bench.py")
            self.assertEqual(code, 1, command)
            self.assertIn(reason, output)
        self.write("verif/a/bench.toml", "[[bench]]\nname = 'x'\n")
        self.assertEqual(self.run_script("bench.py")[0], 2)

    def test_pictures(self):
        """They are drawn when all figures are there, also those of files behind."""
        picture = "[[picture]]\nname = 'p'\ncommand = 'cp build/bench/bench.json build/bench/drawn'\n"
        self.write("verif/a/bench.toml", picture)
        self.write("verif/b/bench.toml", """[[bench]]\nname = 'b'\ncommand = 'echo {\\"b.time\\": 7}'\n""")
        code, output = self.run_script("bench.py", "--long")
        self.assertEqual(code, 0, output)
        self.assertEqual(json.loads((self.root / "build/bench/drawn").read_text())["b.time"], 7)
        self.write("verif/a/bench.toml", picture.replace("cp", "false"))
        code, output = self.run_script("bench.py", "--long")
        self.assertEqual((code, self.figures()), (1, {"b.time": 7}), output)
        self.assertIn("p failed: exit code 1", output)


class TestRunTest(ToolTest):
    """The durations of the last make test are figures of its commit alone."""

    MEASURE = pathlib.Path("verif/repo/measure_test_run.py").resolve()

    def measured(self, **run):
        self.write("build/test-run.json", json.dumps(run))
        done = subprocess.run(["python3", self.MEASURE], cwd=self.root, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def test_commit(self):
        (self.root / "scripts").symlink_to(SCRIPTS)
        commit = self.commit()
        figures = {"build.test_minutes": 12.5, "fuzz.seconds_in_ci": 121.0}
        self.assertEqual(self.measured(commit=commit, clean=True, figures=figures), {**figures, "not measured": {}})
        reason = "the last make test did not begin without build/"
        del figures["build.test_minutes"]
        expected = {**figures, "not measured": {"build.test_minutes": reason}}
        self.assertEqual(self.measured(commit=commit, clean=True, figures=figures), expected)
        for run, reason in (
            ({"commit": "abc", "clean": True}, "the last make test that passed was of commit abc"),
            ({"commit": commit, "clean": False}, "the last make test that passed was not of a commit without changes"),
        ):
            absent = dict.fromkeys(("build.test_minutes", "fuzz.seconds_in_ci"), reason)
            self.assertEqual(self.measured(figures=figures, **run), {"not measured": absent})


class PagesTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("docs/README.md", "# Pages\n\n- [a](use/a.md): one\n- [b](b.md): two\n")
        self.write("docs/use/a.md", "# A\n\nThree words here.\n")
        self.write("docs/b.md", "# B\n")
        self.write("mkdocs.yml", "nav:\n  - Home: README.md\n  - Use:\n      - use/a.md\n      - b.md\n")

    def check(self):
        code, output = self.run_script("lint/pages.py")
        *complaints, last = output.splitlines()
        self.assertEqual((code, last), (1 if complaints else 0, f"{len(complaints)} complaints"))
        return complaints

    def test_good(self):
        self.assertEqual(self.check(), [])
        code, output = self.run_script("lint/pages.py", "--json")
        self.assertEqual((code, json.loads(output)), (0, {"docs.words": 15, "docs.page_words_max": 8}))

    def test_long_page(self):
        """Generated tables do not count, nor does a page that is generated as a whole."""
        words = "word " * 1996
        self.write("docs/b.md", f"# B\n\n{words}\n\n<!-- table x -->\n| {words} |\n<!-- end -->\n\nend.\n")
        self.assertEqual(self.check(), [])
        self.write("docs/b.md", f"# B\n\n{words} and too many.\n")
        (complaint,) = self.check()
        self.assertIn("docs/b.md: has 2001 words, of at most 2000", complaint)
        self.write("docs/b.md", f"# B\n\n<!-- Made from x by y. -->\n\n{words} and too many.\n")
        self.assertEqual(self.check(), [])

    def test_headings(self):
        self.write("docs/b.md", "# B: `two` words, at least\n\n[here](#b-two-words-at-least), [a](use/a.md#a), [no](use/a.md#b)\n")
        self.assertEqual(self.check(), ["docs/b.md: links to use/a.md#b, and there is no such heading"])

    def test_lists(self):
        self.write("docs/c.md", "# C\n")
        self.assertEqual(self.check(), ["docs/c.md: docs/README.md does not list it"])
        self.write("docs/README.md", "# Pages\n\n- [b](b.md)\n- [a](use/a.md)\n- [c](c.md)\n")
        self.assertEqual(self.check(), ["mkdocs.yml: its pages are not those of docs/README.md, in their order"])


class PicturesTest(ToolTest):
    STALE = "verif/repo/stale-pictures.toml"

    def setUp(self):
        super().setUp()
        # The script imports modules from scripts/ below the current folder.
        (self.root / "scripts").symlink_to(SCRIPTS)
        for page in ("paper", "paper-llm", "roofline"):
            self.write(f"docs/measurements/{page}.md", "Measured at commit {}.")
        self.first = self.commit()
        self.second = self.commit()
        for page in ("paper", "paper-llm", "roofline"):
            self.write(f"docs/measurements/{page}.md", f"Measured at commit {self.first[:8]}.")

    def name(self, said):
        self.write("docs/pictures/a.json", json.dumps({"made": said}))

    def check(self):
        code, output = self.run_script("lint/pictures.py")
        self.assertEqual(code, 0 if output.endswith("0 complaints\n") and len(output.splitlines()) == 1 else 1)
        return output.splitlines()[:-1]

    def test_one_commit(self):
        self.name(f"Measured, commit {self.first[:10]}.")
        self.write("docs/pictures/b.svg", "no figure")
        self.assertEqual(self.check(), [])
        self.name(f"Measured, commit {self.second[:10]}.")
        (complaint,) = self.check()
        self.assertIn("are of different commits: ", complaint)
        for made, complaint in (
            (f"before commit {self.first[:8]}", f"was measured with changes to commit {self.first[:8]}"),
            (f"commit {self.first[:8]}-dirty", f"was measured with changes to commit {self.first[:8]}"),
            ("nowhere", "names no commit"),
        ):
            self.name(made)
            self.assertEqual(self.check(), [f"docs/pictures/a.json: {complaint}"])

    def test_commit_of_another_history(self):
        self.name(f"Measured, commit {self.first[:8]}.")
        self.git("checkout", "--orphan", "other")
        self.commit()
        self.assertEqual(len(self.check()), 4)
        self.assertIn(f"docs/pictures/a.json: commit {self.first[:8]} is not part of this history", self.check())

    def test_list_of_stale_ones(self):
        """The list excuses commits and pages, and only shrinks."""
        entry = '{ since = "2026-01-01", reason = "x" }'
        self.name(f"Measured, before commit {self.second[:8]}.")
        self.write("docs/measurements/paper.md", "no commit")
        self.write(self.STALE, f'[commits]\n"{self.second[:8]}" = {entry}\n[pages]\n"docs/old/paper.md" = {entry}\n')
        self.commit()
        self.write(self.STALE, f'[commits]\n"{self.second[:8]}" = {entry}\n[pages]\n"docs/measurements/paper.md" = {entry}\n')
        self.assertEqual(self.check(), [])  # the page moved
        self.name(f"Measured, commit {self.first[:8]}.")
        self.assertEqual(self.check(), [f"{self.STALE}: {self.second[:8]} is not stale any more: remove it"])
        self.write("docs/measurements/roofline.md", "no commit")
        self.write(self.STALE, f'[pages]\n"docs/measurements/paper.md" = {entry}\n"docs/measurements/roofline.md" = {entry}\n')
        self.assertEqual(self.check(), [f"{self.STALE}: docs/measurements/roofline.md was added; the list may only shrink"])

    def test_without_history(self):
        self.name("nowhere")
        shutil.rmtree(self.root / ".git")
        self.assertEqual(self.run_script("lint/pictures.py"), (0, "no history: nothing is checked\n"))

    def test_writing(self):
        """Scripts write only figures of this commit, of a tree without changes outside docs/."""
        def may(made):
            code = "import sys, measured; measured.require_this_commit(sys.argv[1])"
            command = ["env", "PYTHONPATH=scripts", "python3", "-c", code, made]
            done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
            return done.stderr.strip()

        head = self.commit()
        self.assertEqual(may(f"commit {head[:8]}"), "")
        self.write("docs/pictures/new.json", "{}")
        self.assertEqual(may(f"commit {head[:8]}"), "")
        self.assertIn(f"figures of commit {self.first[:8]}, not of", may(f"commit {self.first[:8]}"))
        self.assertIn("figures of a tree with changes to", may(f"before commit {head[:8]}"))
        self.assertIn("name no commit", may("nowhere"))
        self.write("new", "")
        self.assertIn("files differ from the commit", may(f"commit {head[:8]}"))


class CirclesTest(ToolTest):
    LIST = "verif/repo/circles.toml"

    def setUp(self):
        super().setUp()
        (self.root / "scripts").symlink_to(SCRIPTS)
        # A circle of a, b and c, which d uses, and a pair of scripts.
        self.write("host/a.hpp", '#include "host/b.hpp"\n')
        self.write("host/b.cpp", '#include "host/b.hpp"\n#include "c.hpp"\n')
        self.write("host/b.hpp", "")
        self.write("host/c.hpp", '#include "host/a.hpp"\n')
        self.write("host/d.cpp", '#include "host/a.hpp"\n')
        self.write("verif/e.py", "import f\n")
        self.write("verif/x/f.py", "import json\nfrom e import g\n")
        self.list(["host/a", "host/b", "host/c"], ["verif/e", "verif/x/f"])
        self.commit()

    def list(self, *circles):
        self.write(self.LIST, "".join(f"[[circle]]\nunits = {json.dumps(units)}\n" for units in circles))

    def check(self):
        """The complaints."""
        self.git("add", ".")
        code, output = self.run_script("lint/circles.py")
        lines = [line for line in output.splitlines() if not line.startswith("circle of ")]
        self.assertEqual(code, 0 if len(lines) == 1 else 1, output)
        return lines[:-1]

    def test_listed_ones(self):
        self.assertEqual(self.check(), [])
        code, output = self.run_script("lint/circles.py", "--json")
        self.assertEqual((code, json.loads(output)), (0, {"house.circles": 2}))

    def test_another_one(self):
        self.write("host/d.cpp", '#include "e.hpp"\n')
        self.write("host/e.hpp", '#include "host/d.hpp"\n')
        self.write("host/d.hpp", "")
        self.assertEqual(
            self.check(),
            [
                f"a circle that {self.LIST} does not list, of 2:",
                "  host/d needs host/e",
                "  host/e needs host/d",
            ],
        )
        self.list(["host/a", "host/b", "host/c"], ["host/d", "host/e"], ["verif/e", "verif/x/f"])
        self.assertEqual(self.check(), [f"{self.LIST}: the list may only shrink"])

    def test_list_follows_the_code(self):
        """An entry is removed with its circle, and shrinks with it."""
        self.write("verif/x/f.py", "")
        gone = f"{self.LIST}: no longer a circle, or another one"
        self.assertEqual(self.check(), [f"{gone}: verif/e, verif/x/f"])
        self.list(["host/a", "host/b", "host/c"])
        self.assertEqual(self.check(), [])
        self.write("host/b.hpp", '#include "host/a.hpp"\n')
        self.write("host/c.hpp", "")
        self.assertIn(f"{gone}: host/a, host/b, host/c", self.check())
        self.list(["host/a", "host/b"])
        self.assertEqual(self.check(), [])


class CoverageTest(ToolTest):
    @staticmethod
    def point(line, column, page, lines, hits, comment="x"):
        fields = {"f": "rtl/lib/a.sv", "l": line, "n": column, "page": page, "o": comment, "S": lines, "h": "top"}
        return "C '" + "".join(f"\1{key}\2{value}" for key, value in fields.items() if value != "") + f"' {hits}\n"

    def test_report(self):
        self.write("rtl/lib/a.sv", "".join(f"line {number}\n" for number in range(1, 11)))
        header = "# SystemC::Coverage-3\n"
        first = header + self.point(1, 1, "v_line/a", "1-3,5", 4) + self.point(6, 1, "v_branch/a", "6", 1, "if")
        first += self.point(6, 2, "v_branch/a", "", 0, "else")
        second = header + self.point(7, 1, "v_line/a", "7-8", 0) + self.point(8, 9, "v_line/a", "8", 2)
        second += self.point(9, 1, "v_toggle/a", "", 0, "x[0]") + self.point(9, 1, "v_toggle/a", "", 3, "x[1]")
        self.write("build/coverage/raw/first.dat", first)
        self.write("build/coverage/raw/second.dat", second)
        code, output = self.run_script("coverage.py", "--gate", "rtl/lib=70")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"rtl/lib +71\.4 % +5/7 +50\.0 % +1/2 +50\.0 % +1/2\n")
        uncovered = (self.root / "build/coverage/uncovered.txt").read_text()
        self.assertEqual(uncovered, "rtl/lib/a.sv:7: line 7\nrtl/lib/a.sv:8: line 8\n")
        code, output = self.run_script("coverage.py", "--gate", "rtl/lib=72")
        self.assertEqual(code, 1)
        self.assertIn("line coverage 71.4 % is below 72 %", output)
        self.write("rtl/lib/forgotten.sv", "")
        code, output = self.run_script("coverage.py", "--gate", "rtl/lib=70")
        self.assertEqual(code, 1)
        self.assertIn("forgotten.sv: no coverage run contains it", output)


if __name__ == "__main__":
    unittest.main()
