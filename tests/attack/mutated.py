#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutated.py KIND SEED COUNT: runs the programs on COUNT damaged inputs of a kind, the same for the
same seed: perf_data, object, code, cubin, recording, script, folded, jitdump. Each run must end within ten
seconds, in a gigabyte of address space, with exit status 0 or 1; its messages must have the form
`program: ...`; and where it fails, it must say why and write nothing else. Prints the first input
that does otherwise, keeps it in the current directory, and exits with 1."""
import glob
import io
import os
import random
import resource
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path[:0] = [HERE, os.path.join(HERE, "..", "recorded")]
import bombs  # noqa: E402
import perf_data as p  # noqa: E402

NUMBERS = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]


def mutated(random_one, data):
    data = bytearray(data)
    for _ in range(random_one.choice((1, 1, 2, 4, 16))):
        at = random_one.randrange(len(data) + 1)
        size = min(random_one.choice((1, 2, 4, 8, 64, 4096)), len(data) - at)
        how = random_one.randrange(7)
        if how == 0:
            data[at:at + size] = random_one.randbytes(size)
        elif how == 1:
            width = random_one.choice((1, 2, 4, 8))
            number = random_one.choice(NUMBERS) & (1 << 8 * width) - 1
            data[at:at + width] = number.to_bytes(width, "little")
        elif how == 2 and size:
            data[at] ^= 1 << random_one.randrange(8)
        elif how == 3:
            del data[at:at + size]
        elif how == 4:
            data[at:at] = data[at:at + size] * random_one.choice((1, 2, 100))
        elif how == 5:
            other = random_one.randrange(len(data) + 1)
            data[at:at + size] = data[other:other + size]
        elif random_one.randrange(4) == 0:
            del data[at:]
    return bytes(data)


def read(*patterns):
    out = []
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", "data", pattern))):
            with open(path, "rb") as file:
                out.append(file.read())
    return out


def put(data, name):
    with open(name, "wb") as file:
        file.write(data)
    return os.path.abspath(name)


def collapse(*arguments):
    return ["stackcollapse-aiflame", *arguments]


def bases_of_perf_data():
    out = []
    for name, make in sorted(vars(p).items()):
        if not name.startswith("case_"):
            continue
        stdout, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
        try:
            made = make()
            sys.stdout.flush()
            out.append(made if isinstance(made, bytes) else sys.stdout.buffer.getvalue())
        finally:
            sys.stdout = stdout
    return [data for data in out if 0 < len(data) < 1 << 20]


def run_perf_data(data, _):
    return collapse(put(data, "perf.data"))


def bases_of_object():
    source = """template <int N> struct S { static int run(int x); };
template <> int S<3>::run(int x) { return x * 3 + 1; }
static inline int twice(int x) { return S<3>::run(x) * 2; }
extern "C" int f(int x) { int s = 0; for (int i = 0; i < x; ++i) s += twice(i); return s; }\n"""
    out = []
    put(source.encode(), "x.cc")
    if shutil.which("g++"):
        for options in ("-g", "-g -gz", "-gdwarf-4", "-g -O2", "-O2"):
            command = ["g++", "-shared", "-fPIC", "-nostdlib", *options.split(), "x.cc", "-o", "x.so"]
            if subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0:
                with open("x.so", "rb") as file:
                    out.append(file.read())
    with open(shutil.which("true"), "rb") as file:
        out.append(file.read())
    return out


def run_object(data, random_one):
    places = [random_one.randrange(0x2000) for _ in range(20)] + list(range(0x1000, 0x1100, 16))
    more = random_one.choice(([], ["--inline"], ["--inline", "--context"]))
    return bombs.mapped(os.getcwd(), data, *more, places=places)


def bases_of_cubin():
    return read("cubin/*.cubin")


def run_cubin(data, _):
    return run_device_object(put(data, "object.cubin"), 0x10000, 0x150)


def bases_of_code():
    """code of an x86-64 CPU and of an AMD GPU, for disassemblers; most of it is replaced"""
    out = []
    noise = random.Random(1).randbytes(4096)
    put((".byte " + ",".join(map(str, noise)) + "\n").encode(), "code.s")
    for command in ("as code.s -o code.o",
                    "llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx90a -filetype=obj code.s -o code.o"):
        command = command.split()
        if shutil.which(command[0]) and subprocess.run(command).returncode == 0:
            with open("code.o", "rb") as file:
                out.append(file.read())
    return out


def run_code(data, _):
    return run_device_object(put(data, "code.o"), 0x10040, 0x17)


def bases_of_annotated():
    return bases_of_object() + bases_of_cubin() + bases_of_code() + bases_of_perf_data()


def run_annotated(data, random_one):
    command = ["aiflame-annotate", *random_one.choice(([], ["--line"], ["--json"], ["--all"],
                                                       ["--html", "-"]))]
    if data.startswith(b"PERFILE2"):
        return [*command, put(data, "perf.data")]
    recording = recording_of(put(data, "object"), 0x10000 + random_one.randrange(0x100),
                             random_one.randrange(1, 0x200))
    return [*command, put(recording.replace("# end samples 1", "# end samples ?").encode(), "recording")]


def recording_of(path, first, step):
    """stalls in an object that is loaded at 0x10000"""
    out = ["# gpustall 1\n# device 0 : cupti, a GPU, 0000:03:00.0, period 251 cycles\n"
           "# a 1/1 [000]  1.000000000: PERF_RECORD_MMAP2 1/1: [0x10000(0x10000) @ 0x0 00:00 0 0]: "
           "r-xp %s\n# slice 1.000000000 1.010000000\n\n" % path]
    for place in range(first, 0x14000, step):
        out.append("a 1/1 [000]  1.010000000:        3 gpu-stall: \n\t               0 r ([stall])\n"
                   "\t           %x k+0x%x (%s)\n\n" % (place, place & 0xFFF, path))
    out.append("# end samples 1 launches 0 lost 0\n\n")
    return "".join(out)


def run_device_object(path, first, step):
    return collapse("--gpu-frames=file,kernel,function,line,mnemonic,reason,offset",
                    put(recording_of(path, first, step).encode(), "recording"))


def bases_of_recording():
    return read("stackcollapse-aiflame/*.gpustall")


def run_recording(data, _):
    return collapse(put(data, "recording"))


def bases_of_script():
    return read("stackcollapse-aiflame/*.perf-script")


def run_script(data, random_one):
    return collapse(*random_one.choice(([], ["--inline"], ["--addrs"])), put(data, "script"))


def bases_of_folded():
    return read("aiflame-svg/*.in", "aiflame-diff/*.in", "aiflame-report/*.in")


def run_folded(data, random_one):
    path = put(data, "folded")
    return random_one.choice((["aiflame-svg", path], ["aiflame-diff", path, path], ["aiflame-merge", path, path],
                              ["aiflame-export", "-f", random_one.choice(("pprof", "otlp", "perfetto")), path],
                               ["aiflame-cost", "--power", "300", "--pue", "1", "--unit", "us", path],
                              ["aiflame-report", path], ["aiflame-report", "--json", path]))


def bases_of_jitdump():
    dump = bombs.jitted(0x1000, 0x100, 30, b"a.js\0")
    dump += bombs.jit(1, 2, struct.pack("<IIQQQQQ", 7, 7, 0, 0x1000, 0x2000, 0x100, 1))
    return [dump, b"1000 100 f\n2000 0x100 g h\n0x3000 10 \n" * 3]


def run_jitdump(data, _):
    path = put(data, "jit-7.dump")
    put(data, "perf-7.map")
    chain = [p.CONTEXT_USER, 0x1010, 0x2010, 0x2020]
    words = struct.pack("<QiiQQ", 0x1010, 7, 7, 100, 1) + struct.pack("<5Q", 4, *chain)
    return collapse(put(p.in_file(p.E, p.comm("app") + p.mmap(path, 0x9000, 0x1000)
                                  + p.record(p.SAMPLE, words, p.IN_USER)), "perf.data"))


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if "/san-" not in os.environ.get("AIFLAME_BUILD", ""):
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def wrong_with(command):
    """what a run did that it must not, or None"""
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, timeout=10, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return "runs for more than ten seconds"
    if ran.returncode not in (0, 1):
        return "exit status %d\n%s" % (ran.returncode, ran.stderr[-2000:].decode(errors="replace"))
    for line in ran.stderr.splitlines():
        if not line.startswith(command[0].encode() + b": "):
            return "a message of another form: %r" % line
    if b"out of memory" in ran.stderr or b"internal: " in ran.stderr:
        return "%r" % ran.stderr
    if ran.returncode == 1 and not ran.stderr:
        return "fails without a word"
    # aiflame-svg draws the error, for a browser
    if ran.returncode == 1 and ran.stdout and b"ERROR: " not in ran.stdout:
        return "fails after it has written %d bytes" % len(ran.stdout)
    return None


def main(kind, seed, count):
    bases = globals()["bases_of_" + kind]()
    if not bases:
        print("no input of the kind %s" % kind, file=sys.stderr)
        return 1
    for number in range(count):
        random_one = random.Random("%s %d %d" % (kind, seed, number))
        data = mutated(random_one, random_one.choice(bases))
        command = globals()["run_" + kind](data, random_one)
        wrong = wrong_with(command)
        if wrong is not None:
            name = "finding-%s-%d-%d" % (kind, seed, number)
            put(data, name)
            print("%s: %s: %s" % (name, " ".join(command), wrong))
            return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
