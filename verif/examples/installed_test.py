#!/usr/bin/env python3
"""Installs runtime library and sdaacc into a folder, and builds and runs an example with nothing else: from a copy of it, elsewhere."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CARD = ["python3", "scripts/with-card.py", "--card", "build/swai-card-tiny"]


def run(*command, code=0, **options):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=250, **options)
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
        print(run(*CARD, "--folder", here, "./axpy"), end="")

        # Without its module the example says so, and with-card.py passes on what it returns.
        (here / "kernel.elf").unlink()
        assert "sdaaErrorFileNotFound" in run(*CARD, "--folder", here, "./axpy", code=1)
        assert "No such file" in run(*CARD, "--folder", here, "./nothing", code=2)
        assert "No such file" in run("python3", "scripts/with-card.py", "--card", folder / "nothing", "true", code=2)
        assert "No such file" in run(*CARD, "--flash", folder / "nothing", "true", code=2)


if __name__ == "__main__":
    main()
