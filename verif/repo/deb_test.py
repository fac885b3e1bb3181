#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian package and uses it unpacked: what its control data say of it, what its files need, and the first example, which
runs with nothing but the package's files and Debian's. Run from the repository root."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

REPOSITORY = pathlib.Path.cwd()
LIMIT = 1500  # ends what hangs


def run(*command, **how):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False, **how)
    assert done.returncode == 0, f"{' '.join(map(str, command))}:\n{done.stdout}"
    return done.stdout


def package_of(library):
    """The Debian package that a library of this machine comes from."""
    path = next(line.split(" => ")[1] for line in run("/sbin/ldconfig", "-p").splitlines() if line.split() and line.split()[0] == library)
    # Debian knows some by the name that they had before /lib became /usr/lib.
    for name in (os.path.realpath(path), path, path.removeprefix("/usr"), os.path.realpath(path).removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise AssertionError(f"no package has {path}")


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="swai-deb-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        # For this machine's processor, whose simulators are built; nothing else in the package depends on that.
        run("make", "deb", "MACHINE=native", f"DEB_TO={folder.name}")
        (cls.package,) = cls.folder.glob("swai_*.deb")
        cls.root = cls.folder / "unpacked"
        run("dpkg-deb", "-x", cls.package, cls.root)
        cls.files = [path for path in cls.root.rglob("*") if path.is_file() and not path.is_symlink()]

    def field(self, name):
        return run("dpkg-deb", "--field", self.package, name).strip()

    def swai(self, *words):
        """The package's, in an environment that knows nothing but its folder."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "TMPDIR": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder)}
        return run(self.root / "usr/bin/swai", "--quiet", *words, env=environment, cwd=self.folder)

    def host_programs(self):
        for path in self.files:
            head = run("readelf", "-h", path) if path.read_bytes()[:4] == b"\x7fELF" else ""
            if "X86-64" in head:
                yield path

    def test_control_data(self):
        self.assertEqual(self.field("Package"), "swai")
        self.assertEqual(self.field("Architecture"), run("dpkg", "--print-architecture").strip())
        self.assertRegex(self.field("Version"), r"^\d+\.\d+~\d{8}\.\d{6}\+[A-Za-z0-9.]+$")
        run("dpkg", "--compare-versions", self.field("Version"), "lt", "1.1")
        unpacked = sum(path.stat().st_size for path in self.files) / 1024
        self.assertAlmostEqual(int(self.field("Installed-Size")), unpacked, delta=len(self.files))
        contents = run("dpkg-deb", "--contents", self.package).splitlines()
        for line in contents:
            self.assertRegex(line, r"^(d|l|-)\S+ root/root ", "every file is root's")
            self.assertNotRegex(line, r"^-.{4}w|^-.{7}w", "nobody else may write it")
        self.assertTrue(any(re.search(r"/usr/share/doc/swai/copyright$", line) for line in contents))

    def test_depends_name_what_programs_need(self):
        """Looked up anew, in this machine's list of libraries and its packages."""
        depends = {re.split(r"[ (:]", one.strip())[0] for one in self.field("Depends").split(",")}
        own = {path.name for path in self.files}
        programs = list(self.host_programs())
        self.assertGreaterEqual(len(programs), 8, programs)
        needed = {library for path in programs for library in re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", path))}
        packages = {package_of(library) for library in needed - own}
        # libc.so.6 brings the loader; the C++ compiler's own libraries may come from more than one package.
        self.assertEqual(packages - depends, set(), depends)
        self.assertIn("libsdaa.so.1", needed)
        scripts = [path for path in self.files if path.read_bytes()[:40].startswith(b"#!/usr/bin/env python3")]
        self.assertEqual(bool(scripts), "python3" in depends, scripts)

    def test_nothing_points_to_the_build(self):
        for path in self.files:
            self.assertNotIn(str(REPOSITORY).encode(), path.read_bytes(), path)
        for path in self.host_programs():
            self.assertNotRegex(run("readelf", "-d", path), "RPATH|RUNPATH", path)
            self.assertNotIn(" .symtab", run("readelf", "-SW", path), path)

    def test_first_example(self):
        example = self.root / "usr/lib/swai/examples/axpy"
        said = self.swai("--tier", "fast", "exec", "--folder", example, "./axpy")
        self.assertRegex(said, r"(?m)^axpy: (\d+) of \1 numbers are right$")

    def test_other_programs(self):
        self.assertRegex(self.swai("--version"), r"^swai ")
        for program in ("bin/swai-card", "bin/iss-cpe-run", "lib/swai/swai-card-fast"):
            self.assertIn("Usage", run(self.root / "usr" / program, "--help", env={}))
        self.assertEqual(json.loads(self.swai("--tier", "fast", "--json", "info"))["cards"][0]["cores"], 32)


if __name__ == "__main__":
    unittest.main()
