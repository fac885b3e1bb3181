#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what swai-card --events writes, with the scripted host program build/events-session and with the program that measures launches.

Run from the repository root. --seed N: power-on contents of the card.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "verif/abi")
import card_faults  # noqa: E402
import perfetto  # noqa: E402

SESSION = "build/events-session"
CARD = "build/swai-card"
TINY = "build/swai-card-tiny"
LAUNCHES = "build/firmware/launch-bench.flash"
SEED = 1
LIMIT = 1500  # ends what hangs
only_long = unittest.skipUnless(os.environ.get("SWAI_LONG"), "in the long tests")

HBM = 0x80_0000_0000
BUFFER = 0x2_0000_0000


def session(*options, expect=0):
    done = subprocess.run([SESSION, *map(str, options)], capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != expect:
        raise AssertionError(done.stdout + done.stderr)
    return done


class EventsTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.file = cls.folder / "session.pftrace"
        cls.said = session("--seed", SEED, "--events", cls.file).stdout
        cls.trace = perfetto.read(cls.file)

    def slices(self, track, card="card 0"):
        return self.trace.on(self.trace.slices, track, card)

    def instants(self, track, card="card 0"):
        return self.trace.on(self.trace.instants, track, card)

    def test_the_card_does_the_same_without(self):
        self.assertEqual(session("--seed", SEED).stdout, self.said)

    def test_two_runs_write_the_same(self):
        again = self.folder / "again.pftrace"
        session("--seed", SEED, "--events", again)
        self.assertEqual(again.read_bytes(), self.file.read_bytes())

    def test_every_descriptor_is_a_slice(self):
        for channel in range(4):
            first = channel * (channel + 1) // 2
            # Each begins after the one before it; descriptors that overlap are in lanes beneath the channel's track.
            slices = sorted(self.slices(f"DMA {channel}"), key=lambda item: item.begin)
            expected = []
            for direction in ("host to card", "card to host"):
                for i in range(channel + 1):
                    at = (first + i) * 5000
                    expected.append((direction, 5000 + channel, BUFFER + at, HBM + 0x1000 + at, len(expected)))
            found = [
                (item.name, item.arguments["bytes"], item.arguments["host"], item.arguments["card"])
                + (item.arguments["tag"],)
                for item in slices
            ]
            self.assertEqual(found, expected)
            ends = [item.end for item in slices]
            self.assertEqual(ends, sorted(ends))
            for item in slices:
                # A byte needs a way of 250 cycles on the wire, and the wire moves 32 in a cycle.
                self.assertGreater(item.end - item.begin, 5000 // 32)
            self.assertEqual(slices[0].track.kind, "thread")
        self.assertEqual(len(self.slices("DMA 5")), 1)

    def test_a_descriptor_that_fails(self):
        (failed,) = self.slices("DMA 6")
        self.assertEqual(failed.arguments["stopped"], 1)
        (error,) = [item for item in self.instants("DMA 6") if item.name == "error"]
        self.assertEqual(error.arguments, {"cause": "unsupported", "address": 0x7_0000_0000})

    def test_data_of_one_that_failed_are_nobodys(self):
        (failed,), (done,) = self.slices("DMA 7"), self.slices("DMA 4")
        self.assertEqual(failed.arguments["stopped"], 1)
        end = BUFFER + 256
        (data,) = [item for item in self.instants("host") if item.name == "data" and item.arguments["end"] == end]
        self.assertEqual((failed.arguments["host"], data.flow_ends), (BUFFER, done.flows))

    def test_a_doorbell_from_host_to_inbox(self):
        (host,) = [item for item in self.instants("host") if item.name == "doorbell 3"]
        (card,) = self.trace.on(self.trace.instants, "doorbells")[:1]
        (inbox,) = [item for item in self.instants("inbox") if item.name == "doorbell 3"]
        self.assertEqual((host.flows, card.flows), (card.flow_ends, inbox.flow_ends))
        self.assertEqual(len(host.flows + card.flows), 2)
        self.assertGreater(card.time, host.time + 250)
        self.assertGreater(inbox.time, card.time)
        numbers = [item.arguments["number"] for item in self.instants("doorbells")]
        self.assertEqual(numbers, [3, 17])

    def test_interrupts_arrive(self):
        asked = self.instants("interrupts")
        self.assertEqual(
            [item.arguments["vector"] for item in asked if item.arguments["vector"] in (5, 6)], [5, 6]
        )
        arrived = {item.flow_ends[0]: item for item in self.instants("host") if item.name.startswith("vector")}
        self.assertEqual(len(arrived), len(asked))
        for item in asked:
            self.assertEqual(arrived[item.flows[0]].name, item.name)
            self.assertGreater(arrived[item.flows[0]].time, item.time + 250)

    def test_data_arrive(self):
        """What a descriptor moves to the host is there when the packets have come the way of 250 cycles."""
        arrived = {item.flow_ends[0]: item for item in self.instants("host") if item.name == "data"}
        for channel in range(4):
            sent = [item for item in self.slices(f"DMA {channel}") if item.name == "card to host"]
            self.assertEqual(len(sent), channel + 1)
            for item in sent:
                data = arrived[item.flows[0]]
                self.assertEqual(data.arguments, {"bytes": item.arguments["bytes"], "end": item.arguments["host"] + item.arguments["bytes"]})
                self.assertGreater(data.time, item.begin + 250)

    def test_engines(self):
        (awake,) = self.slices("MPE")
        self.assertEqual((awake.name, awake.begin), ("awake", 18))
        traps = {item.name for item in self.instants("MPE")}
        self.assertIn("call from supervisor mode", traps)
        self.assertEqual({item.name for item in self.slices("HBM 0")}, {"busy", "self-refresh"})
        resets = [item.name for item in self.instants("resets")]
        self.assertIn("management complex: runs", resets)
        # The client's reset.
        self.assertEqual(resets[-4:], ["link down", "function reset", "link up", "function reset ends"])

    def test_counters_add_up(self):
        copied = sum((c + 1) * (5000 + c) for c in range(4))
        down, up = self.trace.total("PCIe in payload"), self.trace.total("PCIe out payload")
        # Beside the copies: descriptors, registers, records; and bytes around those that are moved.
        self.assertTrue(copied + 4096 <= down < copied + 4096 + 10_000, down)
        self.assertTrue(copied <= up < copied + 10_000, up)
        self.assertGreaterEqual(self.trace.total("HBM 0 writes"), (copied + 4096) // 64)
        self.assertGreaterEqual(self.trace.total("HBM 0 reads"), copied // 64)
        self.assertGreaterEqual(self.trace.total("ring PCIe injected"), 2 * copied // 64)
        self.assertGreater(self.trace.total("HBM 0 refreshes"), 0)

    def test_the_checker_notices(self):
        data = self.file.read_bytes()
        packets, at = [], 0
        while at < len(data):
            size, body = perfetto.varint(data, at + 1)
            packets.append(data[at : body + size])
            at = body + size
        with self.assertRaises(perfetto.BadTrace):
            perfetto.Trace(data[:-1])
        with self.assertRaises(perfetto.BadTrace):
            perfetto.Trace(data + packets[-2])
        # Without one packet, whichever, a trace is wrong or shows less.
        whole = len(self.trace.slices) + len(self.trace.instants) + len(self.trace.counts)
        for i in range(0, len(packets), 7):
            try:
                less = perfetto.Trace(b"".join(packets[:i] + packets[i + 1 :]))
            except perfetto.BadTrace:
                continue
            self.assertLess(len(less.slices) + len(less.instants) + len(less.counts), whole)

    def two_cards(self, name):
        session("--seed", SEED, "--cards", 2, "--events", self.folder / name)
        return self.folder / name

    def test_two_cards(self):
        trace = perfetto.read(self.two_cards("two.pftrace"))
        self.assertEqual(len(trace.on(trace.slices, "DMA 3", "card 0")), 8)
        self.assertEqual(len(trace.on(trace.slices, "DMA 3", "card 1")), 8)

    @only_long
    def test_two_cards_write_the_same(self):
        self.assertEqual(self.two_cards("once.pftrace").read_bytes(), self.two_cards("again.pftrace").read_bytes())

    def test_a_pause(self):
        file = self.folder / "pause.pftrace"
        said = session("--seed", SEED, "--pause", "--events", file).stdout
        self.assertEqual(said, self.said)
        trace = perfetto.read(file)
        self.assertEqual(len(trace.on(trace.slices, "DMA 3")), 8)
        self.assertEqual(trace.on(trace.slices, "DMA 5"), [])
        self.assertEqual(len(trace.on(trace.slices, "DMA 6")), 1)

    def test_only_when_asked_for(self):
        file = self.folder / "asked.pftrace"
        session("--seed", SEED, "--pause", "--events", file, "--events-paused")
        trace = perfetto.read(file)
        self.assertEqual(trace.on(trace.slices, "DMA 3"), [])
        self.assertEqual(len(trace.on(trace.slices, "DMA 6")), 1)

    def test_a_limit(self):
        file = self.folder / "short.pftrace"
        done = session("--seed", SEED, "--events", file, "--events-limit", 5000)
        self.assertEqual(done.stdout, self.said)
        self.assertRegex(done.stderr, r"events: \d+ of \d+ records are missing in .*, which has reached its limit")
        self.assertTrue(5000 <= file.stat().st_size < 6000)
        perfetto.read(file)

    def test_a_full_disk(self):
        done = session("--seed", SEED, "--events", "/dev/full")
        self.assertEqual(done.stdout, self.said)
        self.assertIn("which cannot be written", done.stderr)

    def test_a_card_with_a_console(self):
        flash = self.folder / "card.flash"
        shutil.copy(os.environ["SWAI_FLASH"], flash)
        file = self.folder / "boot.pftrace"
        command = [CARD, "--flash", flash, "--console", "none", "--until-ready", "--quiet", "--events", file]
        subprocess.run(command, check=True, timeout=LIMIT)
        trace = perfetto.read(file)
        (awake,) = trace.on(trace.slices, "MPE")
        self.assertGreater(awake.end, 100_000)

    def launches(self, *options):
        """What a card says that launches a few hundred kernels, then all the faulty ones."""
        flash = self.folder / "launches.flash"
        shutil.copy(LAUNCHES, flash)
        command = [TINY, "--config", "tiny", "--flash", flash, "--quiet", *options]
        done = subprocess.run(command, input="faults 1\n", check=True, capture_output=True, text=True, timeout=LIMIT)
        return done.stdout

    @only_long
    def test_launches_are_the_same_without(self):
        self.assertEqual(self.launches("--events", self.folder / "launches.pftrace"), self.launches())

    def test_launches(self):
        file = self.folder / "launches.pftrace"
        said = self.launches("--events", file)
        self.assertEqual(card_faults.look(said, culprit=1), (len(card_faults.EXPECTED), []))
        lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        trace = perfetto.read(file)
        launches = trace.on(trace.slices, "group 0")
        on_group = trace.on(trace.instants, "group 0")
        inbox = trace.on(trace.instants, "inbox")

        # From the doorbell to the launch, from the launch to the done word that speaks for it.
        self.assertEqual([item.arguments["number"] for item in launches], list(range(1, len(launches) + 1)))
        doorbells = [item for item in on_group if item.name == "doorbell"]
        dones = [item for item in inbox if item.name == "done 0"]
        self.assertEqual([item.arguments["launch"] for item in doorbells], [item.arguments["number"] for item in launches])
        ends = {flow: item for item in dones for flow in item.flow_ends}
        for doorbell, launch in zip(doorbells, launches, strict=True):
            self.assertEqual(doorbell.flows, launch.flow_ends)
            self.assertEqual(doorbell.arguments["pc"], launch.arguments["pc"])
            # It has stood in the queue for a cycle at least.
            self.assertEqual(launch.begin - doorbell.time, launch.arguments["waited"])
            self.assertGreater(launch.end - launch.begin, launch.arguments["cycles"])
            done = ends[launch.flows[0]]
            self.assertGreaterEqual(done.arguments["number"], launch.arguments["number"])
            self.assertGreater(done.time, launch.end)

        # Those that failed, and why.
        faulty = [line for line in lines if line["bench"] == "faulty"]
        failed = [item for item in launches if item.arguments["failed"]]
        self.assertEqual([item.arguments["cycles"] for item in failed], [line["cycles"] for line in faulty])
        self.assertEqual([item.arguments.get("watchdog", 0) for item in failed], [line["watchdog"] for line in faulty])
        faults = [item for item in on_group if item.name != "doorbell"]
        keys = ("cpe", "pc", "access", "dma", "segment", "offset")
        self.assertEqual(
            [(item.name, *(item.arguments[key] for key in keys)) for item in faults],
            [(line["cause"], *(line[key] for key in keys)) for line in faulty],
        )
        self.assertEqual(len([item for item in inbox if item.name == "fault 5"]), len(faulty))

        # What ran beside: everything that was streamed went through the memory port; launches of a chain waited.
        streamed = {line["bench"]: line["bytes"] for line in lines if line["bench"].startswith("stream")}
        self.assertGreaterEqual(trace.total("group 0 CPE reads"), streamed["stream_load"] // 64)
        self.assertGreaterEqual(trace.total("group 0 CPE writes"), streamed["stream_store"] // 64)
        cycles = sum(item.arguments["cycles"] for item in launches)
        self.assertTrue(cycles < trace.total("group 0 CPE clocks") < 5 * cycles)
        self.assertGreater(trace.total("group 0 code misses"), len(faulty))
        self.assertGreater(trace.total("group 0 segment misses"), 0)
        queued = [value for track, _, value in trace.counts if track.name == "group 0 launches queued"]
        self.assertTrue(2 <= max(queued) <= 8)
        self.assertEqual(queued[-1], 0)

        self.cores_did_the_launches(trace, launches)

    def cores_did_the_launches(self, trace, launches):
        """Slices of cores lie in the launch and say what became of each of their cycles."""
        cores = [
            sorted(trace.on(trace.slices, f"group 0 core {core}"), key=lambda item: item.begin) for core in range(4)
        ]
        for core, slices in enumerate(cores):
            expected = [item.arguments["number"] for item in launches if item.arguments["mask"] >> core & 1]
            self.assertEqual([item.arguments["launch"] for item in slices], expected)
        by_number = {item.arguments["number"]: item for item in launches}
        seen = set()
        for item in (item for slices in cores for item in slices):
            launch = by_number[item.arguments["launch"]]
            self.assertTrue(launch.begin <= item.begin <= item.end <= launch.end + 1, (item, launch))
            for unit in ("core: ", "DMA", "systolic unit", "vector unit"):
                cycles = sum(
                    value
                    for name, value in item.arguments.items()
                    if (name.startswith(unit) if unit == "core: " else name.startswith((f"{unit}: busy", f"{unit} idle")))
                )
                self.assertEqual(cycles, item.end - item.begin, (unit, item))
            seen |= set(item.arguments)
            if launch.arguments["failed"] == 0:
                self.assertNotIn("core: stopped", item.arguments)
        # Of everything something was there.
        self.assertLessEqual(
            {
                "core: runs", "core: barrier", "core: DMA", "core: systolic unit", "core: vector unit", "core: stopped",
                "instructions", "waits for code", "systolic rows", "vector groups", "lines",
            },
            seen,
        )
        lines = sum(item.arguments.get("lines", 0) for slices in cores for item in slices)
        self.assertTrue(0 < lines <= trace.total("group 0 CPE reads") + trace.total("group 0 CPE writes"))
        # Their units stand beneath them, and what they show is what the core has counted.
        units = [item for item in trace.slices if trace.tracks[item.track.parent].name == "group 0 core 1"]
        self.assertLessEqual({"scalar", "DMA", "systolic unit", "vector unit"}, {item.track.name for item in units})
        busy = sum(item.end - item.begin for item in units if item.track.name == "systolic unit")
        self.assertEqual(busy, sum(item.arguments.get("systolic unit: busy", 0) for item in cores[1]))
        waits = sum(item.end - item.begin for item in units if item.name == "waits: DMA")
        self.assertEqual(waits, sum(item.arguments.get("core: DMA", 0) for item in cores[1]))

    def test_bad_options(self):
        for options, message in (
            (["--events", "/nowhere/file"], "cannot write it"),
            (["--events-paused"], "--events"),
            (["--events-from-ready"], "--events"),
            (["--events", "x", "--events-from-ready"], "--socket"),
            (["--events", "x", "--socket", "x", "--events-from-ready", "--events-paused"], "excludes"),
            (["--wave", "x", "--wave-trigger", "dmaa"], "no trigger"),
            (["--wave", "x", "--wave-trigger", "pc"], "no trigger"),
            (["--wave", "x", "--wave-trigger", "reset:1"], "no trigger"),
            (["--wave", "x", "--wave-trigger", "irq:x"], "no trigger"),
            (["--wave", "x", "--wave-trigger", "launch:x"], "no trigger"),
        ):
            command = [CARD, "--flash", self.folder / "new.flash", *options]
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn(message, done.stdout + done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=SEED)
    options, rest = parser.parse_known_args()
    SEED = options.seed
    unittest.main(argv=[sys.argv[0], *rest])
