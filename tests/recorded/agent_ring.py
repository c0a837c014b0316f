#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""agent_ring.py > FILE: records as an agent writes them into its ring (plugins/abi/agent_channel.h)."""
import struct
import sys

MAP, STACK, LAUNCH, DONE, TEXT, PYTHON = 1, 2, 3, 4, 9, 10
TEXT_FRAME = 1 << 63


def record(kind, body, flags=0):
    body += b"\0" * (-len(body) % 8)
    return struct.pack("<IHH", 8 + len(body), kind, flags) + body


def mapping(start, end, offset, path, flags=0):
    return record(MAP, struct.pack("<QQQ", start, end, offset) + path + b"\0", flags)


def stack(ident, name, frames, tid=7, comm=b"app"):
    body = struct.pack("<QQIIII16sQII", ident, 0, tid, len(frames), len(name), 0, comm, 0, 0,
                       0)
    return record(STACK, body + struct.pack("<%dQ" % len(frames), *frames) + name)


def launch(ident, instance, time, queue=1, flags=0):
    return record(LAUNCH, struct.pack("<QQQQ", ident, instance, time, queue), flags)


def done(instance, begin, end, flags=0):
    return record(DONE, struct.pack("<QQQ", instance, begin, end), flags)


def text(ident, name, path, line):
    body = struct.pack("<QIHH", TEXT_FRAME | ident, line, len(name), len(path))
    return record(TEXT, body + name + path)


T = 1000000000
sys.stdout.buffer.write(
    mapping(0x400000, 0x500000, 0, b"/bin/true", 1) + mapping(0x700000, 0x800000, 0, b"/nowhere/x")
    + stack(1, b"scale", [0x400100, 0x400200, 0x700010]) + stack(2, b"", [0x400100])
    + text(1, b"f", b"/x.py", 3) + text(2, b"<module>", b"a;b\n\xff ([python])", 0)
    + stack(3, b"scale", [0x400100, TEXT_FRAME | 1, 0x400200, TEXT_FRAME | 2, TEXT_FRAME | 9])
    + record(PYTHON, struct.pack("<II", 0x030e00f0, 0)) + launch(3, 9, T + 900)
    + launch(1, 1, T + 1000) + launch(2, 2, T + 2000, 2, 2) + done(1, T + 1500, T + 2500)
    + launch(1, 3, T + 3000, 1, 4) + launch(9, 4, T + 4000) + done(2, 0, 5000, 8)
    + launch(1, 5, T + 5000) + done(5, 0, 0, 16) + launch(1, 6, T + 6000) + done(6, 0, 0, 32))
