#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bombs.py make NAME DIRECTORY: writes an input that is small, or mostly a hole, and asks its reader
for gigabytes or minutes. Prints the arguments of the program that reads it, as a shell would.
bombs.py list: prints the names.
bombs.py run MEGABYTES SECONDS COMMAND...: runs a command and prints on standard error what it took
(peak memory, seconds); exit status 99 where that is more, 98 where a signal ended it. Anonymous
memory counts; pages of files that the command maps do not: the system takes them back at will."""
import os
import random
import resource
import shlex
import signal
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recorded"))
import perf_data as p  # noqa: E402
import sqlite_export  # noqa: E402


def zstd(data):
    return subprocess.run(["zstd", "-q", "-3", "--long=27", "-c"], input=data,
                          stdout=subprocess.PIPE, check=True).stdout


def compressed(stream):
    """records that hold a zstd stream"""
    out = b""
    for at in range(0, len(stream), 65000):
        out += p.record(p.COMPRESSED, stream[at:at + 65000])
    return out


def repeated(unit, total):
    return unit * (total // len(unit))


def write(directory, name, data):
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def perf_data(directory, data):
    return ["stackcollapse-aiflame", write(directory, "perf.data", data)]


# ---- perf.data ---------------------------------------------------------------------------------

def build_id_record(path):
    body = struct.pack("<i", -1) + b"\x11" * 24 + path
    return p.record(p.BUILD_ID, body, p.IN_USER)


def bomb_build_ids(directory):
    """compressed records: build ids of three million files"""
    one = repeated(build_id_record(b"/\0\0\0\0\0\0\0"), 128 << 20)
    return perf_data(directory, p.in_pipe(p.E, p.BASIC + compressed(zstd(one))))


def bomb_build_id_paths(directory):
    """compressed records: build ids of 3000 files with paths of 64 kB"""
    unit = b"".join(build_id_record(b"/%05d" % i + b"x" * 64000 + b"\0\0") for i in range(3000))
    return perf_data(directory, p.in_pipe(p.E, p.BASIC + compressed(zstd(unit))))


def bomb_samples(directory):
    """compressed records: 600 MiB of samples, none of which may be delivered before the last"""
    chain = [p.LEAF + 4] * 7000
    unit = p.sample(chain, time=1 << 40)
    return perf_data(directory,
                     p.in_pipe(p.E, p.BASIC + compressed(zstd(repeated(unit, 600 << 20)))))


def bomb_small_records(directory):
    """compressed records: eight million of the smallest that have a time"""
    kind = p.TIME
    unit = p.record(p.SAMPLE, struct.pack("<Q", 1 << 40), p.IN_USER)
    return perf_data(directory, p.in_pipe([p.attribute(kind)],
                                          compressed(zstd(repeated(unit, 128 << 20)))))


def bomb_processes(directory):
    """compressed records: a million and a half processes, none of which ends"""
    unit = b"".join(p.record(p.COMM, struct.pack("<ii", pid, pid) + b"a\0\0\0\0\0\0\0")
                    for pid in range(10, 1_500_000))
    return perf_data(directory, p.in_pipe([p.attribute(p.IP)], compressed(zstd(unit))))


def bomb_mapped_files(directory):
    """compressed records: 4000 mapped files with paths of 64 kB"""
    kind = p.IP
    unit = b"".join(p.mmap("/%05d" % i + "x" * 64000, 0x1000, 0x1000, kind=kind) for i in range(4000))
    return perf_data(directory, p.in_pipe([p.attribute(kind)], compressed(zstd(unit))))


def bomb_forks(directory):
    """each of 3000 children maps one file, and gets a copy of all that its parent mapped"""
    kind = p.IP
    out = [p.mmap("/a", i << 12, 0x1000, pid=7, kind=kind) for i in range(24000)]
    out.append(p.fork(8, 7, kind=kind))
    out += [p.mmap("/b", i << 13, 0x1000, pid=7, kind=kind) for i in range(11900)]
    for pid in range(100, 3100):
        out.append(p.fork(pid, 7, kind=kind))
        out.append(p.mmap("/c", 0x1000, 0x1000, pid=pid, kind=kind))
    return perf_data(directory, p.in_pipe([p.attribute(kind)], b"".join(out)))


def sparse_file(directory, head, size):
    path = write(directory, "perf.data", head)
    os.truncate(path, size)
    return ["stackcollapse-aiflame", path]


def bomb_sparse_attributes(directory):
    """a file of 256 MiB, a hole, that claims to hold two million events"""
    size = 256 << 20
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 128, 1 << 20, size - (1 << 21), 1 << 20, 8,
                                     0, 0)
    return sparse_file(directory, head + bytes(32), size)


def bomb_sparse_features(directory):
    """a file with 255 features of 256 MiB each, all of them the same hole"""
    feature = struct.pack("<QQ", 8192, 256 << 20)
    table = p.attribute(p.USUAL) + struct.pack("<QQ", 0, 0)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 128, 104, 128, 232, 8, 0, 0)
    head += struct.pack("<4Q", *[2**64 - 2] + [2**64 - 1] * 3)
    return sparse_file(directory, head + table + p.record(p.ROUND, b"") + feature * 255, 257 << 20)


# ---- objects -----------------------------------------------------------------------------------

PROGBITS, SYMTAB, STRTAB, NOTE, NOBITS, DYNSYM = 1, 2, 3, 7, 8, 11
CODE = 0x1000


class Object:
    """an ELF object of x86-64 with a segment and sections anywhere"""

    def __init__(self, machine=62, segment=True, relocatable=False):
        self.names, self.sections = b"\0", [bytes(64)]
        self.machine, self.segment, self.relocatable = machine, segment, relocatable
        self.body = b""
        self.begin = 64 + (56 if segment else 0)
        self.add(".text", NOBITS, size=1 << 20, offset=0, flags=6)

    def add(self, name, kind, data=b"", offset=None, size=None, link=0, entry=0, flags=0, address=0,
            info=0):
        at = len(self.names)
        self.names += name.encode() + b"\0"
        if offset is None:
            offset = self.begin + len(self.body)
            self.body += data
        self.sections.append(struct.pack("<IIQQQQIIQQ", at, kind, flags, address, offset,
                                         len(data) if size is None else size, link, info, 1, entry))

    def bytes(self, count=None, sections_at=None):
        self.add(".shstrtab", STRTAB, b"")
        self.sections[-1] = struct.pack("<IIQQQQIIQQ", self.names.index(b".shstrtab"), STRTAB, 0, 0,
                                        self.begin + len(self.body), len(self.names), 0, 0, 1, 0)
        at = self.begin + len(self.body) + len(self.names)
        head = b"\x7fELF\x02\x01\x01" + bytes(9)
        head += struct.pack("<HHIQQQIHHHHHH", 1 if self.relocatable else 3, self.machine, 1, 0,
                            64 if self.segment else 0, at if sections_at is None else sections_at, 0,
                            64, 56, 1 if self.segment else 0, 64,
                            len(self.sections) if count is None else count,
                            len(self.sections) - 1)
        if self.segment:
            head += struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 1 << 20, 1 << 20, 4096)
        return head + self.body + self.names + b"".join(self.sections)


def mapped(directory, elf, *more, size=None, places=(CODE,), dwarf=b""):
    """a perf.data with samples in an object"""
    path = write(directory, "object", elf)
    if size is not None:
        os.truncate(path, size)
    data = p.comm("app") + p.mmap(path, 0x400000, 1 << 20)
    for number, place in enumerate(places):
        chain = [p.CONTEXT_USER, 0x400000 + place]
        head = struct.pack("<QiiQQ", 0x400000 + place, 7, 7, 100 + number, 1)
        data += p.record(p.SAMPLE, head + struct.pack("<3Q", 2, *chain), p.IN_USER)
    return ["stackcollapse-aiflame", *more, write(directory, "perf.data", p.in_file(p.E, data))]


def holes(directory, *sections, size=(1 << 30) // 24 * 24):
    elf = Object()
    for name, kind, link, entry in sections:
        elf.add(name, kind, offset=1 << 20, size=size, link=link, entry=entry)
    return mapped(directory, elf.bytes(), size=(1 << 20) + size)


def bomb_sparse_symbols(directory):
    """a symbol table of 1 GiB that is a hole"""
    return holes(directory, (".symtab", SYMTAB, 3, 24), (".strtab", STRTAB, 0, 0))


def bomb_sparse_both_tables(directory):
    """two symbol tables of 1 GiB and their names, all in the same hole"""
    return holes(directory, (".symtab", SYMTAB, 3, 24), (".strtab", STRTAB, 0, 0),
                 (".dynsym", DYNSYM, 5, 24), (".dynstr", STRTAB, 0, 0))


def bomb_sparse_names(directory):
    """section names in a hole of 2 GiB"""
    elf = Object()
    elf.add(".symtab", SYMTAB, offset=1 << 20, size=24, link=1, entry=24)
    data = bytearray(elf.bytes())
    data[-64:] = struct.pack("<IIQQQQIIQQ", 0, STRTAB, 0, 0, 0, 2 << 30, 0, 0, 1, 0)
    return mapped(directory, bytes(data), size=2 << 30)


def bomb_sections(directory):
    """sixteen million sections, whose headers are a hole"""
    size = 1 << 30
    elf = Object()
    head = bytearray(elf.bytes(count=0, sections_at=4096))
    first = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, (size - 4096) // 64, 0, 0, 0, 0)
    return mapped(directory, bytes(head).ljust(4096, b"\0") + first, size=size)


def bomb_notes(directory):
    """three thousand notes, each of which is the whole file of 1 MB"""
    elf = Object()
    body = struct.pack("<III", 4, 4, 99) + b"abc\0abcd"
    elf.body = body * 40000
    for _ in range(3000):
        elf.add(".note", NOTE, offset=elf.begin, size=len(elf.body))
    return mapped(directory, elf.bytes())


def leb(number):
    out = b""
    while True:
        byte = number & 0x7F
        number >>= 7
        out += bytes([byte | (0x80 if number else 0)])
        if not number:
            return out


def section_of_zlib(data):
    return struct.pack("<IIQQ", 1, 0, len(data), 1) + zlib.compress(data, 9)


def abbreviation(*attributes, tag=0x11, number=1, children=0):
    out = leb(number) + leb(tag) + bytes([children])
    for name, form in attributes:
        out += leb(name) + leb(form)
    return out + b"\0\0"


def unit(body, abbreviations=0):
    body = struct.pack("<HIB", 4, abbreviations, 8) + body
    return struct.pack("<I", len(body)) + body


def line_unit(program):
    header = bytes([1, 1, 1, 0xFB, 14, 13]) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
    header += b"\0" + b"a.c\0\0\0\0" + b"\0"
    body = struct.pack("<HI", 4, len(header)) + header + program
    return struct.pack("<I", len(body)) + body


def with_debug(directory, info, abbreviations, more=(), arguments=("--inline",), compress=(),
               places=(CODE,)):
    elf = Object()
    for name, data in ((".debug_info", info), (".debug_abbrev", abbreviations), *more):
        if name in compress:
            elf.add(name, PROGBITS, section_of_zlib(data), flags=1 << 11)
        else:
            elf.add(name, PROGBITS, data)
    elf.add(".symtab", SYMTAB, bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, 1 << 20),
            link=len(elf.sections) + 1, entry=24)
    elf.add(".strtab", STRTAB, b"\0f\0")
    return mapped(directory, elf.bytes(), *arguments, places=places)


WITH_LINES = abbreviation((0x10, 0x17), (0x11, 0x01), (0x12, 0x06)) + b"\0"  # stmt_list, low, high
UNIT_WITH_LINES = unit(b"\1" + struct.pack("<IQI", 0, 1, 1 << 20))


def bomb_line_table(directory):
    """a line table of 30 million rows, in 30 kB of zlib"""
    rows = b"\0\x09\x02" + struct.pack("<Q", 1) + b"\x0e" * (30 << 20) + b"\0\1\1"
    return with_debug(directory, UNIT_WITH_LINES, WITH_LINES, [(".debug_line", line_unit(rows))],
                      ("--inline", "--context"), (".debug_line",))


def bomb_line_files(directory):
    """a line table of six million files, in 30 kB of zlib"""
    header = bytes([1, 1, 1, 0xFB, 14, 13]) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
    header += b"\0" + b"a\0\0\0\0" * (6 << 20) + b"\0"
    body = struct.pack("<HI", 4, len(header)) + header
    return with_debug(directory, UNIT_WITH_LINES, WITH_LINES,
                      [(".debug_line", struct.pack("<I", len(body)) + body)],
                      ("--inline", "--context"), (".debug_line",))


def bomb_abbreviations(directory):
    """six million abbreviations, in 60 kB of zlib; the entry uses the last"""
    many = b"".join(abbreviation(tag=0x2E, number=i) for i in range(1, 3_000_000))
    return with_debug(directory, unit(leb(2_999_999) + b"\0"), many + b"\0", (), ("--inline",),
                      (".debug_abbrev",))


def bomb_attributes(directory):
    """twenty thousand units, each with the same abbreviation of half a million attributes"""
    attributes = abbreviation((0x11, 0x01), (0x12, 0x06), *[(0x3F, 0x19)] * 500_000, tag=0x2E) + b"\0"
    return with_debug(directory, unit(b"\1" + struct.pack("<QI", 1, 1 << 20)) * 20000, attributes)


def bomb_register(directory):
    """unwind tables with a rule for register 90 million, of which a table would take gigabytes"""
    body = struct.pack("<IB", 0xFFFFFFFF, 4) + b"\0" + bytes([8, 0]) + leb(1) + leb(0x78) + leb(16)
    body += b"\x0c" + leb(7) + leb(8) + b"\x90" + leb(1) + b"\x05" + leb(90_000_000) + leb(1)
    body += bytes(-len(body) % 8 + 4)
    cie = struct.pack("<I", len(body)) + body
    fde = struct.pack("<IQQ", 0, 0, 1 << 20) + b"\0\0\0\0"
    elf = Object()
    elf.add(".debug_frame", PROGBITS, cie + struct.pack("<I", len(fde)) + fde)
    elf.add(".symtab", SYMTAB, bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0, 1 << 20),
            link=4, entry=24)
    elf.add(".strtab", STRTAB, b"\0f\0")
    path = write(directory, "object", elf.bytes())
    mask = 0xFF01FF
    kind = p.USUAL | p.REGS | p.STACK
    words = struct.pack("<Q", 2)
    for number in range(17):
        words += struct.pack("<Q", 0x400000 + CODE if number == 8 else 0x7FFF0000)
    words += struct.pack("<Q", 64) + bytes(64) + struct.pack("<Q", 64)
    head = struct.pack("<QiiQQQQ", 0x400000 + CODE, 7, 7, 100, 1, 1, p.CONTEXT_USER)
    data = p.comm("app", kind=kind) + p.mmap(path, 0x400000, 1 << 20, kind=kind)
    data += p.record(p.SAMPLE, head + words, p.IN_USER)
    return perf_data(directory, p.in_file([p.attribute(kind, regs=mask)], data))


# ---- text --------------------------------------------------------------------------------------

def bomb_launches(directory):
    """a slice in which 8000 launches share the samples of 1000 instructions"""
    out = ["# gpustall 1\n# device 0 : xe, a GPU, 0000:03:00.0, period 251 cycles\n"]
    for number in range(1, 8001):
        out.append("# launch %d\n\na 1/1 [000]  1.000000000:          1 gpu-launch: \n"
                   "\t               0 k ([kernel])\n\t             %x f%d+0x0 (/a)\n\n"
                   % (number, number, number))
    out.append("# slice 1.000000000 1.010000000\n")
    out += ["# launched %d 1 -\n" % number for number in range(1, 8001)]
    out.append("# launch ?\n\n")
    for number in range(1000):
        out.append("a 1/1 [000]  1.010000000:     7999 gpu-stall: \n\t               0 r ([stall])\n"
                   "\t               0 k+0x%x ([kernel])\n\n" % (number * 16))
    out.append("# end samples 7999000 launches 8000 lost 0\n\n")
    return ["stackcollapse-aiflame", write(directory, "recording", "".join(out).encode())]


def folded(directory, program, data, *more):
    return [program, *more, write(directory, "folded", data)]


DEEP = b";".join(b"%x" % i for i in range(1_000_000)) + b" 1\n"


def bomb_deep_svg(directory):
    """a stack of a million frames"""
    return folded(directory, "aiflame-svg", DEEP)


def bomb_deep_report(directory):
    """the same"""
    return folded(directory, "aiflame-report", DEEP)


def bomb_deep_diff(directory):
    """the same on both sides"""
    return folded(directory, "aiflame-diff", DEEP, write(directory, "before", DEEP))


def bomb_prefixes(directory):
    """two thousand stacks, each one frame deeper than the one before"""
    return folded(directory, "aiflame-svg",
                  b"".join(b"a;" * depth + b"b 1\n" for depth in range(2000)))


def bomb_long_names(directory):
    """zstd: 400 functions, of names of a megabyte that differ at the end"""
    names = b"".join(b"a" * (1 << 20) + b"%d 1\n" % i for i in range(400))
    return folded(directory, "aiflame-svg", zstd(names))


def many_names(line, count=1100):
    """330 kB of zstd, which hold a gigabyte of names; `line` has a place for each"""
    digits = random.Random(7)
    names = (b"n" * (1 << 20) + b"%0500x" % digits.getrandbits(2000) for _ in range(count))
    return zstd(b"".join(line % name for name in names))


def bomb_names_svg(directory):
    """zstd: 1100 functions, of names of a megabyte that differ at the end"""
    return folded(directory, "aiflame-svg", many_names(b"%s 1\n"))


def bomb_names_report(directory):
    """the same"""
    return folded(directory, "aiflame-report", many_names(b"%s 1\n"))


def bomb_names_diff(directory):
    """the same on both sides"""
    data = many_names(b"%s 1\n")
    return folded(directory, "aiflame-diff", data, write(directory, "before", data))


def bomb_names_export(directory):
    """the same"""
    return folded(directory, "aiflame-export", many_names(b"%s 1\n"), "-f", "pprof")


def bomb_names_script(directory):
    """the same in the samples of perf script"""
    text = many_names(b"a 1/1 1.0: 1 cycles:\n\t1 %s+0x0 (/a)\n\n")
    return ["stackcollapse-aiflame", write(directory, "script", text)]


def bomb_names_recording(directory):
    """the same in a recording"""
    text = many_names(b"a 1/1 [000] 1.01: 1 gpu-stall: \n\t 0 r ([stall])\n\t 10 %s+0x0 (/a)\n\n")
    return ["stackcollapse-aiflame",
            write(directory, "r", zstd(b"# gpustall 1\n# launch ?\n\n") + text)]


def bomb_names_trace(directory):
    """the same in a trace"""
    text = many_names(b'{"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"cat":"kernel","name":"%s"},')
    return ["stackcollapse-trace", write(directory, "t.json", zstd(b'{"traceEvents":[') + text + zstd(b"{}]}"))]


def bomb_script_frames(directory):
    """a sample of a million frames"""
    frames = b"".join(b"\t%x f%d+0x0 (/a)\n" % (i, i) for i in range(1_000_000))
    return ["stackcollapse-aiflame",
            write(directory, "script", b"a 1/1 1.0: 1 cycles:\n" + frames + b"\n")]


# ---- files that an input names -----------------------------------------------------------------

def in_jitted(directory, name, content, size=None):
    pid = os.getpid()
    path = write(directory, name % pid, content)
    if size is not None:
        os.truncate(path, size)
    return pid, path


JITDUMP = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0)  # the header, of x86-64


def jit(kind, time, body):
    """a record of a jitdump"""
    return struct.pack("<IIQ", kind, 16 + len(body), time) + body


def jitted(address, size, lines, path):
    """a jitdump with one function, and the line of each of its first bytes"""
    table = b"".join(struct.pack("<QII", address + i, i, 0) + path for i in range(lines))
    return (JITDUMP + jit(2, 1, struct.pack("<QQ", address, lines) + table) +
            jit(0, 1, struct.pack("<IIQQQQ", 7, 7, address, address, size, 1) + b"f\0\x90"))


def bomb_sparse_jitdump(directory):
    """a jitdump of 1 GiB that is a hole"""
    pid, path = in_jitted(directory, "jit-%d.dump", JITDUMP, 1 << 30)
    data = p.comm("app", pid) + p.mmap(path, 0x1000, 0x1000, pid=pid) + p.sample([1], pid=pid)
    return perf_data(directory, p.in_file(p.E, data))


def bomb_moved_code(directory):
    """a jitdump that moves one function forty thousand times"""
    dump = jitted(0x1000, 0x1000, 3000, b"a\0")
    for i in range(40_000):
        dump += jit(1, 2 + i, struct.pack("<IIQQQQQ", 7, 7, 0, 0, 0x2000 + i, 0x1000, 1))
    pid, path = in_jitted(directory, "jit-%d.dump", dump)
    data = p.comm("app", pid) + p.mmap(path, 0x1000, 0x1000, pid=pid) + p.sample([1], pid=pid)
    return perf_data(directory, p.in_file([p.attribute(p.USUAL, clock=1, flags=1 << 25)], data))


# ---- SQLite ------------------------------------------------------------------------------------

def bomb_sqlite_rows(directory):
    """an export whose tree of call chains is one page many times, which has to be sorted"""
    path = os.path.join(directory, "export.sqlite")
    sqlite_export.endless_rows(path)
    return ["stackcollapse-nsys", path]


def bomb_sqlite_views(directory):
    path = os.path.join(directory, "export.sqlite")
    sqlite_export.views(path)
    return ["stackcollapse-nsys", path]


# ---- measuring ---------------------------------------------------------------------------------

def peak_of(pid):
    """anonymous memory of a process now, in kB; 0 when it has ended"""
    try:
        with open("/proc/%d/status" % pid) as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["RssAnon"].split()[0])
    except (OSError, KeyError, ValueError):
        return 0


def run(megabytes, seconds, command):
    # a program that outgrows the machine would be ended with everything else on it; sanitizers,
    # which are given a million, reserve more addresses than there are
    limit = 6 << 30 if megabytes < 1000000 else resource.RLIM_INFINITY
    begin = time.monotonic()
    child = subprocess.Popen(command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                            (limit, limit)))
    peak = 0
    while child.poll() is None:
        peak = max(peak, peak_of(child.pid))
        if time.monotonic() - begin > 4 * seconds:
            child.kill()
        time.sleep(0.005)
    took = time.monotonic() - begin
    print("peak %d MB, %.1f s, status %d" % (peak >> 10, took, child.returncode), file=sys.stderr)
    if child.returncode not in (0, 1):
        return 98
    return 99 if peak >> 10 > megabytes or took > seconds else child.returncode


BOMBS = {name[5:]: made for name, made in globals().items() if name.startswith("bomb_")}


def main(arguments):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if arguments[:1] == ["list"]:
        print("\n".join(BOMBS))
    elif arguments[:1] == ["make"]:
        print(shlex.join(BOMBS[arguments[1]](arguments[2])))
    elif arguments[:1] == ["run"]:
        return run(int(arguments[1]), float(arguments[2]), arguments[3:])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
