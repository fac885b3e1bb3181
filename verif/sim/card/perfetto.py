# SPDX-License-Identifier: Apache-2.0
"""Reads Perfetto traces from their bytes: tracks, slices, instants, counters and flows of TrackEvent packets.

Written from the wire format of protobuf and Perfetto's schema, not with the code that writes the traces. Anything that the
format does not allow, or that is not known here, raises BadTrace: so a test that reads a trace has checked it.
"""

import dataclasses
import struct

TRACE_PACKET = 1
PACKET = {8: "timestamp", 10: "sequence", 11: "event", 60: "descriptor"}
DESCRIPTOR = {1: "uuid", 2: "name", 3: "process", 4: "thread", 5: "parent", 8: "counter"}
PROCESS = {1: "pid", 6: "name"}
THREAD = {1: "pid", 2: "tid", 5: "name"}
COUNTER = {3: "unit"}
EVENT = {4: "annotations", 9: "type", 11: "track", 23: "name", 30: "value", 47: "flows", 48: "flow_ends"}
ANNOTATION = {3: "uint", 6: "string", 10: "name"}
BEGIN, END, INSTANT, COUNT = 1, 2, 3, 4
WINDOW = 256  # clocks that counters count together


class BadTrace(Exception):
    pass


@dataclasses.dataclass
class Track:
    uuid: int
    name: str
    parent: int
    kind: str  # process, thread, counter or child
    unit: int = 0


@dataclasses.dataclass
class Slice:
    track: Track
    name: str
    begin: int
    end: int
    arguments: dict
    flows: list
    flow_ends: list


@dataclasses.dataclass
class Instant:
    track: Track
    name: str
    time: int
    arguments: dict
    flows: list
    flow_ends: list


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise BadTrace("a number has no end")
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field of a message: ints, or bytes where the field has a length."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            if at + size > len(data):
                raise BadTrace("a field is cut off")
            value = struct.unpack_from("<Q" if wire == 1 else "<I", data, at)[0]
            at += size
        elif wire == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise BadTrace("a field is cut off")
            value = data[at : at + size]
            at += size
        else:
            raise BadTrace(f"wire type {wire}")
        yield key >> 3, value


def message(data, names, repeated=()):
    result = {name: [] for name in repeated}
    for number, value in fields(data):
        if number not in names:
            raise BadTrace(f"field {number}, known are {names}")
        name = names[number]
        if name in repeated:
            result[name].append(value)
        elif name in result:
            raise BadTrace(f"{name} twice")
        else:
            result[name] = value
    return result


def text(value):
    return value.decode() if value is not None else ""


class Trace:
    """What is in a file."""

    def __init__(self, data, nested=False):
        self._nested = nested  # threads of a program are in several things at once
        self.tracks, self.slices, self.instants, self.counts = {}, [], [], []
        self._open, self._times, self._threads, self._flows = {}, {}, set(), set()
        last = 0
        for number, packet in fields(data):
            if number != TRACE_PACKET:
                raise BadTrace(f"field {number} of Trace")
            packet = message(packet, PACKET)
            if packet["timestamp"] < last:
                raise BadTrace(f"time goes back from {last} to {packet['timestamp']}")
            last = packet["timestamp"]
            if not packet.get("sequence"):
                raise BadTrace("a packet of no sequence")
            if ("descriptor" in packet) == ("event" in packet):
                raise BadTrace("a packet is a descriptor or an event")
            if "descriptor" in packet:
                self._descriptor(message(packet["descriptor"], DESCRIPTOR))
            else:
                event = message(packet["event"], EVENT, ("annotations", "flows", "flow_ends"))
                self._event(packet["timestamp"], event)
        for track, stack in self._open.items():
            if stack:
                raise BadTrace(f"{self.tracks[track].name}: {stack[-1].name} has no end")

    def _descriptor(self, fields):
        uuid = fields["uuid"]
        if uuid in self.tracks:
            raise BadTrace(f"track {uuid:#x} twice")
        track = Track(uuid, text(fields.get("name")), fields.get("parent", 0), "child")
        if "process" in fields:
            process = message(fields["process"], PROCESS)
            track.kind, track.name = "process", text(process["name"])
            if process["pid"] == 0:
                raise BadTrace("pid 0")
        elif "thread" in fields:
            thread = message(fields["thread"], THREAD)
            track.kind, track.name = "thread", text(thread["name"])
            if thread["tid"] in self._threads:
                raise BadTrace(f"tid {thread['tid']} twice")
            self._threads.add(thread["tid"])
        elif "counter" in fields:
            track.kind, track.unit = "counter", message(fields["counter"], COUNTER)["unit"]
        if track.kind != "process" and track.parent not in self.tracks:
            raise BadTrace(f"{track.name} before its parent")
        if not track.name:
            raise BadTrace("a track without name")
        self.tracks[uuid] = track

    def _event(self, time, event):
        if event["track"] not in self.tracks:
            raise BadTrace(f"an event on track {event['track']:#x}, which is not described")
        track = self.tracks[event["track"]]
        stack = self._open.setdefault(track.uuid, [])
        arguments = {}
        for annotation in event["annotations"]:
            annotation = message(annotation, ANNOTATION)
            value = annotation["uint"] if "uint" in annotation else text(annotation["string"])
            arguments[text(annotation["name"])] = value
        if (event["type"] == COUNT) != (track.kind == "counter") or ("value" in event) != (track.kind == "counter"):
            raise BadTrace(f"an event of type {event['type']} on {track.name}")
        if (event["flows"] or event["flow_ends"]) and event["type"] not in (BEGIN, INSTANT):
            raise BadTrace("a flow at an end or a count")
        if event["type"] == BEGIN:
            if stack and not self._nested:
                raise BadTrace(f"{track.name}: something begins in the midst of {stack[-1].name}")
            self._flow(event)
            stack.append(
                Slice(track, text(event["name"]), time, -1, arguments, event["flows"], event["flow_ends"])
            )
        elif event["type"] == END:
            if not stack:
                raise BadTrace(f"{track.name}: an end without beginning at {time}")
            ended = stack.pop()
            ended.end = time
            ended.arguments.update(arguments)
            self.slices.append(ended)
        elif event["type"] == INSTANT:
            self._flow(event)
            self.instants.append(
                Instant(track, text(event["name"]), time, arguments, event["flows"], event["flow_ends"])
            )
        elif event["type"] == COUNT:
            self.counts.append((track, time, event["value"]))
        else:
            raise BadTrace(f"an event of type {event['type']}")

    def _flow(self, event):
        for flow in event["flows"]:
            if flow in self._flows:
                raise BadTrace(f"flow {flow:#x} begins twice")
            self._flows.add(flow)
        for flow in event["flow_ends"]:
            if flow not in self._flows:
                raise BadTrace(f"flow {flow:#x} ends and has not begun")
            self._flows.remove(flow)

    def card(self, track):
        while track.parent:
            track = self.tracks[track.parent]
        return track.name

    def on(self, items, track, card="card 0"):
        """Those of slices or instants that are on the track of this name, or beneath it."""
        return [item for item in items if item.track.name == track and self.card(item.track) == card]

    def total(self, counter, card="card 0"):
        """What a counter has counted. Its value holds for windows until the next one."""
        values = [
            (time, value)
            for track, time, value in self.counts
            if track.name == counter and self.card(track) == card
        ]
        ends = [time for time, _ in values[1:]] + [values[-1][0] + WINDOW if values else 0]
        return sum(value * (end - time) // WINDOW for (time, value), end in zip(values, ends, strict=True))


def read(path, nested=False):
    with open(path, "rb") as file:
        return Trace(file.read(), nested)
