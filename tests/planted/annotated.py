# SPDX-License-Identifier: MIT
"""Code objects, and what aiflame-annotate says where they have stalls."""
import collections
import json
import struct
import subprocess
import sys

NVIDIA, INTEL, AMD, X86 = 190, 205, 224, 62  # ELF's e_machine

Stall = collections.namedtuple('Stall', 'code function offset reason')


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


class Object:
    """An ELF file's machine, bytes, and functions: NAME -> offset in the file."""

    def __init__(self, path, base):
        with open(path, 'rb') as file:
            self.bytes = file.read()
        self.path, self.base = path, base
        self.machine, = struct.unpack_from('<H', self.bytes, 18)
        self.flags, = struct.unpack_from('<I', self.bytes, 48)
        # of a cubin: 90 is sm_90; ABI 8 and later have it in the second byte
        self.architecture = self.flags >> (8 if self.bytes[8] >= 8 else 0) & 255
        table, = struct.unpack_from('<Q', self.bytes, 40)
        count, = struct.unpack_from('<H', self.bytes, 60)
        keys = ('name', 'type', 'flags', 'address', 'offset', 'size', 'link')
        sections = [dict(zip(keys, struct.unpack_from('<IIQQQQI', self.bytes, table + 64 * i)))
                    for i in range(count)]
        self.functions = {}
        for each in sections:
            if each['type'] == 2:  # SHT_SYMTAB
                self.add_symbols(each, sections)

    def add_symbols(self, table, sections):
        names = sections[table['link']]['offset']
        for at in range(table['offset'], table['offset'] + table['size'], 24):
            name, info, _, section, value, _ = struct.unpack_from('<IBBHQQ', self.bytes, at)
            if info & 15 != 2 or not 0 < section < len(sections):  # STT_FUNC
                continue
            end = self.bytes.index(0, names + name)
            name = self.bytes[names + name:end].decode()
            its = sections[section]
            # _entry is behind the prologue of Intel's kernels; what NVIDIA's kernels call is a
            # part of their code, with a symbol of its own: $KERNEL$FUNCTION
            if name != '_entry' and not name.startswith('$'):
                self.functions[name] = its['offset'] + value - its['address']


def open_objects(paths):
    """With device addresses of their own."""
    return [Object(path, 0x7F0000000000 + 0x10000000 * i) for i, path in enumerate(paths)]


def annotate(objects, stalls, path):
    """Writes a recording, and returns FUNCTION -> [(LINE, INSTRUCTION)…], by offset."""
    event = 'gpu-clock' if objects[0].machine == X86 else 'gpu-stall'
    with open(path, 'w') as out:
        out.write('# gpustall 1\n# device 0 : made by hand for the tests\n')
        for each in objects:
            out.write(f'# app 7/7 [000] 1.000000000: PERF_RECORD_MMAP2 7/7: [{each.base:#x}'
                      f'({len(each.bytes):#x}) @ 0 00:00 0 0]: r-xp {each.path}\n')
        out.write('# slice 1.000000000 1.010000000\n# launch ?\n\n')
        for code, function, offset, reason in stalls:
            out.write(f'app 7/8 [000] 1.010000000: 1 {event}: \n')
            if event == 'gpu-stall':
                out.write(f'\t{0:16x} {reason} ([stall])\n')
            at = code.base + code.functions[function] + offset
            out.write(f'\t{at:16x} {function}+{offset:#x} ({code.path})\n\n')
        out.write(f'# end samples {len(stalls)} launches 0 lost 0\n\n')
    listing = collections.defaultdict(list)
    for each in json.loads(run('aiflame-annotate', '--all', '--json', path))['functions']:
        for line in each['lines']:
            listing[each['symbol']] += [(line.get('line', 0), it) for it in line['instructions']]
    for code in listing.values():
        code.sort(key=lambda each: each[1]['offset'])
    return listing
