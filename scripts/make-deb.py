#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a Debian package of a folder in which everything is installed: make-deb.py FOLDER TARGET VERSION. Run by `make deb`.

FOLDER gets what only a package has (control data, copyright, compressed manual). The package, TARGET/swai_VERSION_ARCHITECTURE.deb, is
the same whenever it is made of the same files: its date is the sources'. DEBFULLNAME and DEBEMAIL say who makes it.
"""

import argparse
import datetime
import gzip
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "deb"
X86_64 = 62  # e_machine of ELF: what this machine runs, unlike the card's programs


def output(*command, **how):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **how).stdout.strip()


def source_date():
    """The commit's; `git archive` gives it to all files."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(output("git", "log", "-1", "--format=%ct", stderr=subprocess.DEVNULL))
    except (OSError, subprocess.CalledProcessError):
        return int(pathlib.Path("VERSION").stat().st_mtime)


def debian_version(library_version, sources, date):
    """Later sources have the greater version, whatever git calls them."""
    day = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%Y%m%d.%H%M%S")
    return f"{library_version}~{day}+" + re.sub(r"[^A-Za-z0-9.]", ".", sources)


def programs_of_host(root):
    """ELF files that this machine runs."""
    for path in sorted(root.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            head = file.read(20)
        if head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") == X86_64:
            yield path


def depends(root, programs):
    """The packages whose libraries they need, in the versions whose symbols they use; libsdaa.so.1 is in the package itself."""
    with tempfile.TemporaryDirectory() as folder:
        control = pathlib.Path(folder) / "debian/control"
        control.parent.mkdir()
        control.write_text("Source: swai\n\nPackage: swai\nArchitecture: any\n")
        (control.parent / "shlibs.local").write_text("libsdaa 1 swai\n")
        said = output("dpkg-shlibdeps", "-O", "-xswai", f"-S{root}", f"-l{root}/usr/lib", *[f"-e{program}" for program in programs],
                      cwd=folder)
    return said.split("shlibs:Depends=", 1)[1]


def compress(path, text=None):
    data = path.read_bytes() if text is None else text.encode()
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(data, 9, mtime=0))


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("library_version")
    parser.add_argument("sources_version")
    args = parser.parse_args()
    root = args.root.resolve()
    date = source_date()
    version = debian_version(args.library_version, args.sources_version, date)
    architecture = output("dpkg", "--print-architecture")
    maintainer = f"{os.environ.get('DEBFULLNAME', 'SWAI')} <{os.environ.get('DEBEMAIL', 'swai@packages.invalid')}>"

    programs = list(programs_of_host(root))
    subprocess.run(["strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", *programs], check=True)

    documents = root / "usr/share/doc/swai"
    write(documents / "copyright", (HERE / "copyright").read_text())
    compress(documents / "changelog", f"swai ({version}) unstable; urgency=low\n\n  * Built from {args.sources_version}.\n\n"
             f" -- {maintainer}  {output('date', '-u', '-R', '-d', f'@{date}')}\n")
    write(root / "usr/share/lintian/overrides/swai", (HERE / "lintian-overrides").read_text())
    for page in root.glob("usr/share/man/man?/*.?"):
        compress(page)

    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    control = root / "DEBIAN"
    words = {"VERSION": version, "ARCHITECTURE": architecture, "MAINTAINER": maintainer, "LIBRARIES": depends(root, programs),
             "SIZE": str(sum(-(-path.stat().st_size // 1024) for path in files))}
    write(control / "control", re.sub(r"@(\w+)@", lambda word: words[word[1]], (HERE / "control").read_text()))
    write(control / "shlibs", f"libsdaa 1 swai (>= {args.library_version}~)\n")
    write(control / "triggers", "activate-noawait ldconfig\n")
    write(control / "md5sums",
          "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}\n" for path in files))

    args.target.mkdir(parents=True, exist_ok=True)
    package = args.target / f"swai_{version}_{architecture}.deb"
    # By name: xz with several threads divides a package by their number.
    subprocess.run(["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", "--build", root, package], check=True,
                   env=os.environ | {"SOURCE_DATE_EPOCH": str(date)}, stdout=subprocess.DEVNULL)
    print(package)


if __name__ == "__main__":
    main()
