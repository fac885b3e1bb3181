#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the runtime library writes with SWAI_PROFILE, read from its bytes."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, "verif/sim/card")
import perfetto


def run(path):
    command = ["build/test-sdaa", "--test-case=profile*"]
    environment = os.environ | {"SWAI_PROFILE": str(path)}
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1500)
    return done.returncode, done.stdout


def named(items, name):
    found = [item for item in items if item.name == name]
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


def inside(one, other):
    return other.begin <= one.begin and one.end <= other.end


def main():
    with tempfile.TemporaryDirectory(prefix="swai-profile-") as name:
        code, output = run(Path(name) / "trace")
        assert code == 0, output
        trace = perfetto.read(Path(name) / "trace", nested=True)
        thread = trace.on(trace.slices, "thread 1", "program")
        outer, inner = named(thread, "outer"), named(thread, "inner")
        assert inside(inner, outer)
        launches = [one for one in thread if one.name == "sdaaLaunchKernel"]
        assert len(launches) == 3 and all(inside(one, inner) for one in launches)
        assert inside(named(thread, "sdaaMalloc"), outer) and inside(named(thread, "sdaaMemcpy"), outer)
        assert not inside(named(thread, "open at the end"), outer)
        assert not [one for one in thread if "Range" in one.name or one.name == "unseen"]
        assert len([one for one in thread if one.name == "sdaaMemsetAsync"]) == 1, "profiling was off at the second"
        assert [one.name for one in trace.on(trace.slices, "thread 2", "program")] == ["elsewhere"]
        background = named(trace.on(trace.slices, "ranges", "program"), "background")
        assert outer.begin <= background.begin and background.end <= outer.end

        commands = sorted((one for one in trace.slices if trace.card(one.track) == "card 0"), key=lambda one: one.begin)
        kernels = [one for one in commands if one.name == "axpy_int"]
        assert len(kernels) == 3 and len({one.track.uuid for one in kernels}) == 1
        assert all(one.end <= following.begin for one, following in zip(kernels, kernels[1:]))
        fill = named(commands, "fill")
        assert fill.arguments["bytes"] == 100
        assert kernels[0].arguments["card begin"] < kernels[0].arguments["card end"] <= fill.arguments["card end"]
        assert all(launch.begin <= kernels[0].end for launch in launches[:1])
        assert named(commands, "copy to host").arguments["bytes"] == 64
        print(f"{len(trace.slices)} slices")

        code, output = run(Path(name) / "nowhere/trace")
        assert code != 0 and "cannot write it" in output, output


if __name__ == "__main__":
    main()
