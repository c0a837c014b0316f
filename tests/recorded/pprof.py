# SPDX-License-Identifier: MIT
"""pprof profiles, read and made independently of ours, for tests.

pprof.py sums FILE           TYPE VALUE of each sample type of a profile, plain or gzip
pprof.py make [CHANGE]       a small hand-made profile, to standard output, plain; CHANGE is one of
                             unpacked, negative, values, location, text, twice, default, none,
                             deep, drop, sparse, places, idle
"""
import gzip
import sys


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """A number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(message):
    """(number, value) of each field."""
    at = 0

    def take():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = take()
        if tag & 7 == 2:
            size = take()
            at += size
            yield tag >> 3, message[at - size:at]
        else:
            yield tag >> 3, take()


def numbers(value):
    """Of a repeated field: packed, or one."""
    if isinstance(value, int):
        return [value]
    return [v for _, v in fields(b''.join(b'\x08' + bytes(one) for one in pieces(value)))]


def pieces(packed):
    begin = 0
    for i, byte in enumerate(packed):
        if byte < 128:
            yield packed[begin:i + 1]
            begin = i + 1


def sums(path):
    with open(path, 'rb') as file:
        message = file.read()
    if message[:2] == b'\x1f\x8b':
        message = gzip.decompress(message)
    all_ = list(fields(message))
    texts = [v.decode() for n, v in all_ if n == 6]
    types = [texts[dict(fields(v))[1]] for n, v in all_ if n == 1]
    total = [0] * len(types)
    for number, sample in all_:
        if number == 2:
            values = [v for n, one in fields(sample) if n == 2 for v in numbers(one)]
            for i, value in enumerate(values):
                total[i] += value - (1 << 64 if value >> 63 else 0)
    for name, value in zip(types, total):
        print(name, value)


def make(change=''):
    texts = ['']

    def text(name):
        if name not in texts:
            texts.append(name)
        return texts.index(name)

    def several(number, values):
        if change == 'unpacked':
            return b''.join(field(number, v) for v in values)
        return field(number, b''.join(varint(v) for v in values))

    def own_id(id_):  # some writers leave it out: 'places'
        return b'' if change == 'places' else field(1, id_)

    def function(id_, name, file='', start=0, system=''):
        return field(5, own_id(id_) + field(2, text(name)) + field(3, text(system)) +
                     field(4, text(file)) + field(5, start))

    def location(id_, *functions, mapping=0):
        lines = b''.join(field(4, field(1, f) + field(2, 7)) for f in functions)
        return field(4, own_id(id_) + field(2, mapping) + field(3, 0x1000 + id_) + lines)

    def sample(locations, values, **labels):
        out = several(1, locations) + several(2, values + [0] * (len(types) - 2))
        for key, value in labels.items():
            kind = field(2, text(value)) if isinstance(value, str) else \
                field(3, value) + field(4, text('bytes'))
            out += field(3, field(1, text(key)) + kind)
        return field(2, out)

    far = 1 << 40 if change == 'sparse' else 0  # ids that are no indices
    out = b''
    types = [('samples', 'count'), ('cpu', 'microseconds')]
    if change == 'idle':  # types without values, the last among them
        types += [('allocated', 'bytes'), ('lock-time', 'nanoseconds')]
    for name, unit in types:
        if change != 'none':
            out += field(1, field(1, text(name)) + field(2, text(unit)))
    out += sample([4 + far, 2, 1], [3, 30], thread='worker 1')
    out += sample([5, 3, 2, 1], [1, 10], thread='worker 2', size=4096)
    out += sample([2, 2, 1], [2, -20 if change == 'negative' else 20])
    out += sample([6, 7, 1], [4, 40])
    out += sample([1], [0, 0])
    if change == 'values':
        out += sample([1], [1])
    if change == 'location':
        out += sample([99], [1, 1])
    if change == 'deep':
        out += b''.join(sample([8] * 2000, [1, 1]) for _ in range(20))
    for id_, file in ((1, '/usr/bin/my app'), (2, '/lib/libc.so.6'), (3, '[vdso]')):
        out += field(3, own_id(id_) + field(5, text(file)))
    out += location(1, 1) + location(2, 2) + location(3, 4, 3) + location(4 + far, mapping=2)
    out += location(5, 5) + location(6, mapping=3) + location(7, 99)
    if change == 'twice':
        out += location(7, 1)
    if change == 'deep':
        out += location(8, *[1] * 200)
    out += function(1, 'main') + function(2, 'net/http.(*Client).Do', 'client.go')
    out += function(3, 'std::vector<int>::push_back(int&&)') + function(4, '', '', 0, '_ZN1a4growEm')
    out += function(5, 'step; one', '/home/x/train.py', 41)
    if change == 'text':
        out += function(6, 'x') + field(5, field(1, 7) + field(2, 1000)) + location(9, 7)
    if change == 'default':
        out += field(14, text('samples'))
    if change == 'drop':
        out += field(7, text('std::vec.*|main')) + field(8, text('none'))
    out += field(11, field(1, text('cpu')) + field(2, text('microseconds'))) + field(12, 10)
    out += b''.join(field(6, one.encode()) for one in texts)
    sys.stdout.buffer.write(out)


if __name__ == '__main__':
    {'sums': sums, 'make': make}[sys.argv[1]](*sys.argv[2:])
