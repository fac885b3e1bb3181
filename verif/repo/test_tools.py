#!/usr/bin/env python3
"""Tests scripts/bench.py, scripts/coverage.py and scripts/lint/files.py on small inputs."""

import json
import os
import pathlib
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
        return json.loads((self.root / "build/bench/bench.json").read_text())

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
            [targets]
            "a.cycles" = { max = 20000 }
            "a.ratio" = { min = 0.85 }
            """,
        )
        code, output = self.run_script("bench.py", "--long")
        self.assertEqual(code, 0, output)
        self.assertEqual(self.figures(), {"a.cycles": 12345, "a.ratio": 0.5, "b.time": 7})
        code, output = self.run_script("bench.py")
        self.assertEqual(code, 0, output)
        self.assertRegex(output, r"a\.cycles +12,345 +at most +20,000 +met\n")
        self.assertRegex(output, r"a\.ratio +0\.500 +at least +0\.850 +MISSED\n")
        figures = self.figures()
        self.assertGreaterEqual(figures.pop("build.bench_minutes"), 0)
        self.assertEqual(figures, {"a.cycles": 12345, "a.ratio": 0.5}, "no figure of an earlier run is kept")
        self.assertEqual(self.run_script("bench.py", "--needs")[1].split(), ["generated", "build/q"])

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
        self.assertEqual(json.loads((self.root / "build/bench/drawn").read_text()), {"b.time": 7})
        self.write("verif/a/bench.toml", picture.replace("cp", "false"))
        code, output = self.run_script("bench.py", "--long")
        self.assertEqual((code, self.figures()), (1, {"b.time": 7}), output)
        self.assertIn("p failed: exit code 1", output)


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
