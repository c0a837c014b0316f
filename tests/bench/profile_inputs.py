# SPDX-License-Identifier: MIT
"""Large inputs of programs that read other profilers' files, for scripts/bench.sh.

profile_inputs.py pprof SAMPLES                 a profile, to standard output
profile_inputs.py hpctoolkit DIRECTORY KERNELS  a database: each kernel is launched from a stack of
                                               its own and has 64 instructions, in 8 profiles
"""
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '../recorded'))
from hpctoolkit import Maker  # noqa: E402
from pprof import field, varint  # noqa: E402

LOCATIONS, FUNCTIONS = 20000, 8000
METRICS = ['GCYCLES', 'GCYCLES:STL:MEM', 'GCYCLES:STL:IDEP', 'GCYCLES:ISU:UNK']
INSTRUCTIONS, PROFILES, DEPTH = 64, 8, 20


def pprof(samples):
    random.seed(1)
    out = [field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))]
    for _ in range(int(samples)):
        base = random.randrange(2000)
        stack = [random.randrange(1, LOCATIONS)]
        stack += [(base * 7 + i * 13) % LOCATIONS + 1 for i in range(random.randrange(10, 60))]
        out.append(field(2, field(1, b''.join(map(varint, stack))) +
                         field(2, varint(1) + varint(10000000))))
    for i in range(1, LOCATIONS + 1):
        line = field(1, (i - 1) % FUNCTIONS + 1) + field(2, i % 900)
        out.append(field(4, field(1, i) + field(3, 0x400000 + 16 * i) + field(4, line)))
    for i in range(1, FUNCTIONS + 1):
        out.append(field(5, field(1, i) + field(2, 4 + i)))
    names = ['', 'samples', 'count', 'cpu', 'nanoseconds']
    names += [f'github.com/org/project/pkg/mod.(*Type{i % 97}).Method{i}' for i in range(FUNCTIONS)]
    out += [field(6, name.encode()) for name in names]
    sys.stdout.buffer.write(b''.join(out))


def contexts(m, kernels):
    """Writes the tree from the leaves up; returns the ids of the instructions."""
    binary = m.put('I4xQ', 0, m.text('gpubins/00ff.gpubin'))
    functions = [m.put('QQQQII', m.text(f'app::Layer{i}<float>::forward(int)'), 0, 0, 0, 0, 0)
                 for i in range(997)]
    boundary = m.put('QQQQII', m.text('<gpu kernel>'), 0, 0, 0, 0, 0)
    number = 1
    leaves, tops = [], []
    for k in range(kernels):
        kernel = m.put('QQQQII', m.text(f'kernel{k}(float*)'), binary, 4096 * k, 0, 0, 0)
        first = number + 1
        at = [m.put('QQIBBBBH6xQQ', 0, 0, first + i, 4, 0, 3, 2, 0, binary, 4096 * k + 16 * i)
              for i in range(INSTRUCTIONS)]
        leaves += range(first, first + INSTRUCTIONS)
        number += INSTRUCTIONS
        row = (INSTRUCTIONS * 48, at[0])
        for function in [kernel, boundary] + [functions[(k + 31 * i) % 997] for i in range(DEPTH)]:
            number += 1
            row = (40, m.put('QQIBBBBH6xQ', *row, number, 1, 1, 0, 1, 0, function))
        tops.append(m.bytes[row[1]:row[1] + 40])
    at = m.put('')
    m.bytes += b''.join(tops)
    entry = m.put('QQIHxxQ', 40 * len(tops), at, 1, 1, m.text('main thread'))
    m.set_section(3, m.put('QHB', entry, 1, 32))
    return leaves, number + 1


def hpctoolkit(directory, kernels):
    os.makedirs(directory, exist_ok=True)
    m = Maker(b'meta', 8)
    m.set_section(0, m.put('QQ', m.text('app'), 0))
    m.set_section(1, m.put('QB', 0, 0))
    scope = m.put('QBB6x', m.text('point'), 1, 255)
    rows = []
    for i, name in enumerate(METRICS):
        rows += [m.text(name), m.put('QH6x', scope, i), 0, 1, 0]
    m.set_section(2, m.put('QIBBBxQHB', m.put('QQQHH4x' * len(METRICS), *rows), len(METRICS), 32,
                           16, 24, scope, 1, 16))
    leaves, count = contexts(m, int(kernels))
    m.write(directory + '/meta.db', b'_meta.db')

    c = Maker(b'ctxt', 1)
    values = [struct.pack('<Id', i, v) for v in (600, 100, 200, 300) for i in range(PROFILES)]
    index = b''.join(struct.pack('<HQ', i, i * PROFILES) for i in range(4))
    blocks = [(0, 0, 0, 0)] * count
    for leaf in leaves:
        begin = c.put('')
        c.bytes += b''.join(values)
        at = c.put('')
        c.bytes += index
        blocks[leaf] = (len(values), begin, 4, at)
    begin = c.put('')
    c.bytes += b''.join(struct.pack('<QQH6xQ', *block) for block in blocks)
    c.set_section(0, c.put('QIB', begin, count, 32))
    c.write(directory + '/cct.db', b'__ctx.db')

    p = Maker(b'prof', 2)
    rows = []
    for _ in range(PROFILES):
        begin = p.put('')
        p.bytes += struct.pack('<HdHdHdHd', 0, 600, 1, 100, 2, 200, 3, 300) * len(leaves)
        at = p.put('')
        p.bytes += b''.join(struct.pack('<IQ', leaf, 4 * i) for i, leaf in enumerate(leaves))
        rows += [4 * len(leaves), begin, len(leaves), at, 0, 0]
    profiles = p.put('QQI4xQQI4x' * PROFILES, *rows)
    p.set_section(0, p.put('QIB', profiles, PROFILES, 48))
    p.write(directory + '/profile.db', b'_prof.db')


if __name__ == '__main__':
    {'pprof': pprof, 'hpctoolkit': hpctoolkit}[sys.argv[1]](*sys.argv[2:])
