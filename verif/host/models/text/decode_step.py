# SPDX-License-Identifier: Apache-2.0
"""One step of text generation in a trace of the card: found by the trace's own flows, from the program's call that launches it until
what it has chosen is in the host's memory. Raises Missing where a row or a flow is not there.
decode_step_svg.py draws it."""

import dataclasses
import sys

sys.path.insert(0, "verif/sim/card")
import perfetto  # noqa: E402

UNITS = ("scalar", "DMA", "row channel", "column channel", "systolic unit", "vector unit")
CALL = "call from user mode"
# What a step's program copies to the host is a record of this size; so is the queue's line, which the kernel's own channel copies.
RECORD_BYTES, KERNELS_CHANNEL = 64, "DMA 7"


class Missing(Exception):
    pass


def begin_of(item):
    return item.begin if isinstance(item, perfetto.Slice) else item.time


def the(items, what):
    """The first of them."""
    items = sorted(items, key=begin_of)
    if not items:
        raise Missing(what)
    return items[0]


def behind(items, before, what):
    """To which of these a flow leads from there."""
    return the([item for item in items if set(item.flow_ends) & set(before.flows)], f"a flow from {before.track.name}'s {before.name} to {what}")


@dataclasses.dataclass
class Core:
    name: str
    whole: perfetto.Slice
    units: dict  # slices of each that has any

    def computes(self):
        """Cycles."""
        return sum(item.end - item.begin for unit in ("systolic unit", "vector unit") for item in self.units.get(unit, []))


class Step:
    def __init__(self, trace, launch):
        self.trace, self.launch = trace, launch
        events = {name: self.on(name) for name in ("MPE", "inbox", "host", "group 0")}
        doorbell = the([item for item in events["group 0"] if set(item.flows) & set(launch.flow_ends)], "a flow from a doorbell to the launch")
        call = the([item for item in events["MPE"] if set(item.flows) & set(doorbell.flow_ends)], "a flow from the processor to the doorbell")
        if call.name != CALL:
            raise Missing(f"the program's call before the doorbell, which is behind {call.name}")
        done = behind(events["inbox"], launch, "the done word")
        bit = behind(events["inbox"], done, "the group's bit")
        # A processor that is awake at that time, for its timer, looks itself.
        awake = behind(events["MPE"], bit, "the processor, which it wakes") if bit.flows else None
        records = [item for item in trace.slices if self.is_record(item) and item.begin > done.time]
        record = the(records, "a descriptor that copies what was chosen")
        data = behind(events["host"], record, "the host's memory")
        chain = {"call": call, "doorbell": doorbell, "launch": launch, "done": done, "bit": bit, "awake": awake, "record": record, "data": data}
        self.chain = {name: item for name, item in chain.items() if item}
        times = [begin_of(item) for item in self.chain.values()]
        if times != sorted(times):
            raise Missing(f"an order from launch to completion: {times}")
        self.begin, self.end = times[0], times[-1]
        self.cores = [self.core(item) for item in self.within(trace.slices) if item.name == launch.name and " core " in item.track.name]

    def on(self, track):
        return [*self.trace.on(self.trace.slices, track), *self.trace.on(self.trace.instants, track)]

    @staticmethod
    def is_record(item):
        channel = item.track.name
        return channel.startswith("DMA ") and channel != KERNELS_CHANNEL and item.name == "card to host" and item.arguments["bytes"] == RECORD_BYTES

    def within(self, slices):
        return [item for item in slices if self.launch.begin <= item.begin and item.end <= self.launch.end and item is not self.launch]

    def core(self, whole):
        units = {}
        for item in self.within(self.trace.slices):
            if item.track.parent == whole.track.uuid:
                units.setdefault(item.track.name, []).append(item)
        return Core(whole.track.name, whole, units)

    def counted(self, name):
        """Windows of a counter in the step: (time, value)."""
        values = [(time, value) for track, time, value in self.trace.counts if track.name == name]
        before = [value for time, value in values if time <= self.begin]
        return [(self.begin, before[-1] if before else 0), *((time, value) for time, value in values if self.begin < time <= self.end)]


def steps(path):
    """Those of the program's launches that follow another one: tokens that go on with a text."""
    trace = perfetto.read(path)
    launches = [item for item in trace.on(trace.slices, "group 0") if item.name == "walk"]
    if len(launches) < 2:
        raise Missing("launches of walk: a prompt's, and a step's")
    return [Step(trace, launch) for launch in launches[1:]]
