# SPDX-License-Identifier: MIT
"""HPCToolkit's databases, read and made independently of ours, for tests.

hpctoolkit.py sums DIRECTORY           METRIC VALUE of each metric, where it was measured; times
                                       in ns, each value rounded
hpctoolkit.py stalls DIRECTORY         REASON;OFFSET VALUE of each instruction and reason of GCYCLES,
                                       the offset from the start of its function
hpctoolkit.py make DIRECTORY [CHANGE]  writes a small hand-made database; CHANGE is one of
                                       version5, loop, twice, negative, more, unknown, time
hpctoolkit.py pack DIRECTORY FILE      an input of tests/fuzz/hpctoolkit_fuzz.cc: meta.db and FILE,
                                       profile.db or cct.db
"""
import collections
import os
import struct
import sys


class File:
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.bytes = file.read()

    def get(self, layout, at):
        return struct.unpack_from('<' + layout, self.bytes, at)

    def text(self, at):
        return self.bytes[at:self.bytes.index(0, at)].decode() if at else ''

    def section(self, number):
        return self.get('Q', 0x18 + 16 * number)[0]


def points(meta):
    """The names of metrics by their number in the scope "point"."""
    at = meta.section(2)
    metrics, count, size, instance = meta.get('QIBB', at)
    out = {}
    for i in range(count):
        name, instances, _, instance_count = meta.get('QQQH', metrics + i * size)
        for j in range(instance_count):
            scope, number = meta.get('QH', instances + j * instance)
            if meta.get('QB', scope)[1] == 1:
                out[number] = meta.text(name)
    return out


def values(profile):
    """(context, metric, value) of all profiles but summaries."""
    profiles, count, size = profile.get('QIB', profile.section(0))
    for i in range(count):
        total, begin, contexts, _, index, _, flags = profile.get('QQIIQQI', profiles + i * size)
        if flags & 1:
            continue
        starts = [profile.get('IQ', index + 12 * j) for j in range(contexts)]
        for j, (context, start) in enumerate(starts):
            end = starts[j + 1][1] if j + 1 < contexts else total
            for k in range(start, end):
                yield (context, *profile.get('Hd', begin + 10 * k))


def contexts(meta):
    """By id: its parent's id, relation, kind, (module, offset) or None."""
    entries, count, size = meta.get('QHB', meta.section(3))
    out = {}

    def walk(at, end, parent):
        while at < end:
            bytes_, children, number, flags, relation, kind, words = meta.get('QQIBBBB', at)
            word = at + 0x20
            point = None
            if flags & 1:
                function, = meta.get('Q', word)
                module, offset = meta.get('QQ', function + 8)
                point = (module, offset) if kind == 0 else None
            if flags & 4:
                point = meta.get('QQ', at + 0x20 + 8 * ((flags & 1) + (flags & 2)))
            out[number] = (parent, relation, kind, point)
            walk(children, children + bytes_, number)
            at += 0x20 + 8 * words

    for i in range(count):
        bytes_, children, number = meta.get('QQI', entries + i * size)
        out[number] = (None, 1, None, None)
        walk(children, children + bytes_, number)
    return out


def sums(directory):
    names = points(File(directory + '/meta.db'))
    total = collections.Counter()
    for _, metric, value in values(File(directory + '/profile.db')):
        if metric in names:
            name = names[metric]
            total[name] += int(value * 1e9 + 0.5) if name.endswith(' (s)') else int(value)
    for name, value in sorted(total.items()):
        print(name, value)


def stalls(directory):
    meta = File(directory + '/meta.db')
    names, tree = points(meta), contexts(meta)
    total = collections.Counter()
    for context, metric, value in values(File(directory + '/profile.db')):
        name = names.get(metric, '').split(':')
        if len(name) != 3 or name[0] != 'GCYCLES' or name[1] not in ('ISU', 'STL'):
            continue
        _, _, _, (module, offset) = tree[context]
        at = context
        while tree[at][2] != 0 or tree[at][1] == 2 or tree[at][3][0] != module:
            at = tree[at][0]
        total[f'{name[1].lower()}_{name[2].lower()};0x{offset - tree[at][3][1]:x}'] += int(value)
    for name, value in sorted(total.items()):
        print(name, value)


class Maker:
    """Bytes, and texts and structures that are appended to them."""

    def __init__(self, kind, sections):
        self.bytes = bytearray(b'HPCTOOLKIT' + kind + b'\4\0' + bytes(16 * sections))

    def put(self, layout, *fields):
        self.bytes += bytes(-len(self.bytes) % 8)
        at = len(self.bytes)
        self.bytes += struct.pack('<' + layout, *fields)
        return at

    def text(self, text):
        at = len(self.bytes)
        self.bytes += text.encode() + b'\0'
        return at

    def set_section(self, number, at):
        struct.pack_into('<QQ', self.bytes, 0x10 + 16 * number, 0, at)

    def write(self, path, footer):
        with open(path, 'wb') as file:
            file.write(self.bytes + footer)


# metrics of the hand-made database; those of scope "point" are 10 times the index, others that + 1
METRICS = ['GCYCLES', 'GCYCLES:STL', 'GCYCLES:STL:IDEP', 'GCYCLES:ISU:UNK', 'GCYCLES:WAVE_ACT',
           'GPUOP (s)', 'CPUTIME (sec)']
APP, LIB, BIN = 'app', '/usr/lib/libx.so.1', 'gpubins/00ff.gpubin'


def make_meta(path, change):
    m = Maker(b'meta', 8)
    m.set_section(0, m.put('QQ', m.text('my app'), m.text('')))
    kinds = [m.text(k) for k in ('SUMMARY', 'NODE', 'RANK', 'THREAD')]
    m.set_section(1, m.put('QB', m.put('4Q', *kinds), 4))
    scopes = m.put('QBB6x' * 2, m.text('point'), 1, 255, m.text('execution'), 2, 255)
    rows = []
    for i, name in enumerate(METRICS):
        instances = m.put('QH6x' * 2, scopes + 16, 10 * i + 1, scopes, 10 * i)
        rows += [m.text(name), instances, 0, 2, 0]
    m.set_section(2, m.put('QIBBBxQHB', m.put('QQQHH4x' * len(METRICS), *rows),
                           len(METRICS), 32, 16, 24, scopes, 2, 16))
    module = {p: m.put('I4xQ', 0, m.text(p)) for p in (APP, LIB, BIN)}
    source = {p: m.put('I4xQ', p.startswith('src/'), m.text(p)) for p in ('src/home/k.cl', 'x.h')}

    def function(name, module_=0, offset=0, file=0, line=0):
        return m.put('QQQQII', m.text(name) if name else 0, module_, offset, file, line, 0)

    def row(*nodes):
        """Sibling contexts (id, flags, relation, kind, words, children) -> size and pointer."""
        below = [row(*n[5]) if n[5] else (0, 0) for n in nodes]
        at = None
        for (number, flags, relation, kind, words, _), (size, children) in zip(nodes, below):
            here = m.put('QQIBBBBH6x%dQ' % len(words), size, children, number, flags, relation,
                         kind, len(words), 0, *words)
            at = here if at is None else at
        return len(m.bytes) - at, at

    kernel = function('void scale<float>(float*, int)', module[BIN], 0x1000, source['src/home/k.cl'], 3)
    helper = function('mul(float)', 0, 0, source['x.h'], 9)
    instruction = (20 if change != 'unknown' else 999, 4, 0, 3, [module[BIN], 0x1040], [])
    line = (19, 2, 0, 2, [source['x.h'], 12], [instruction])
    device = (17, 1, 1, 0, [kernel], [(18, 1, 2, 0, [helper], [line]),
                                      (21, 4, 0, 3, [module[BIN], 0x1000], [])])
    placeholder = (16, 1, 1, 0, [function('<gpu kernel>')], [device])
    copy = (22, 1, 1, 0, [function('<gpu copyin>')], [])
    in_library = (14, 4, 1, 3, [module[LIB], 0x77], [placeholder])
    inlined = (13, 1, 2, 0, [function('go<int>(int)', module[APP])],
               [(15, 4, 0, 3, [module[APP], 0x20], [in_library, copy])])
    main = (11, 1, 1, 0, [function('main [app]', module[APP], 0x10)], [(12, 2, 0, 2, [0, 7], [inlined])])
    size, children = row(main)
    if change == 'loop':
        struct.pack_into('<Q', m.bytes, children + 8, children)
    if change == 'twice':
        struct.pack_into('<I', m.bytes, children + 0x10, 13)
    lost = (31, 1, 1, 0, [function('fill', module[BIN], 0x2000)], [])
    lost_size, lost_children = row(lost)
    entries = m.put('QQIHxxQ' * 2, size, children, 10, 1, m.text('main thread'),
                    lost_size, lost_children, 30, 0, m.text('unknown entry'))
    m.set_section(3, m.put('QHB', entries, 2, 32))
    if change == 'version5':
        m.bytes[0xE] = 5
    m.write(path, b'_meta.db')


def made_values(change):
    """By rank, context and metric."""
    idep = 5000.0 if change == 'more' else 300.0
    if change == 'time':
        return {3: {22: {50: 1.5e-6}}}
    return {
        3: {20: {0: 1000.0, 10: 600.0, 20: idep, 30: 400.0, 40: 12345.0},
            21: {0: -1.0 if change == 'negative' else 50.0, 30: 50.0},
            22: {50: 1.5e-6}, 11: {60: 0.25}, 17: {50: 2e-9, 51: 9.0}},
        4: {20: {0: 7.0}, 21: {0: 1.0}, 30: {}, 31: {0: 3.0}},
    }


def make_profile(path, change):
    p = Maker(b'prof', 2)
    rows = []
    for rank, by_context in [(None, {20: {1: 1e9}})] + sorted(made_values(change).items()):
        flat = [(m, v) for c in sorted(by_context) for m, v in sorted(by_context[c].items())]
        begin = p.put('')
        for pair in flat:
            p.bytes += struct.pack('<Hd', *pair)
        index = p.put('')
        start = 0
        for context in sorted(by_context):
            p.bytes += struct.pack('<IQ', context, start)
            start += len(by_context[context])
        tuple_ = 0 if rank is None else p.put('H6xBxHIQBxHIQ', 2, 2, 0, rank, rank, 3, 1, 0, 77)
        rows += [len(flat), begin, len(by_context), index, tuple_, int(rank is None)]
    p.set_section(0, p.put('QIB', p.put('QQI4xQQI4x' * (len(rows) // 6), *rows), len(rows) // 6, 48))
    p.write(path, b'_prof.db')


def make_contexts(path, change):
    c = Maker(b'ctxt', 1)
    blocks = []
    for context in range(32):
        by_metric = collections.defaultdict(list)
        for profile, (_, by_context) in enumerate(sorted(made_values(change).items())):
            for metric, value in by_context.get(context, {}).items():
                by_metric[metric].append((profile + 1, value))
        begin = c.put('')
        for metric in sorted(by_metric):
            for pair in by_metric[metric]:
                c.bytes += struct.pack('<Id', *pair)
        index = c.put('')
        start = 0
        for metric in sorted(by_metric):
            c.bytes += struct.pack('<HQ', metric, start)
            start += len(by_metric[metric])
        blocks += [start, begin, len(by_metric), index]
    c.set_section(0, c.put('QIB', c.put('QQH6xQ' * 32, *blocks), 32, 32))
    c.write(path, b'__ctx.db')


def make(directory, change=''):
    os.makedirs(directory, exist_ok=True)
    make_meta(directory + '/meta.db', change)
    make_profile(directory + '/profile.db', change)
    make_contexts(directory + '/cct.db', change)


def pack(directory, name):
    meta = File(directory + '/meta.db').bytes
    sys.stdout.buffer.write(bytes([name == 'profile.db']) + len(meta).to_bytes(3, 'little') + meta
                            + File(f'{directory}/{name}').bytes)


if __name__ == '__main__':
    {'sums': sums, 'stalls': stalls, 'make': make, 'pack': pack}[sys.argv[1]](*sys.argv[2:])
