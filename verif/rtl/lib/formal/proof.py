# SPDX-License-Identifier: Apache-2.0
"""How proofs are done, for the prove.py of every folder that has some.

yosys-smtbmc (with z3) looks at everything that can happen in the first cycles after a reset from any state, and
writes a waveform of what it finds. Then yosys-abc proves the same properties for all time (pdr), or where the design is
too large for that, for some more cycles (bmc3); it takes memory that reset does not define as zero, which is why the first
step is not superfluous.
"""

import argparse
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
OUT = ROOT / "build/formal"

# What abc does, and what it says when it has succeeded.
PDR = ("pdr", "Property proved.")
BMC = ("scorr; bmc3 -F 12", "No output asserted in 12 frames.")


def readable(path, folder):
    """A copy of a source that Yosys can read with its assertions: it does not know `else $error(...)`."""
    text = re.sub(r"\)\s*else \$error\(.*\);", ");", path.read_text())
    copy = folder / path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(text)
    return copy


def readable_rtl(name, modules):
    """Readable copies of sources below rtl/, for the proof of that name."""
    return [readable(ROOT / "rtl" / f"{module}.sv", OUT / f"{name}-src") for module in modules]


def run(command):
    """Runs a command from the top folder, shows what it says, returns whether it succeeded, and its output."""
    print(" ".join(command), flush=True)
    result = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(result.stdout, end="", flush=True)
    return result.returncode == 0, result.stdout


def prove(name, top, sources, depth, parameters=None, defines=(), engine=PDR):
    """Whether the assertions below `top` hold; build/formal/NAME.vcd shows a way in which one does not."""
    OUT.mkdir(parents=True, exist_ok=True)
    model = f"build/formal/{name}"
    values = [f"-chparam {key} {value}" for key, value in (parameters or {}).items()]
    # Down to two-input gates: the solver expands the functions that describe the model, and what is used n times
    # on one level it expands n times.
    script = [
        " ".join(["read_verilog -sv -formal", *defines, *(str(source.relative_to(ROOT)) for source in sources)]),
        " ".join([f"hierarchy -check -top {top}", *values]),
        "prep -flatten",
        "memory_map",
        "async2sync",
        "dffunmap",
        "opt -full -nosdff -nodffe",
        "techmap",
        "opt -fast -nosdff -nodffe",
        "setundef -undriven -anyseq",
        "setundef -anyseq",
        "abc -g AND -fast",
        "opt_clean",
        f"write_smt2 -wires {model}.smt2",
        f"write_aiger {model}.aig",
    ]
    if not run(["yosys", "-q", "-p", "; ".join(script)])[0]:
        return False
    # --presat: the assumptions must leave something to look at.
    bounded = ["yosys-smtbmc", "-s", "z3", "--noprogress", "--presat", "-t", str(depth)]
    if not run([*bounded, "--dump-vcd", f"{model}.vcd", f"{model}.smt2"])[0]:
        return False
    commands, success = engine
    return success in run(["yosys-abc", "-c", f"read_aiger {model}.aig; fold; {commands}"])[1]


def main(doc, proofs, run_proof):
    """The command line: the proof of that name, `run_proof(name, *proofs[name])`. Returns the exit code."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=proofs)
    parser.add_argument("--list", action="store_true", help="show the names of the proofs")
    options = parser.parse_args()
    if options.list or options.name is None:
        print("\n".join(proofs))
        return 0 if options.list else 2
    return 0 if run_proof(options.name, *proofs[options.name]) else 1
