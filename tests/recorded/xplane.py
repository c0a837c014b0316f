#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes and reads profiles of XLA (XSpace of xplane.proto), with no library for protocol buffers.

xplane.py make [CASE]: a small one, hand-made, of a GPU and a TPU (see tests/cli/stackcollapse-xplane.bats)
xplane.py sums FILE: the nanoseconds of all streams, and those by operator of XLA
xplane.py repeat FILE TIMES: its planes but for /host:metadata with their events TIMES as often, each
    time later and with launches of their own
"""
import gzip, sys
from collections import Counter

# ---- writing ----

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(tag, value):
    return varint(tag << 3) + varint(value)


def data(tag, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(tag << 3 | 2) + varint(len(value)) + value


class Plane:
    """Names of events and stats get ids as they come; of each plane its own."""

    def __init__(self, name, first_id=1):
        self.name, self.lines, self.first_id = name, [], first_id
        self.events, self.stats, self.facts = {}, {}, b''
        self.event_facts = {}

    def id_of(self, table, name):
        return table.setdefault(name, len(table) + self.first_id)

    def stat(self, tag, name, value):
        """Texts are stats' names by reference, as XLA writes those that repeat."""
        key = number(1, self.id_of(self.stats, name))
        if isinstance(value, tuple):  # (text,): the text itself
            return data(tag, key + data(5, value[0]))
        if isinstance(value, str):
            return data(tag, key + number(7, self.id_of(self.stats, value)))
        return data(tag, key + (data(6, value) if isinstance(value, bytes) else number(4, value)))

    def event(self, name, offset, duration, facts=None, count=None):
        out = number(1, self.id_of(self.events, name))
        out += number(5, count) if count else number(2, offset)
        out += number(3, duration)
        return data(4, out + b''.join(self.stat(4, *one) for one in (facts or {}).items()))

    def line(self, name, timestamp, events, line_id=7):
        self.lines.append(data(3, number(1, line_id) + data(2, name) + number(3, timestamp) + b''.join(events)))

    def about(self, name, display='', facts=None):
        self.id_of(self.events, name)
        self.event_facts[name] = (data(4, display) if display else b'') + \
            b''.join(self.stat(5, *one) for one in (facts or {}).items())

    def bytes(self):
        out = data(2, self.name) + b''.join(self.lines) + self.facts
        for name, key in self.events.items():
            facts = self.event_facts.get(name, b'')
            out += data(4, number(1, key) + data(2, number(1, key) + data(2, name) + facts))
        for name, key in self.stats.items():
            out += data(5, number(1, key) + data(2, number(1, key) + data(2, name)))
        return data(1, out)


def hlo_proto():
    frames = b''.join(data(1, one) for one in ('/home/x/train.py', '/home/x/model.py'))
    frames += b''.join(data(2, one) for one in ('main', 'Model.mlp'))
    frames += data(3, number(1, 1) + number(2, 1) + number(3, 30))   # train.py:30 main
    frames += data(3, number(1, 2) + number(2, 2) + number(3, 12))   # model.py:12 Model.mlp
    frames += data(4, number(1, 1)) + data(4, number(1, 2) + number(2, 1))
    def op(name, path, rest):
        return data(2, data(1, name) + data(7, data(2, path) + rest))
    body = op('fusion.1', 'jit(step)/mlp/dot_general', number(15, 2))
    body += op('old.2', 'jit(step)/add', data(3, '/home/x/old.py') + number(4, 5))
    return data(1, data(1, 'jit_step') + data(3, body) + number(5, 17) + data(17, frames))


def make(case):
    begin = 1779266702889805563
    facts = {'hlo_op': 'fusion.1', 'hlo_module': 'jit_step', 'program_id': 17}
    gpu = Plane('/device:GPU:0')
    kernel = 'void gemm<float>(float*)'
    events = [
        gpu.event(kernel, 5000000, 2000400, {'correlation_id': 2, 'kernel_details': 'grid:1', **facts}),
        gpu.event(kernel, 8000000, 1000700, {'correlation_id': 3, 'kernel_details': 'grid:1', **facts,
                                             'hlo_op': 'command_buffer::old.2'}),
        gpu.event('MemcpyD2D', 9500000, 500000, {'correlation_id': 99, 'memcpy_details': 'size:4'}),
    ]
    if case == 'loss':
        events += [gpu.event(kernel, 9, -5), gpu.event(kernel, 0, 7000, count=3),
                   gpu.event(kernel, 1 << 62, 7000)]
        gpu.facts = gpu.stat(6, 'dropped_traces', 12)
    gpu.line('Stream #7(Kernel)', begin, events)
    gpu.line('XLA Ops', begin, [gpu.event('fusion.1', 5000000, 5000000)], 0xdeadbeef + 5)

    tpu = Plane('/device:TPU:0', 1000)  # the same names have other ids
    tpu.about('%while.3 = (s32[]) while(...)', 'while.3', {'tf_op': ('jit(step)/while',)})
    tpu.about('%fusion.1 = f32[8] fusion(...)', 'fusion.1', {
        'program_id': 17, 'tf_op': ('jit(step)/while/body/dot_general:',)})
    tpu.about('%copy.2 = f32[8] copy(...)', '', {
        'source': ('/home/x/tpu.py:7',), 'source_stack': ('/home/x/tpu.py:7\n/home/x/tpu.py:9',)})
    tpu.line('Steps', begin, [tpu.event('41', 0, 6000000), tpu.event('42', 6000000, 9000000)], 1)
    tpu.line('XLA Modules', begin, [tpu.event('jit_step(17)', 0, 15000000)], 2)
    tpu.line('XLA Ops', begin, [
        tpu.event('%while.3 = (s32[]) while(...)', 0, 10000000),
        tpu.event('%fusion.1 = f32[8] fusion(...)', 1000000, 4000000),
        tpu.event('%copy.2 = f32[8] copy(...)', 0, 0, {'device_offset_ps': 7000000,
                                                         'device_duration_ps': 2000000})], 3)
    if case == 'loss':
        tpu.line('Async XLA Ops', begin, [tpu.event('copy-start.9', 0, 3000000)], 4)

    host = Plane('/host:CPU', 50)
    host.line('python3', begin - 1000, [
        host.event('$train.py:29 main', 0, 20000000),
        host.event('train', 1000000, 8000000, {'step_num': 5}),
        host.event('PjitFunction(step)', 2000000, 4000000),
        host.event('fusion.1', 2500000, 500000)], 4711)
    host.line('Host Threads/7', begin - 1000, [
        host.event('cuLaunchKernel', 2600000, 100000, {'device_id': 53022, 'correlation_id': 2, **facts}),
        host.event('cuGraphLaunch', 5000000, 100000, {'device_id': 53022, 'correlation_id': 3})])
    if case == 'threads':  # two more that are busy: one has the operator innermost
        host.line('other', begin - 1000, [host.event('Execute', 0, 20000000)], 4712)
    if case == 'deep':  # 600 functions, each in the one before; the launch is in the last one
        host.lines = []
        host.line('python3', begin - 1000, [
            host.event(f'$deep.py:7 f{i}', 1000 * i, 20000000 - 2000 * i) for i in range(600)], 4711)
        host.line('Host Threads/7', begin - 1000, [
            host.event('cuLaunchKernel', 2600000, 100000, {'device_id': 53022, 'correlation_id': 2, **facts})])

    programs = Plane('/host:metadata')
    programs.about('jit_step(17)', '', {'Hlo Proto': hlo_proto()})
    programs.events = {'jit_step(17)': 17}
    planes = {'': [programs, gpu, host], 'loss': [programs, gpu, tpu, host], 'tpu': [programs, tpu],
              'threads': [programs, gpu, host], 'deep': [programs, gpu, host], 'host': [host], 'empty': []}[case]
    out = b''.join(plane.bytes() for plane in planes)
    if case == 'loss':
        out += data(2, 'Failed to stop\x1b') + b''.join(data(3, f'buffer {i}') for i in range(5))
    return out + data(4, 'node7')


# ---- reading ----

def read_varint(message, at):
    value = shift = 0
    while True:
        value |= (message[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if message[at - 1] < 128:
            return value, at


def fields(message):
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        if key & 7 == 0:
            value, at = read_varint(message, at)
        elif key & 7 == 2:
            size, at = read_varint(message, at)
            value, at = message[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[key & 7]
            value, at = message[at:at + size], at + size
        yield key >> 3, value


def first(message, tag, default=None):
    return next((value for key, value in fields(message) if key == tag), default)


def load(path):
    message = open(path, 'rb').read()
    return gzip.decompress(message) if message[:2] == b'\x1f\x8b' else message


def sums(path):
    total, by_operator = 0, Counter()
    for tag, plane in fields(load(path)):
        if tag != 1 or not first(plane, 2, b'').startswith(b'/device:GPU'):
            continue
        names = {first(entry, 1): first(first(entry, 2), 2) for key, entry in fields(plane) if key == 5}
        for key, line in fields(plane):
            if key != 3 or not first(line, 2, b'').startswith(b'Stream'):
                continue
            for inner, event in fields(line):
                if inner != 4:
                    continue
                facts = {names[first(stat, 1)]: stat for each, stat in fields(event) if each == 4}
                total += first(event, 3, 0)
                operator = facts.get(b'hlo_op')
                by_operator[names[first(operator, 7)] if operator else b'-'] += first(event, 3, 0)
    print(total // 1000)
    for name, time in sorted(by_operator.items()):
        print(name.decode(), time // 1000)


def repeat(path, times):
    out = b''
    for tag, plane in fields(load(path)):
        if tag != 1 or first(plane, 2) == b'/host:metadata':
            continue
        names = {first(entry, 1): first(first(entry, 2), 2) for key, entry in fields(plane) if key == 5}
        correlation = next((key for key, name in names.items() if name == b'correlation_id'), None)
        inner = b''
        for key, value in fields(plane):
            if key != 3:
                inner += number(key, value) if isinstance(value, int) else data(key, value)
                continue
            head, events = b'', []
            for each, field in fields(value):
                if each == 4:
                    events.append(list(fields(field)))
                else:
                    head += number(each, field) if isinstance(field, int) else data(each, field)
            lines = []
            for turn in range(times):
                for event in events:
                    text = b''
                    for each, field in event:
                        if each == 2:
                            text += number(2, field + turn * 10**13)
                        elif isinstance(field, int):
                            text += number(each, field)
                        elif each == 4 and first(field, 1) == correlation:
                            text += data(4, number(1, correlation) + number(3, first(field, 3) + turn * 10**6))
                        else:
                            text += data(each, field)
                    lines.append(data(4, text))
            inner += data(3, head + b''.join(lines))
        out += data(1, inner)
    return out


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        sys.stdout.buffer.write(make(sys.argv[2] if len(sys.argv) > 2 else ''))
    elif sys.argv[1] == 'repeat':
        sys.stdout.buffer.write(repeat(sys.argv[2], int(sys.argv[3])))
    else:
        sums(sys.argv[2])
