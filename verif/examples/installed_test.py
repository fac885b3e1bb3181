#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs swai, runtime library and sdaacc into a folder, and builds and runs an example with nothing else: from a copy of it, elsewhere."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def run(*command, code=0, **options):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1500, **options)
    assert done.returncode == code, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}"
    return done.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="swai-examples-") as name:
        folder = Path(name)
        run("make", "install", f"DESTDIR={folder}", "PREFIX=/opt/swai")
        prefix = folder / "opt/swai"
        shutil.copytree("examples", folder / "examples")
        here = folder / "examples/axpy"

        run(prefix / "bin/sdaacc", "kernel.cpp", "-o", "kernel.elf", cwd=here)
        environment = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": name}
        flags = run("pkg-config", "--cflags", "--libs", "sdaa", env=environment).split()
        run("c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "axpy.cpp", "-o", "axpy", *flags, f"-Wl,-rpath,{prefix}/lib", cwd=here)
        with_card = [prefix / "bin/swai", "--quiet", "exec", "--folder", here]
        print(run(*with_card, "./axpy"), end="")

        # Without its module the example says so, and swai passes on what it returns.
        (here / "kernel.elf").unlink()
        assert "sdaaErrorFileNotFound" in run(*with_card, "./axpy", code=1)
        assert (prefix / "share/man/man1/swai.1").read_text().startswith(".TH SWAI 1")


if __name__ == "__main__":
    main()
