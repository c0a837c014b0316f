#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""perf_data.py CASE > FILE: writes a perf.data by hand, from perf_event_open(2) and the description
of the format in the kernel's tree, for forms that not every machine that runs the tests can record.
perf_data.py list: prints the cases. perf_data.py piped CASE > FILE: a file's records in the form of
a pipe, without the header.
perf_data.py sweep PROGRAM N [FILE...]: runs PROGRAM, a command line to which the input is added, on
every prefix of a small file, and on prefixes and mutations of several, or of FILEs, at N places."""
import os
import random
import shlex
import struct
import subprocess
import sys
import tempfile

# sample_type
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM = (1 << n for n in range(10))
RAW, BRANCH, REGS, STACK, WEIGHT, IDENTIFIER = (1 << n for n in (10, 11, 12, 13, 14, 16))
# record types and misc
MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2 = 1, 2, 3, 4, 7, 9, 10
LOST_SAMPLES, NAMESPACES, KSYMBOL, CGROUP = 13, 16, 17, 19
ATTR, TRACING, BUILD_ID, ROUND, AUXTRACE, UPDATE = 64, 66, 67, 68, 71, 78
FEATURE, COMPRESSED, COMPRESSED2 = 80, 81, 83
IN_KERNEL, IN_USER, IN_GUEST = 1, 2, 5
CONTEXT_KERNEL, CONTEXT_USER = 2**64 - 128, 2**64 - 512
SAMPLE_ID_ALL = 1 << 18
USUAL = IP | TID | TIME | CALLCHAIN | PERIOD
MAIN, WORK, LEAF = 0xFFFFFFFFA0000000, 0xFFFFFFFFA0001000, 0xFFFFFFFFA0002000


def text(string, pad=8):
    data = string.encode() + b"\0"
    return data + b"\0" * (-len(data) % pad)


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def attribute(sample_type, kind=1, config=0, read_format=0, period=1, branch=0, flags=0, regs=0,
              interrupted=0, clock=0):
    out = struct.pack("<IIQQQQQ", kind, 112, config, period, sample_type, read_format,
                      SAMPLE_ID_ALL | flags)
    out += struct.pack("<IIQQQQIiQ", 0, 0, 0, 0, branch, regs, 64 if regs else 0, clock, interrupted)
    return out.ljust(112, b"\0")


def trailer(sample_type, time=0, ident=0, pid=7, tid=7):
    """sample_id_all: what follows every record that is not a sample"""
    out = b""
    if sample_type & TID:
        out += struct.pack("<ii", pid, tid)
    if sample_type & TIME:
        out += struct.pack("<Q", time)
    if sample_type & ID:
        out += struct.pack("<Q", ident)
    if sample_type & STREAM:
        out += struct.pack("<Q", 0)
    if sample_type & CPU:
        out += struct.pack("<Q", 0)
    if sample_type & IDENTIFIER:
        out += struct.pack("<Q", ident)
    return out


def comm(name, pid=7, tid=None, time=0, kind=USUAL, misc=0, ident=0):
    tid = pid if tid is None else tid
    return record(COMM, struct.pack("<ii", pid, tid) + text(name) + trailer(kind, time, ident), misc)


def fork(pid, parent, tid=None, parent_tid=None, time=0, kind=USUAL):
    body = struct.pack("<iiiiQ", pid, parent, tid or pid, parent_tid or parent, time)
    return record(FORK, body + trailer(kind, time))


def mmap2(path, start, size, offset=0, pid=7, time=0, kind=USUAL, misc=IN_USER, build_id=None):
    identity = struct.pack("<IIQQ", 8, 1, 99, 0)
    if build_id is not None:
        identity = struct.pack("<BBH20s", len(build_id), 0, 0, build_id)
        misc |= 1 << 14
    body = struct.pack("<iiQQQ", pid, pid, start, size, offset) + identity
    body += struct.pack("<II", 5, 2) + text(path)
    return record(MMAP2, body + trailer(kind, time), misc)


def mmap(path, start, size, offset=0, pid=7, time=0, kind=USUAL, misc=IN_USER):
    body = struct.pack("<iiQQQ", pid, pid, start, size, offset) + text(path)
    return record(MMAP, body + trailer(kind, time), misc)


def ksymbol(name, address, size=0x1000, flags=0, time=0, kind=USUAL, ident=0):
    return record(KSYMBOL, struct.pack("<QIHH", address, size, 1, flags) + text(name) +
                  trailer(kind, time, ident), IN_KERNEL)


def sample(chain, time=100, period=10, kind=USUAL, pid=7, tid=None, ident=0, misc=IN_KERNEL,
           values=b"", behind=b""):
    out = b""
    if kind & IDENTIFIER:
        out += struct.pack("<Q", ident)
    if kind & IP:
        out += struct.pack("<Q", chain[0] if chain else 0)
    if kind & TID:
        out += struct.pack("<ii", pid, pid if tid is None else tid)
    if kind & TIME:
        out += struct.pack("<Q", time)
    if kind & ADDR:
        out += struct.pack("<Q", 0xADD0)
    if kind & ID:
        out += struct.pack("<Q", ident)
    if kind & CPU:
        out += struct.pack("<Q", 0)
    if kind & PERIOD:
        out += struct.pack("<Q", period)
    if kind & READ:
        out += values
    if kind & CALLCHAIN:
        words = [CONTEXT_KERNEL] + list(chain)
        out += struct.pack("<Q%dQ" % len(words), len(words), *words)
    return record(SAMPLE, out + behind, misc)


NAMES = b"".join(ksymbol(n, a) for n, a in (("main", MAIN), ("work", WORK), ("leaf", LEAF)))
ROUND_MARK = record(ROUND, b"")


def features(**wanted):
    """number: bytes; a table of sections, then their bytes"""
    return {int(k[1:]): v for k, v in wanted.items()}


def event_names(names, ids=None):
    out = struct.pack("<II", len(names), 112)
    for i, name in enumerate(names):
        own = (ids or {}).get(i, [])
        padded = text(name, 64)
        out += b"\0" * 112 + struct.pack("<II", len(own), len(padded)) + padded
        out += b"".join(struct.pack("<Q", n) for n in own)
    return out


def build_ids(*entries):
    out = b""
    for path, build_id, misc in entries:
        body = struct.pack("<i", -1) + build_id.ljust(24, b"\0") + text(path)
        out += struct.pack("<IHH", 0, misc, 8 + len(body)) + body
    return out


def in_file(attributes, data, more=None, ids=None, data_size=None, magic=b"PERFILE2"):
    entry = 112 + 16
    ids = ids or {}
    at = 104
    id_bytes = b""
    table = b""
    id_place = at + entry * len(attributes)
    for i, bits in enumerate(attributes):
        own = b"".join(struct.pack("<Q", n) for n in ids.get(i, []))
        table += bits + struct.pack("<QQ", id_place + len(id_bytes), len(own))
        id_bytes += own
    data_place = id_place + len(id_bytes)
    flags = [0, 0, 0, 0]
    behind = b""
    more = more or {}
    place = data_place + len(data) + 16 * len(more)
    sections = b""
    for number in sorted(more):
        flags[number // 64] |= 1 << number % 64
        behind += struct.pack("<QQ", place + len(sections), len(more[number]))
        sections += more[number]
    size = len(data) if data_size is None else data_size
    head = magic + struct.pack("<QQQQQQQQ", 104, entry, at, entry * len(attributes), data_place,
                               size, 0, 0) + struct.pack("<4Q", *flags)
    return head + table + id_bytes + data + behind + sections


def in_pipe(attributes, data, ids=None):
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for i, bits in enumerate(attributes):
        own = b"".join(struct.pack("<Q", n) for n in (ids or {}).get(i, []))
        out += record(ATTR, bits + own)
    return out + data


def raw_zstd(data, open_end=True):
    """a frame of one stored block; with an open end more blocks may follow"""
    block = (len(data) << 3 | (0 if open_end else 1)).to_bytes(3, "little")
    return block + data


ZSTD_HEAD = b"\x28\xb5\x2f\xfd" + b"\x00\x58"  # window of 2 MiB
BASIC = comm("app") + NAMES + sample([LEAF + 4, WORK + 8, MAIN + 12]) + sample([WORK], 101, 5)
E = [attribute(USUAL)]


def case_file():
    return in_file(E, BASIC, features(_12=event_names(["cycles:P"])))


def case_pipe():
    # bytes that are not records follow two of the records; an unknown record is skipped by its size
    odd = record(TRACING, struct.pack("<I", 13)) + b"tracing data\0\0\0\0"
    odd += record(AUXTRACE, struct.pack("<QQQIIII", 24, 0, 0, 0, 0, 0, 0)) + b"aux trace" + b"\xff" * 15
    odd += record(200, b"later") + record(40, b"of the kernel, later")
    odd += record(NAMESPACES, struct.pack("<iiQ", 7, 7, 0) + trailer(USUAL))
    odd += record(UPDATE, struct.pack("<QQ", 2, 77) + text("named"))
    return in_pipe(E, odd + BASIC, {0: [77]})


def case_order():
    # two CPUs' rings, one after the other; the name changes between their samples
    first = sample([WORK], 30) + sample([WORK], 50)
    second = sample([WORK], 10) + comm("renamed", time=40) + sample([WORK], 45)
    third = sample([WORK], 60)
    return in_file(E, comm("app") + NAMES + first + second + ROUND_MARK + third + ROUND_MARK)


def case_events():
    kind = USUAL | IDENTIFIER
    other = IP | TID | TIME | ADDR | IDENTIFIER | RAW
    data = comm("app", kind=kind)
    data += b"".join(ksymbol(n, a, kind=kind) for n, a in (("main", MAIN), ("work", WORK)))
    data += sample([WORK, MAIN], 50, 3, kind, ident=10)
    data += sample([MAIN], 60, 0, other, ident=20, behind=struct.pack("<I", 4) + b"args")
    data += sample([WORK], 70, 3, kind, ident=999)  # belongs to no event
    return in_file([attribute(kind), attribute(other, kind=2, config=5)], data,
                   features(_12=event_names(["first", "sys:second"])), {0: [10, 11], 1: [20]})


def case_group():
    # read format: value, id, lost for each; the period is the count since the last sample
    kind = USUAL | ID | READ
    shape = 1 << 3 | 1 << 2 | 1 << 4 | 1 << 0
    def values(*pairs):
        out = struct.pack("<QQ", len(pairs), 1000)
        return out + b"".join(struct.pack("<QQQ", v, i, 0) for v, i in pairs)
    data = comm("app", kind=kind) + b"".join(
        ksymbol(n, a, kind=kind) for n, a in (("main", MAIN), ("work", WORK)))
    data += sample([WORK, MAIN], 10, 1, kind, ident=1, values=values((100, 1), (7, 2)))
    data += sample([MAIN], 20, 1, kind, ident=1, values=values((150, 1), (7, 2)))
    data += sample([WORK], 30, 1, kind, ident=1, values=values((160, 1), (9, 2), (4, 3)))
    return in_file([attribute(kind, read_format=shape), attribute(kind, config=1, read_format=shape)],
                   data, features(_12=event_names(["leader", "member"])), {0: [1], 1: [2]})


def case_branches():
    kind = USUAL | BRANCH | REGS | STACK
    stack = struct.pack("<Q", 16) + b"\0" * 16 + struct.pack("<Q", 0)
    regs = struct.pack("<Q", 0)  # no registers: the sample is in the kernel
    two = struct.pack("<QQ", 2, 2**64 - 1) + struct.pack("<QQQ", 1, 2, 3) * 2
    data = comm("app", kind=kind) + b"".join(
        ksymbol(n, a, kind=kind) for n, a in (("main", MAIN), ("work", WORK)))
    data += sample([WORK, MAIN], 10, 4, kind, behind=two + regs + stack)
    return in_file([attribute(kind, branch=1 << 17 | 1, regs=3)], data)


def case_branches_cut():
    kind = USUAL | BRANCH
    huge = struct.pack("<Q", 2**61)
    return in_file([attribute(kind)], comm("app", kind=kind) + sample([WORK], 10, 4, kind, behind=huge))


def branch_stack(*calls):
    """from, to, flags of each, the latest first"""
    return struct.pack("<QQ", len(calls), 2**64 - 1) + b"".join(
        struct.pack("<QQQ", origin, target, 0) for origin, target in calls)


def case_lbr():
    # the branch stack, if there is one, has the user part of the chain
    kind = USUAL | BRANCH
    data = comm("app", kind=kind) + ksymbol("leaf", LEAF, kind=kind)
    for name, start in (("outer", 0x1000), ("middle", 0x2000), ("inner", 0x3000)):
        data += mmap2("/nowhere/" + name, start, 0x1000, kind=kind)
    calls = branch_stack((0x2010, 0x3000), (0x1010, 0x2000))
    data += sample([LEAF, CONTEXT_USER, 0x2020], 10, 4, kind, behind=calls)
    data += sample([CONTEXT_USER, 0x3020], 20, 1, kind, misc=IN_USER, behind=calls)
    data += sample([CONTEXT_USER, 0x2030], 30, 8, kind, misc=IN_USER, behind=branch_stack())
    data += sample([LEAF], 40, 16, kind, behind=calls)  # a kernel thread's
    return in_file([attribute(kind, branch=1 << 17 | 1 << 11 | 1)], data)


EVERYTHING = IDENTIFIER | 0x1FFFFFF & ~WEIGHT


def everything(time, counted, period, chain, registers=b"", behind=b""):
    """A sample with every part up to Linux 6.12 except WEIGHT, which WEIGHT_STRUCT excludes."""
    body = struct.pack("<QQiiQQQQQQ", 77, chain[0], 7, 7, time, 0xADD0, 77, 78, 1, 10 * period)
    body += struct.pack("<QQQQ", counted, 11, 77, 0)  # read: value, time enabled, id, lost
    body += struct.pack("<Q%dQ" % (len(chain) + 1), len(chain) + 1, CONTEXT_KERNEL, *chain)
    body += struct.pack("<I", 12) + b"raw raw raw!"
    body += struct.pack("<QQ", 1, 0) + struct.pack("<QQQ", 1, 2, 3) + struct.pack("<Q", 0x55)
    body += struct.pack("<QQQ", 2, 5, 6)  # registers of user space: form, two of them
    body += struct.pack("<Q", 8) + b"a stack!" + struct.pack("<Q", 0)
    body += struct.pack("<QQQ", 2**64 - 1, 2**64 - 1, 2**64 - 1)  # weights, data source, transaction
    body += registers or struct.pack("<QQ", 2, 9)  # registers at the interrupt
    body += struct.pack("<QQQQ", 1, 2, 3, 4)  # physical address, cgroup, page sizes
    body += behind or struct.pack("<Q", 16) + b"\xff" * 16  # AUX
    return record(SAMPLE, body, IN_KERNEL)


def in_everything(samples):
    # value and time enabled, id, lost; branch counters; registers 0 and 1, and 0
    bits = attribute(EVERYTHING, read_format=1 << 0 | 1 << 2 | 1 << 4, branch=1 << 19 | 1 << 17 | 1,
                     regs=3, interrupted=1)
    data = comm("app", kind=EVERYTHING, ident=77)
    data += b"".join(ksymbol(n, a, kind=EVERYTHING, ident=77)
                     for n, a in (("main", MAIN), ("work", WORK)))
    return in_file([bits], data + samples, None, {0: [77]})


def case_everything():
    return in_everything(everything(10, 3, 3, [WORK, MAIN]) + everything(20, 8, 5, [MAIN]))


def case_aux_cut():
    return in_everything(everything(10, 3, 3, [WORK, MAIN], behind=struct.pack("<Q", 2**63)))


def case_registers_cut():
    return in_everything(everything(10, 3, 3, [WORK, MAIN], registers=struct.pack("<Q", 2),
                                    behind=b" "))


PROBE = 1234  # the tracepoint's number
ENTRY, CALLER = 0x3010, 0x2020


def tracing_data(events):
    """What perf copies out of tracefs: the events' formats by group"""
    def counted(data):
        return struct.pack("<Q", len(data)) + data
    out = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    out += b"header_page\0" + counted(b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n")
    out += b"header_event\0" + counted(b"# compressed entry header\n")
    out += struct.pack("<I", 1) + counted(b"name: function\nID: 1\nformat:\n")
    out += struct.pack("<I", len(events))
    for group, formats in events.items():
        out += text(group, 1) + struct.pack("<I", len(formats))
        out += b"".join(counted(form.encode()) for form in formats)
    return out + struct.pack("<IIQ", 0, 0, 0)  # addresses, formats of printk, names of threads


def probe_format(name, number, kernel="kernel"):
    fields = (("unsigned short", "common_type", 0, 2), ("unsigned char", "common_flags", 2, 1),
              ("unsigned char", "common_preempt_count", 3, 1), ("int", "common_pid", 4, 4),
              ("unsigned long", "__probe_ip", 8, 8), ("__data_loc char[]", kernel, 16, 4),
              ("u64", "caller", 20, 8))
    out = f"name: {name}\nID: {number}\nformat:\n"
    for kind, field, offset, size in fields:
        out += f"\tfield:{kind} {field};\toffset:{offset};\tsize:{size};\tsigned:0;\n"
        out += "\n" if field == "common_pid" else ""
    return out + f'\nprint fmt: "(%lx) {kernel}=\\"%s\\"", REC->__probe_ip, __get_str({kernel})\n'


def launch(kernel, time, pid=7, caller=CALLER, chain=(ENTRY, 0x1010), kind=USUAL | RAW, place=28):
    name = kernel.encode() + b"\0"
    raw = struct.pack("<HBBiQIQ", PROBE, 0, 0, pid, ENTRY, len(name) << 16 | place, caller) + name
    raw += b"\0" * (-(len(raw) + 4) % 8)
    return sample([CONTEXT_USER, *chain], time, 1, kind, pid=pid, misc=IN_USER,
                  behind=struct.pack("<I", len(raw)) + raw)


def launches(clock, kernel="kernel"):
    kind = USUAL | RAW
    data = comm("app", kind=kind) + comm("other", 8, kind=kind)
    for pid in (7, 8):
        for name, start in (("main", 0x1000), ("caller", 0x2000), ("api", 0x3000)):
            data += mmap2("/nowhere/" + name, start, 0x1000, pid=pid, kind=kind)
    data += launch("first", 1_000_000_000)  # the chain lacks the caller
    data += launch("first", 1_005_000_000, caller=0x1010)  # this chain has it
    data += launch("second", 1_012_000_000, caller=0x2040)
    data += launch("first", 1_013_000_000, pid=8)
    data += launch("", 1_021_000_000, place=60000)  # points outside of the sample
    bits = attribute(kind, kind=2, config=PROBE, flags=1 << 25 if clock else 0, clock=clock or 0)
    form = tracing_data({"aiflame_launch": [probe_format("made", PROBE, kernel)]})
    return [bits], data, form


def case_launches():
    attributes, data, form = launches(1)
    return in_file(attributes, data, {1: form, 12: event_names(["aiflame_launch:made"])})


def case_launches_pipe():
    attributes, data, form = launches(1, "name")
    padded = form + b"\0" * (-len(form) % 8)
    formats = record(TRACING, struct.pack("<I", len(form))) + padded
    named = record(UPDATE, struct.pack("<QQ", 2, 77) + text("aiflame_launch:made"))
    return in_pipe(attributes, formats + named + data, {0: [77]})


def case_launches_timeless():
    attributes, data, form = launches(None)
    return in_file(attributes, data, {1: form, 12: event_names(["aiflame_launch:made"])})


def case_launches_formless():
    attributes, data, _ = launches(1)
    return in_file(attributes, data, {1: b"no tracing data", 12: event_names(["aiflame_launch:made"])})


def case_records():
    # every other record of perf 6.12 and Linux 6.12, before, between and after the samples
    odd = b""
    for kind in (4, 5, 6, 8, 11, 12, 14, 15, 16, 18, 19, 20, 21, 22, 69, 70, 72, 73, 74, 75, 76, 77,
                 79, 82, 84):
        odd += record(kind, struct.pack("<QQ", 7 << 32 | 7, 2**64 - 1) * 2 + trailer(USUAL))
    return in_file(E, odd + comm("app") + NAMES + sample([LEAF, WORK, MAIN]) + odd +
                   sample([WORK], 101, 5) + odd)


def case_dwarf():
    kind = USUAL | REGS | STACK
    stack = struct.pack("<Q", 16) + b"\0" * 16 + struct.pack("<Q", 16)
    regs = struct.pack("<QQQ", 2, 0, 0)
    return in_file([attribute(kind, regs=3)], comm("app", kind=kind) +
                   sample([WORK], 10, 4, kind, behind=regs + stack))


def case_unwound():
    # for the sweep: a copied stack that leads nowhere, in a program that exists
    kind = USUAL | REGS | STACK
    mask = 0xFF0FFF
    path = os.path.realpath("/bin/sh")
    with open(path, "rb") as program:
        entry = struct.unpack_from("<Q", program.read(64), 24)[0]
    words = [0] * 20
    words[7], words[6], words[8] = 0x7FFF0000, 0x7FFF0040, 0x10000000 + entry  # sp, bp, ip
    dump = b"".join(struct.pack("<Q", w) for w in (0x10000000 + entry + 16, 0x7FFF0060, 1, 2) * 8)
    behind = struct.pack("<Q20Q", 2, *words) + struct.pack("<Q", len(dump)) + dump
    behind += struct.pack("<Q", len(dump))
    data = comm("app", kind=kind) + mmap2(path, 0x10000000, 0x100000, kind=kind)
    data += sample([WORK], 10, 4, kind, behind=behind)
    return in_file([attribute(kind, regs=mask)], data)


def case_lost():
    lost = record(LOST, struct.pack("<QQ", 0, 12) + trailer(USUAL, 5))
    lost += record(LOST_SAMPLES, struct.pack("<Q", 3) + trailer(USUAL, 6))
    return in_file(E, BASIC + lost)


def user_sample(address, time, pid=7, tid=None):
    chain = [CONTEXT_USER, address]
    return sample(chain, time, 1, pid=pid, tid=tid, misc=IN_USER)


def case_maps():
    data = comm("app") + mmap2("/nowhere/wide", 0x1000, 0x9000)
    data += mmap("/nowhere/old-style", 0x20000, 0x1000)
    data += mmap2("/nowhere/inside", 0x3000, 0x1000, time=20, build_id=b"\x12\x34" * 10)
    data += mmap2("//anon", 0x40000, 0x1000, pid=7)
    for address, time in ((0x3800, 10), (0x3800, 30), (0x2fff, 31), (0x4000, 32), (0x20010, 33),
                          (0x40010, 34), (0x999999, 35)):
        data += user_sample(address, time)
    return in_file(E, data)


def case_processes():
    data = comm("parent") + mmap2("/nowhere/parent", 0x1000, 0x1000)
    data += fork(8, 7, time=10) + user_sample(0x1010, 11, 8)  # has its parent's maps and name
    data += fork(7, 7, tid=9, parent_tid=7, time=12) + user_sample(0x1010, 13, 7, 9)
    data += comm("thread", 7, 9, time=14) + user_sample(0x1010, 15, 7, 9)
    data += comm("execed", 8, time=20, misc=1 << 13)
    data += mmap2("/nowhere/child", 0x1000, 0x1000, pid=8, time=21) + user_sample(0x1010, 22, 8)
    data += user_sample(0x1010, 23, 7)  # the child has not changed these
    data += record(EXIT, struct.pack("<iiiiQ", 8, 7, 8, 7, 30) + trailer(USUAL, 30))
    data += fork(8, 7, time=40) + user_sample(0x1010, 41, 8)  # the id is used again
    data += user_sample(0x1010, 50, 31337)
    return in_file(E, data)


def case_many_processes():
    # children of a process of 500 mappings, each with one more: some live on, some end
    data = comm("parent") + b"".join(mmap2("/nowhere/%d" % i, i << 20, 1 << 20) for i in range(500))
    parts = [data]
    for child in range(40000):
        pid, time = 1000 + child, 10 + 10 * child
        data = fork(pid, 7, time=time) + mmap2("/nowhere/own", 1 << 40, 1 << 20, pid=pid, time=time + 1)
        data += user_sample(1 << 20, time + 2, pid) + user_sample((1 << 40) + 8, time + 3, pid)
        if child % 2 == 0:
            data += record(EXIT, struct.pack("<iiiiQ", pid, 7, pid, 7, time + 4) +
                           trailer(USUAL, time + 4))
        if child % 100 == 0:
            data += ROUND_MARK
        parts.append(data)
    return in_pipe(E, b"".join(parts))


def case_many_rounds():
    # 512 MiB of samples with as many bytes of arguments as fit, sorted one round at a time
    kind = USUAL | RAW
    data = comm("app", kind=kind) + b"".join(
        ksymbol(n, a, kind=kind) for n, a in (("main", MAIN), ("work", WORK)))
    sys.stdout.buffer.write(in_pipe([attribute(kind)], data))
    arguments = struct.pack("<I", 65004) + b"x" * 65004
    for turn in range(128):
        for number in range(64):
            time = 100 + 1000 * turn + (number ^ 1)  # pairs are in the wrong order
            sys.stdout.buffer.write(sample([WORK, MAIN], time, 1, kind, behind=arguments))
        sys.stdout.buffer.write(ROUND_MARK)
    return b""


def case_long():
    # 12 MiB of records of all lengths up to the longest, with bytes for another reader between
    # them, so that each block that a reader takes ends at another place of a record. Each counts 1.
    kind = USUAL | RAW
    parts = [comm("app", kind=kind), ksymbol("main", MAIN, kind=kind)]
    for number in range(400):
        size = 65460 if number % 7 == 0 else number * 4099 % 65456 // 8 * 8 + 4
        behind = struct.pack("<I", size) + bytes([number % 251]) * size
        parts.append(sample([MAIN], 100 + number, 1, kind, behind=behind))
        if number % 50 == 25:
            aux = struct.pack("<QQQIIII", 200000, 0, 0, 0, 0, 0, 0)
            parts.append(record(AUXTRACE, aux) + b"A" * 200000)
    return in_file([attribute(kind)], b"".join(parts))


def case_ksymbols():
    data = comm("app") + ksymbol("bpf_prog_1", WORK, 0x100)
    data += sample([WORK + 0x10], 10) + ksymbol("bpf_prog_1", WORK, 0x100, flags=1, time=20)
    data += sample([WORK + 0x10], 30)
    return in_file(E, data)


def text_feature(string):
    padded = text(string, 64)
    return struct.pack("<I", len(padded)) + padded


def kernel_start():
    """where this machine's kernel begins, as far as it is told"""
    with open("/proc/kallsyms") as symbols:
        for line in symbols:
            address, _, name = line.split()[:3]
            if name == "_text":
                return int(address, 16) or 0xFFFFFFFF81000000
    return 0xFFFFFFFF81000000


def of_kernel(release, architecture):
    """a sample in a kernel without a build id"""
    start = kernel_start()
    data = mmap("[kernel.kallsyms]_text", start, 1 << 24, start, pid=-1, misc=IN_KERNEL)
    data += mmap2("[vdso]", 0x7F0000000000, 0x2000) + comm("app") + sample([start + 0x10])
    return in_file(E, data, features(_4=text_feature(release), _6=text_feature(architecture)))


def case_own_kernel():
    return of_kernel(os.uname().release, os.uname().machine)


def case_other_release():
    return of_kernel("5.4.0-other", os.uname().machine)


def case_other_architecture():
    return of_kernel(os.uname().release, "aarch64" if os.uname().machine != "aarch64" else "x86_64")


# Code of AArch64: tests/data/aarch64, mapped at CODE. Where calls return to, and places inside.
CODE, VDSO = 0x10000000, 0x20000000
ARM_LEAF, IN_THROUGH, TO_THROUGH = CODE + 0x414, CODE + 0x434, CODE + 0x440
TO_SIGNED, TO_ROOM = CODE + 0x494, CODE + 0x470


def on_arm(kind, regs, data):
    path = os.path.join(os.environ["AIFLAME_ROOT"], "tests/data/aarch64/frames.so")
    maps = mmap2(path, CODE, 0x1000, kind=kind) + mmap2("[vdso]", VDSO, 0x1000, kind=kind)
    return in_file([attribute(kind, regs=regs)], comm("app", kind=kind) + maps + data,
                   features(_4=text_feature("6.1.0-50-arm64"), _6=text_feature("aarch64")))


def case_arm_leaf():
    # perf record -g there: the chain by frame pointers lacks a leaf's caller, which x30 has
    kind = USUAL | REGS
    def hit(chain, link, period):
        return sample([CONTEXT_USER] + chain, 10, period, kind, misc=IN_USER,
                      behind=struct.pack("<QQ", 2, link))
    data = hit([ARM_LEAF, TO_ROOM], TO_THROUGH | 0xA5 << 48, 4)
    data += hit([ARM_LEAF, TO_THROUGH, TO_ROOM], TO_THROUGH, 1)  # the chain has it
    data += hit([IN_THROUGH, TO_ROOM], CODE + 0x434, 2)  # has saved x30, and changed it since
    data += hit([VDSO + 16, TO_ROOM], TO_THROUGH, 8)  # nothing is known of the code there
    data += hit([CODE + 0x404, TO_ROOM], TO_THROUGH, 16)  # in .plt, which has no tables
    return on_arm(kind, 1 << 30, data)


def case_arm_stacks():
    # perf record --call-graph dwarf: a leaf, a signed return address, a signal's handler, a leaf
    kind = USUAL | REGS | STACK
    start = 0x7FFF0000
    words = {0: start + 32, 8: TO_SIGNED | 0xA5 << 48, 32: start + 112, 40: TO_ROOM, 120: VDSO + 8}
    saved = 128 + 128 + 176 + 8  # x0, in what the kernel puts on the stack for a handler
    words.update({saved + 30 * 8: TO_THROUGH, saved + 31 * 8: start + 2048, saved + 32 * 8: ARM_LEAF})
    stack = bytearray(4096)
    for at, word in words.items():
        struct.pack_into("<Q", stack, at, word)
    registers = [0] * 29 + [start, TO_THROUGH, start, ARM_LEAF]
    behind = struct.pack("<Q33QQ", 2, *registers, len(stack)) + stack + struct.pack("<Q", len(stack))
    return on_arm(kind, (1 << 33) - 1, sample([CONTEXT_USER], 10, 4, kind, misc=IN_USER, behind=behind))


def case_contexts():
    data = comm("app") + NAMES + sample([LEAF, CONTEXT_USER, 0x10, CONTEXT_KERNEL, MAIN], 10)
    data += sample([LEAF, 2**64 - 640, WORK], 20)  # a context that this reader does not know
    data += sample([LEAF], 30, misc=IN_GUEST)
    return in_file(E, data)


def case_old():
    # an attribute of the first version's size, without times or ids after records
    old = struct.pack("<IIQQQQQ", 1, 0, 1, 1000, IP | TID, 0, 0).ljust(64, b"\0")
    data = record(COMM, struct.pack("<ii", 7, 7) + text("old"))
    data += record(MMAP, struct.pack("<iiQQQ", 7, 7, 0x1000, 0x1000, 0) + text("/nowhere/old"), IN_USER)
    data += record(SAMPLE, struct.pack("<Qii", 0x1010, 7, 7), IN_USER)
    entry = 64 + 16
    place = 104 + entry
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, entry, 104, entry, place, len(data), 0, 0)
    return head + b"\0" * 32 + old + struct.pack("<QQ", place, 0) + data


def case_unfinished():
    return in_file(E, BASIC, data_size=0)


def case_compressed():
    half = len(BASIC) // 2 + 3  # in the middle of a record
    data = record(COMPRESSED, ZSTD_HEAD + raw_zstd(BASIC[:half]))
    second = raw_zstd(BASIC[half:], False)
    data += record(COMPRESSED2, struct.pack("<Q", len(second)) + second + b"\0" * 5)
    return in_file(E, data)


def case_compressed_twice():
    inner = record(COMPRESSED, ZSTD_HEAD + raw_zstd(BASIC))
    return in_file(E, record(COMPRESSED, ZSTD_HEAD + raw_zstd(inner)))


def case_other_order():
    return in_file(E, BASIC, magic=b"2ELIFREP")


def case_first_version():
    return in_file(E, BASIC, magic=b"PERFFILE")


def case_short_record():
    return in_file(E, BASIC + struct.pack("<IHH", COMM, 0, 3) + BASIC)


def piped(data):
    """a file's events and records in the form of a pipe, without its first 16 bytes"""
    words = struct.unpack_from("<8Q", data, 8)
    entry, at, size, begin, length = words[1], words[2], words[3], words[4], words[5]
    out = b""
    for place in range(at, at + size, entry):
        ids, bytes_of_ids = struct.unpack_from("<QQ", data, place + entry - 16)
        out += record(ATTR, data[place:place + entry - 16] + data[ids:ids + bytes_of_ids])
    return out + (data[begin:begin + length] if length else data[begin:])


CASES = {n[5:].replace("_", "-"): f for n, f in globals().items() if n.startswith("case_")}


def sweep(program, positions, files):
    """Every prefix, and one byte changed at a time: status 0, or a failure's status, one message
    that names the input, and nothing on standard output."""
    random.seed(1)
    command = shlex.split(program)
    begin = os.path.basename(command[0]) + ": "
    failure = 125 if begin.startswith("gpustall-record") else 1  # of a recorder, not its command
    bad = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x")

        def run(data, what):
            nonlocal bad, runs
            runs += 1
            with open(path, "wb") as out:
                out.write(data)
            done = subprocess.run(command + [path], capture_output=True, timeout=60)
            said = done.stderr.decode(errors="replace")
            messages = [line for line in said.splitlines() if not line.startswith(begin + "warning: ")]
            named = len(messages) == 1 and messages[0].startswith(begin) and (path in messages[0] or not data)
            fine = done.returncode == 0 or (done.returncode == failure and named and
                                            not done.stdout)
            if not fine or "internal" in said or "Sanitizer" in said:
                bad += 1
                print(f"{what}: status {done.returncode}: {said[:2000]}")

        inputs = {name: CASES[name]() for name in
                  (() if files else ("file", "pipe", "group", "compressed", "unwound", "lbr",
                                      "everything", "launches", "launches-pipe"))}
        for file in files:
            with open(file, "rb") as source:
                inputs[file] = source.read()
        for name, data in inputs.items():
            step = max(1, len(data) // positions)
            for cut in range(0, len(data), 1 if name == "file" else step):
                run(data[:cut], f"{name} cut at {cut}")
            for at in range(0, len(data), step):
                for value in (0, 0xFF, data[at] ^ 1 << random.randrange(8)):
                    run(data[:at] + bytes([value]) + data[at + 1:], f"{name} byte {at} is {value}")
            for at in range(0, len(data) - 8, max(8, step)):
                huge = struct.pack("<Q", random.choice((2**64 - 1, 2**63, 2**40, 2**32)))
                run(data[:at] + huge + data[at + 8:], f"{name} huge at {at}")
    print(f"{runs} runs, {bad} bad")
    return bad == 0


if __name__ == "__main__":
    if len(sys.argv) >= 4 and sys.argv[1] == "sweep":
        sys.exit(not sweep(sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
    if sys.argv[1] == "list":
        print("\n".join(CASES))
    elif sys.argv[1] == "piped":
        sys.stdout.buffer.write(piped(CASES[sys.argv[2]]()))
    else:
        sys.stdout.buffer.write(CASES[sys.argv[1]]())
