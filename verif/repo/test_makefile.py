#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the Makefile's macros on a small project: what is built, and what is built again after which change."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

REPOSITORY = pathlib.Path.cwd()

FILES = {
    "verif/x/build.mk": """
$(eval $(call cxx_library,x,verif/x/lib.cpp))
$(eval $(call cxx_program,hello,verif/x/hello.cpp,$(B)/lib/x.a -lfmt))
$(eval $(call verilated_program,tb-x,tb_x,verif/x/x_pkg.sv verif/x/tb_x.sv,verif/x/tb.cpp verif/x/lib.cpp,-Iverif/x))
$(eval $(call verilated_sibling,tb-y,tb-x,verif/x/tb2.cpp verif/x/lib.cpp))
""",
    "verif/x/lib.hpp": "int three();\n",
    "verif/x/lib.cpp": '#include "verif/x/lib.hpp"\nint three() { return 3; }\n',
    "verif/x/hello.cpp": """
#include <fmt/core.h>
#include "verif/x/lib.hpp"
#include "version.hpp"
int main() { fmt::print("{} {}\\n", three(), swai::kVersion); }
""",
    "verif/x/step.svh": "`define STEP 2\n",
    "verif/x/x_pkg.sv": "package x_pkg;\n  localparam logic [7:0] Start = 5;\nendpackage\n",
    "verif/x/tb_x.sv": """
`include "step.svh"
module tb_x(input logic clk_i, input logic rst_ni, output logic [7:0] count_o, output logic [31:0] random_o);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_o <= x_pkg::Start;
    else count_o <= count_o + `STEP;
  end
  always_ff @(posedge clk_i) if (count_o == 0) random_o <= 0;
endmodule
""",
    "verif/x/tb.cpp": """
#include "sim/common/verilated_main.hpp"
#include "Vtb_x.h"
int main(int argc, char** argv) {
  swai::VerilatedRun<Vtb_x> run(argc > 1 ? std::stoull(argv[1]) : 1, argc > 2 ? std::stoull(argv[2]) : 1000);
  run.top().rst_ni = 0;
  run.tick();
  run.top().rst_ni = 1;
  for (int i = 0; i < 10; ++i) run.tick();
  std::printf("%d %u %llu\\n", run.top().count_o, run.top().random_o, static_cast<unsigned long long>(run.cycle()));
}
""",
}

FILES["verif/x/tb2.cpp"] = FILES["verif/x/tb.cpp"].replace("i < 10", "i < 20")


only_long = unittest.skipUnless(os.environ.get("SWAI_LONG"), "in the long tests")
# Flags that all objects have, as folders are named after them.
PLAIN = "clang++-std-c++20-gline-tables-only-fPIC-fvisibility-hidden"


def copy_or_point(path, copy):
    """Headers that were read are large; who makes them anew puts a file in the place of the link."""
    (os.symlink if path.endswith(".pch") else shutil.copy2)(path, copy)


class MakefileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copy(REPOSITORY / "Makefile", self.root)
        (self.root / "scripts").mkdir()
        for script in ("include-all.sh", "keep-same.sh", "precompiled.hpp", "with-steps.sh"):
            shutil.copy2(REPOSITORY / "scripts" / script, self.root / "scripts")
        (self.root / "VERSION").write_text("1.2-tarball\n")
        for name, text in FILES.items():
            self.write(name, text)
        (self.root / "sim/common").mkdir(parents=True)
        shutil.copy(REPOSITORY / "sim/common/verilated_main.hpp", self.root / "sim/common")

        # Verilator's runtime and the libraries' headers take longest to compile, and are the same everywhere.
        for path in [*REPOSITORY.glob("build/verilated/*/runtime*"), *REPOSITORY.glob("build/precompiled")]:
            copy = self.root / path.relative_to(REPOSITORY)
            copy.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree(path, copy, copy_function=copy_or_point) if path.is_dir() else shutil.copy2(path, copy))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def replace(self, name, old, new):
        path = self.root / name
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new))

    def run_command(self, *command, expect=0, **more_environment):
        of_make = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
        environment = {key: value for key, value in os.environ.items() if key not in of_make}
        done = subprocess.run(
            command,
            cwd=self.root,
            env=environment | more_environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.assertEqual(done.returncode, expect, done.stdout)
        return done.stdout

    def make(self, *targets):
        """Runs make; returns the steps that it took, as "STEP file"."""
        lines = self.run_command("make", *targets).splitlines()
        return {" ".join(line.split()) for line in lines if line.startswith("  ")}

    def outside_build(self):
        return {path for path in self.root.rglob("*") if path.relative_to(self.root).parts[0] != "build"}

    def test_numbered_steps(self):
        lines = self.run_command("scripts/with-steps.sh", "make", "-j1", "build/hello").splitlines()
        steps = [line for line in lines if line.startswith("[")]
        self.assertEqual([line.split("]")[0] for line in steps], [f"[{i + 1}/{len(steps)}" for i in range(len(steps))])
        self.assertIn(f"[{len(steps)}/{len(steps)}]  LINK      build/hello", steps)
        self.assertEqual(self.make("build/hello"), set())
        self.write("verif/x/lib.cpp", "wrong\n")
        self.assertIn("]  CXX       build/obj/O2/verif/x/lib.o", self.run_command("scripts/with-steps.sh", "make", "-j1", "build/hello", expect=2))

    def test_what_can_only_be_made_later_hides_no_other_steps(self):
        step = "\t@printf '  %-9s %s\\n' CXX $@\n"
        self.write("late/Makefile", f"all: model other\nmodel: made\n\t+test -e made\n{step}made:\n\t@touch $@\n{step}other:\n{step}")
        lines = self.run_command("scripts/with-steps.sh", "make", "-j1", "-C", "late", "--no-print-directory", "all").splitlines()
        self.assertEqual([line.split()[0] for line in lines if line.startswith("[")], ["[1/2]", "[2/2]", "[3/3]"])

    def test_builds_for_people_are_numbered(self):
        """Those of `help`, by the recipes that make begins for them."""
        for path in (REPOSITORY / "Makefile", *REPOSITORY.glob("*/**/build.mk")):
            bare = [line for line in path.read_text().splitlines() if re.search(r"^\t *(@ *)?\$\(MAKE\)", line)]
            self.assertEqual(bare, [], path)

    def test_cxx_program(self):
        self.assertIn("LINK build/hello", self.make("build/hello"))
        self.assertEqual(self.run_command("build/hello"), "3 1.2-tarball\n")
        self.assertEqual(self.make("build/hello"), set())

        self.replace("verif/x/lib.cpp", "3", "4")
        self.assertEqual(
            self.make("build/hello"),
            {"CXX build/obj/O2/verif/x/lib.o", "AR build/lib/x.a", "LINK build/hello"},
        )
        self.assertEqual(self.run_command("build/hello"), "4 1.2-tarball\n")

        self.replace("verif/x/lib.hpp", "three();", "three();  // changed")
        self.assertIn("CXX build/obj/O2/verif/x/hello.o", self.make("build/hello"))

        self.replace("VERSION", "1.2", "1.3")
        self.assertEqual(self.make("build/hello"), {"CXX build/obj/O2/verif/x/hello.o", "LINK build/hello"})

        self.replace("verif/x/build.mk", "$(B)/lib/x.a -lfmt", "$(B)/lib/x.a -lfmt,-DNEW_FLAG=1")
        self.assertIn("CXX build/obj/O2-DNEW_FLAG-1/verif/x/hello.o", self.make("build/hello"))
        self.assertEqual(self.make("build/hello"), set())

    def test_a_source_whose_object_is_there(self):
        """It comes into a library, or a program, though nothing is compiled; and goes."""
        self.write("verif/x/four.cpp", "int four() { return 4; }\n")
        two = "$(eval $(call cxx_library,y,verif/x/lib.cpp verif/x/four.cpp))\n$(eval $(call cxx_library,x,verif/x/lib.cpp))\n"
        self.replace("verif/x/build.mk", "$(eval $(call cxx_library,x,verif/x/lib.cpp))\n", two)
        self.make("build/lib/y.a", "build/hello")
        self.replace("verif/x/build.mk", "call cxx_library,x,verif/x/lib.cpp", "call cxx_library,x,verif/x/lib.cpp verif/x/four.cpp")
        self.assertEqual(self.make("build/hello"), {"AR build/lib/x.a", "LINK build/hello"})
        self.assertEqual(self.make("build/hello"), set())
        self.replace("verif/x/build.mk", "cxx_program,hello,verif/x/hello.cpp", "cxx_program,hello,verif/x/hello.cpp verif/x/four.cpp")
        self.assertEqual(self.make("build/hello"), {"LINK build/hello"})
        self.replace("verif/x/build.mk", "call cxx_library,x,verif/x/lib.cpp verif/x/four.cpp", "call cxx_library,x,verif/x/lib.cpp")
        self.assertEqual(self.make("build/hello"), {"AR build/lib/x.a", "LINK build/hello"})

    def test_precompiled_headers(self):
        self.replace("verif/x/lib.cpp", "return 3", "return std::vector{3}.at(0)")
        self.make("build/hello")
        headers = self.root / "build/precompiled"
        self.assertEqual([str(path.relative_to(headers)) for path in headers.glob("*-hidden-O2/*.pch")], [f"{PLAIN}-O2/headers.pch"])

    @only_long  # they take long to read
    def test_headers_that_are_read_again(self):
        """They compile to the same objects."""
        self.replace("verif/x/lib.cpp", "return 3", "return std::vector{3}.at(0)")
        self.make("build/hello")
        self.replace("scripts/precompiled.hpp", "#include <vector>", "#include <vector>\n#include <complex>")
        self.assertEqual(self.make("build/hello"), {f"HEADERS build/precompiled/{PLAIN}-O2/headers.pch"})
        (self.root / "build/obj/O2/verif/x/lib.o").unlink()
        self.assertIn("use of undeclared identifier 'std'", self.run_command("make", "PRECOMPILED=", "build/hello", expect=2))

    def test_verilated_program(self):
        self.make("build/tb-x")
        first = self.run_command("build/tb-x")
        self.assertRegex(first, r"^25 \d+ 11\n$")
        self.assertEqual(self.run_command("build/tb-x"), first)
        self.assertNotEqual(self.run_command("build/tb-x", "2"), first, "initial state follows the seed")
        self.assertIn("no end after 5 cycles", self.run_command("build/tb-x", "1", "5", expect=1))
        self.assertIn("build/wave/", self.run_command("build/tb-x", expect=2, SWAI_WAVE="build/x.fst"))
        self.assertEqual(self.make("build/tb-x"), set())

        for name, old, new, count in [
            ("verif/x/tb_x.sv", "count_o + `STEP", "count_o + 2 * `STEP", 45),
            ("verif/x/step.svh", "2", "1", 25),
            ("verif/x/x_pkg.sv", "5", "6", 26),
        ]:
            self.replace(name, old, new)
            self.assertIn("VERILATE build/verilated/fast/tb-x", self.make("build/tb-x"), name)
            self.assertTrue(self.run_command("build/tb-x").startswith(f"{count} "), name)
            self.assertEqual(self.make("build/tb-x"), set())

        # A comment costs nobody a compilation.
        self.replace("verif/x/tb_x.sv", "endmodule", "endmodule  // of the test")
        steps = self.make("build/tb-x")
        self.assertIn("VERILATE build/verilated/fast/tb-x", steps)
        self.assertEqual([step for step in steps if step.endswith(".o")], [])
        self.assertEqual(self.make("build/tb-x"), set())
        compiled = {path: path.stat().st_mtime for path in (self.root / "build/verilated/fast/tb-x").glob("*.o")}
        self.replace("verif/x/tb_x.sv", "// of the test", "// of the Makefile")
        self.make("build/tb-x")
        self.assertEqual(compiled, {path: path.stat().st_mtime for path in compiled})

        self.replace("verif/x/tb.cpp", "i < 10", "i < 11")
        self.assertEqual(
            self.make("build/tb-x"), {"CXX build/verilated/fast/tb-x-obj/verif/x/tb.o", "LINK build/tb-x"}
        )

        self.assertEqual(
            self.make("build/tb-y"), {"CXX build/verilated/fast/tb-y-obj/verif/x/tb2.o", "LINK build/tb-y"}
        )
        self.assertTrue(self.run_command("build/tb-y").startswith("46 "))

    def test_lost_module(self):
        part = "module {0}(input logic clk_i, output logic [7:0] o);\n  /* verilator no_inline_module */\n" \
               "  always_ff @(posedge clk_i) o <= {1};\nendmodule\n"
        self.replace("verif/x/build.mk", "verif/x/tb_x.sv", "$(wildcard verif/x/part_*.sv) verif/x/tb_x.sv")
        self.replace("verif/x/tb_x.sv", "endmodule", "  logic [7:0] o;\n  part_a u_part (.clk_i, .o);\nendmodule")
        self.write("verif/x/part_a.sv", part.format("part_a", 1))
        self.make("build/tb-x")
        # A source under another name: what was made of the old one is in no way of the new one.
        (self.root / "verif/x/part_a.sv").unlink()
        self.write("verif/x/part_b.sv", part.format("part_b", 2))
        self.replace("verif/x/tb_x.sv", "part_a", "part_b")
        self.assertIn("LINK build/tb-x", self.make("build/tb-x"))
        self.assertTrue(self.run_command("build/tb-x").startswith("25 "))

    @only_long  # Verilator's runtime is compiled for each of them
    def test_variants(self):
        # Headers that are read once would be read once for each object here.
        self.make("PRECOMPILED=", "build/wave/tb-x", "build/unopt/tb-x", "build/cov/tb-x", "build/toggle/tb-x")
        self.run_command("build/wave/tb-x", SWAI_WAVE="build/waves/x.fst")
        self.assertGreater((self.root / "build/waves/x.fst").stat().st_size, 0)
        self.run_command("build/unopt/tb-x")
        for variant, page in [("cov", "v_branch/tb_x"), ("toggle", "v_toggle/tb_x")]:
            self.run_command(f"build/{variant}/tb-x", SWAI_COVERAGE="build/x.dat")
            self.assertIn(page, (self.root / "build/x.dat").read_text())

    def test_only_build_folder_is_written(self):
        before = self.outside_build()
        self.make("build/hello", "build/tb-x")
        after = self.outside_build()
        self.assertEqual(before, after)


if __name__ == "__main__":
    unittest.main()
