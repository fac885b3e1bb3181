#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the runtime library writes with SWAI_RECORD, line by line."""

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path


def run(path, case="record:*"):
    environment = os.environ | {"SWAI_RECORD": str(path)}
    done = subprocess.run(
        ["build/test-sdaa", f"--test-case={case}"], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1500
    )
    return done.returncode, done.stdout


def digest(data):
    return hashlib.sha256(data).hexdigest()[:32]


def check(path, contents):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines.pop() == {"what": "ended"}, lines
    by_source = {}
    for line in lines:
        by_source.setdefault(line["source"], []).append(line)
    assert set(by_source) == {"card 0, default stream", "card 0, stream 1", "card 0, stream 2", "card 0, prints of core 1"}, set(by_source)

    given = bytes(i % 256 for i in range(200_000))
    first = by_source["card 0, default stream"]
    for what in ("copy to card", "copy to host"):
        pieces = [line for line in first if line["what"] == what]
        at = 0
        for piece in pieces:
            data = given[at : at + piece["bytes"]]
            assert piece["place"] == f"byte {at} of allocation 1" and piece["end"] == "done", piece
            assert piece["digests"] == [digest(data[i : i + 4096]) for i in range(0, len(data), 4096)], piece
            assert ("at" in piece) == (what == "copy to host")
            if "at" in piece:
                assert contents[piece["at"] :][: len(data)] == data
            at += piece["bytes"]
        assert at == len(given) and len(pieces) > 1, what

    rows, event, lost, last, failed, *behind = by_source["card 0, stream 1"]
    expected = b"".join(given[3 + 256 * row :][:5] for row in range(4))
    assert rows["bytes"] == 20 and rows["digests"] == [digest(expected)], rows
    assert contents[rows["at"] :][:20] == expected
    assert event == {"source": "card 0, stream 1", "what": "event record", "end": "done"}, event
    assert "digests" not in lost and lost["end"] == "done", lost
    assert last["digests"] == [digest(given[64:72])], last
    assert failed["what"] == "launch" and failed["name"] == "breakpoint", failed
    assert failed["end"].startswith("the kernel failed: breakpoint, core "), failed
    assert failed["text"].startswith("breakpoint, failed on core "), failed
    assert [line["end"] for line in behind] in ([], ["refused"]), behind

    launch, graph, slow = by_source["card 0, stream 2"]
    assert launch["name"] == "many_arguments" and launch["end"] == "done"
    assert graph["what"] == "graph" and graph["name"] == "2 commands" and graph["bytes"] == 4, graph
    assert graph["digests"] == [digest((7).to_bytes(4, "little"))], graph
    assert slow == {"source": "card 0, stream 2", "what": "launch", "name": "slow"}, slow

    for line, byte in zip(by_source["card 0, prints of core 1"], (b"\xfe", b"\xff"), strict=True):
        assert line["name"] == "\ufffd" and line["digests"] == [digest(byte)] and line["bytes"] == 1, line
        assert contents[line["at"] :][:1] == byte, line
    return len(lines)


def check_much(path):
    """Of 64 MiB there are the contents; of what comes behind are digests, of larger pieces where it is long."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    copies = [line for line in lines if line["what"] == "copy to host"]
    assert len(copies) == 18, len(copies)
    for number, line in enumerate(copies[:17]):
        assert line["digests"] == [digest(bytes([number]) * 4096)] * 1024, number
        assert line.get("at") == (number * (4 << 20) if number < 16 else None), number
    assert copies[17]["digests"] == [digest(bytes([16]) * 16)] and "at" not in copies[17]
    contents = Path(f"{path}.contents")
    assert contents.stat().st_size == 64 << 20
    with contents.open("rb") as file:
        file.seek(15 * (4 << 20))
        assert file.read() == bytes([15]) * (4 << 20)


def check_without_room(path):
    """What had room is there, and what is there is no whole record."""
    lines = path.read_text().splitlines()
    assert [json.loads(line)["what"] for line in lines] == ["copy to host"], lines


def main():
    with tempfile.TemporaryDirectory(prefix="swai-record-") as name:
        folder = Path(name)
        # The second process has a file of its own.
        for path in (folder / "record", folder / "record.1"):
            code, output = run(folder / "record")
            assert code == 0, output
            contents = Path(f"{path}.contents").read_bytes()
            count = check(path, contents)
        assert (folder / "record").read_text() == (folder / "record.1").read_text()
        code, output = run(folder / "much", "record of much:*")
        assert code == 0, output
        check_much(folder / "much")
        code, output = run(folder / "short", "record without room:*")
        assert code == 0, output
        check_without_room(folder / "short")
        code, output = run(folder / "nowhere/record")
        assert code != 0 and "no record can be written there: No such file" in output, output
        print(f"{count} results")


if __name__ == "__main__":
    main()
