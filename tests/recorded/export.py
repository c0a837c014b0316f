#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""export.py pprof|otlp|perfetto|speedscope FILE: what aiflame-export wrote, read independently, as
folded stacks, sorted; fails where a rule of the format's readers is broken. Labels follow the count.
OTLP and Perfetto are read by protoc, with the messages of export.proto."""
import gzip
import json
import os
import re
import subprocess
import sys

import pprof

HERE = os.path.dirname(os.path.abspath(__file__))


def decoded(path, message):
    """The message as {name: [values]}: protoc's text, parsed."""
    with open(path, 'rb') as file:
        text = subprocess.run(['protoc', '-I', HERE, '--decode=aiflame.' + message,
                               os.path.join(HERE, 'export.proto')],
                              stdin=file, check=True, stdout=subprocess.PIPE).stdout.decode()
    stack = [{}]
    for line in text.splitlines():
        line = line.strip()
        if line.endswith('{'):
            inner = {}
            stack[-1].setdefault(line[:-2], []).append(inner)
            stack.append(inner)
        elif line == '}':
            stack.pop()
        else:
            name, value = line.split(': ', 1)
            assert not re.fullmatch('[0-9]+', name), 'a field that is not declared: ' + line
            if value.startswith('"'):
                value = re.sub(r'\\([0-7]{3}|.)', unescape, value[1:-1])
                value = value.encode('latin-1').decode()
            else:
                value = int(value)
            stack[-1].setdefault(name, []).append(value)
    return stack[0]


def unescape(match):
    text = match.group(1)
    return chr(int(text, 8)) if len(text) == 3 else {'n': '\n'}.get(text, text)


def one(message, name, default=None):
    values = message.get(name, [])
    assert len(values) <= 1, name
    return values[0] if values else default


def read_pprof(path):
    with open(path, 'rb') as file:
        head = file.read(10)
        file.seek(0)
        message = gzip.decompress(file.read())
    assert head == b'\x1f\x8b\x08\0\0\0\0\0' + head[8:9] + b'\x03', 'a name or a time'
    fields = list(pprof.fields(message))
    every = lambda number: [value for field, value in fields if field == number]
    texts = [value.decode() for value in every(6)]
    assert texts[0] == '' and len(set(texts)) == len(texts)
    functions = [dict(pprof.fields(value)) for value in every(5)]
    locations = [dict(pprof.fields(value)) for value in every(4)]
    # Parca's rules
    assert [f[1] for f in functions] == list(range(1, len(functions) + 1))
    assert [place[1] for place in locations] == list(range(1, len(locations) + 1))
    types = len(every(1))
    for sample in every(2):
        parts = list(pprof.fields(sample))
        part = lambda number: [v for field, value in parts if field == number
                               for v in pprof.numbers(value)]
        values = part(2)
        assert len(values) == types
        names = []
        for location in reversed(part(1)):
            line = dict(pprof.fields(locations[location - 1][4]))
            names.append(texts[functions[line[1] - 1][2]])
        labels = [dict(pprof.fields(value)) for field, value in parts if field == 3]
        yield names, values[0], {texts[label[1]]: texts[label[2]] for label in labels}


def read_otlp(path):
    message = decoded(path, 'Profiles')
    tables = one(message, 'tables')
    for name in ('mapping', 'location', 'function', 'attribute', 'stack'):
        assert tables[name][0] == {}, name
    assert tables['text'][0] == '' and len(set(tables['text'])) == len(tables['text'])
    assert tables['link'][0] == {'trace': ['\0' * 16], 'span': ['\0' * 8]}
    for of_resource in message['of_resource']:
        assert one(of_resource, 'resource')
        for of_scope in of_resource['of_scope']:
            assert one(one(of_scope, 'scope'), 'name')
            for profile in of_scope['profile']:
                assert one(profile, 'period') and one(profile, 'type')
                for sample in profile.get('sample', []):
                    names = []
                    for location in reversed(tables['stack'][one(sample, 'stack')]['location']):
                        line = one(tables['location'][location], 'line')
                        names.append(tables['text'][one(
                            tables['function'][one(line, 'function')], 'name')])
                    labels = {}
                    for index in sample.get('attribute', []):
                        attribute = tables['attribute'][index]
                        labels[tables['text'][one(attribute, 'key')]] = \
                            one(one(attribute, 'value'), 'text')
                    assert len(sample['value']) == 1
                    yield names, sample['value'][0], labels


def read_perfetto(path):
    state, processes = {}, {}
    packets = decoded(path, 'Trace')['packet']
    assert one(one(packets[0], 'clocks'), 'primary') == 3
    for packet in packets[1:]:
        sequence = one(packet, 'sequence')
        if one(packet, 'flags') == 1:
            assert one(one(one(packet, 'defaults'), 'samples'), 'counter')
            state[sequence] = {'function': {}, 'frame': {}, 'callstack': {}, 'file': {}}
        if 'track' in packet:
            process = one(one(packet, 'track'), 'process')
            processes[one(process, 'pid')] = one(process, 'name')
        if 'sample' not in packet:
            continue
        own = state[sequence]
        for name, values in one(packet, 'interned', {}).items():
            for value in values:
                assert value['id'][0] not in own[name]
                own[name][value['id'][0]] = value
        sample = one(packet, 'sample')
        names = [one(own['function'][one(own['frame'][frame], 'function')], 'text')
                 for frame in own['callstack'][one(sample, 'callstack')]['frame']]
        assert processes[one(one(sample, 'task'), 'pid')] == names[0]
        time = one(packet, 'time')
        yield names, one(sample, 'weight'), {'time': str(time)} if time else {}


def read_speedscope(path):
    with open(path, encoding='utf-8') as file:
        whole = json.load(file)
    assert whole['$schema'] == 'https://www.speedscope.app/file-format-schema.json'
    assert set(whole) == {'$schema', 'exporter', 'profiles', 'shared'}
    frames = whole['shared']['frames']
    for frame in frames:
        assert set(frame) <= {'name', 'file', 'line', 'col'} and isinstance(frame['name'], str)
        assert isinstance(frame.get('line', 0), int)
    for profile in whole['profiles']:
        assert set(profile) == {'type', 'name', 'unit', 'startValue', 'endValue', 'samples', 'weights'}
        assert profile['type'] == 'sampled'
        assert profile['unit'] in ('bytes', 'microseconds', 'milliseconds', 'nanoseconds', 'none',
                                   'seconds')
        assert len(profile['samples']) == len(profile['weights'])
        assert abs(sum(profile['weights']) - profile['endValue'] + profile['startValue']) < 1e-6
        for stack, weight in zip(profile['samples'], profile['weights']):
            yield [frames[i]['name'] for i in stack], weight, {}


def main():
    read = {'pprof': read_pprof, 'otlp': read_otlp, 'perfetto': read_perfetto,
            'speedscope': read_speedscope}[sys.argv[1]]
    out = []
    for names, count, labels in read(sys.argv[2]):
        out.append(';'.join(names) + f' {count}' +
                   ''.join(f' {key}={value}' for key, value in sorted(labels.items())))
    for line in sorted(out, key=str.encode):
        print(line)


if __name__ == '__main__':
    main()
