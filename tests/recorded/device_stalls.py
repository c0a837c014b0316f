# SPDX-License-Identifier: MIT
"""Makes stalls at every instruction of the code in a recording, and the lines they must fold to.
The expectation comes from other programs than ours: iga64 for instructions, llvm-symbolizer for
lines and inlined functions.

device_stalls.py RECORDING PLATFORM KERNEL=CALLERS… [KERNEL=CALLERS…]

writes `rows`, for the fake of tests/fakes/xe, and `expected`, sorted, with lines of the form
CALLERS;FILE;KERNEL;INLINED…;FILE:LINE;MNEMONIC;REASON;OFFSET COUNT. If a kernel is launched from
two places, one of them three times as often, CALLERS is `ONE|OTHER`, with the frequent one first.
"""
import os
import re
import struct
import subprocess
import sys

REASONS = ('active', 'other', 'control', 'pipestall', 'send', 'dist_acc', 'sbid', 'sync',
           'inst_fetch', 'tdr')


class Code:
    """A section .text.KERNEL of an executable with device addresses, as Intel's driver makes it."""

    def __init__(self, path):
        with open(path, 'rb') as file:
            content = bytearray(file.read())
        table, = struct.unpack_from('<Q', content, 40)
        count, names = struct.unpack_from('<HH', content, 60)
        sections = [struct.unpack_from('<IIQQQQ', content, table + 64 * i) for i in range(count)]
        for name, _, _, address, offset, size in sections:
            at = sections[names][4] + name
            text = content[at:content.index(0, at)].decode()
            if text.startswith('.text.'):
                self.kernel, self.address = text[6:], address
                with open('code', 'wb') as file:
                    file.write(content[offset:offset + size])
        struct.pack_into('<H', content, 18, 62)  # EM_X86_64: a machine that llvm-symbolizer supports
        with open('x86', 'wb') as file:
            file.write(content)

    def instructions(self, platform):
        listing = subprocess.run(['iga64', '-d', '-p=' + platform, '-Xprint-pc', 'code'],
                                 check=True, stdout=subprocess.PIPE, text=True).stdout
        for row in listing.splitlines():
            found = re.match(r'/\* \[([0-9A-F]+)\]  \*/ +(?:\([^)]*\) +)?(\S+)', row)
            if found and found[2] != 'illegal':
                yield int(found[1], 16), found[2]

    def lines(self, offsets):
        """For each offset [(FUNCTION, FILE, LINE)…], outermost first, which is the kernel."""
        said = subprocess.run(
            ['llvm-symbolizer', '--obj=x86', '--inlines', '--basenames'] +
            [hex(self.address + each) for each in offsets],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        # multiply_add
        # matmul.cl:11:14
        for block in said.strip().split('\n\n'):
            rows = block.splitlines()
            yield [(function, *where.split(':')[:2])
                   for function, where in zip(rows[::2], rows[1::2])][::-1]


def main(recording, platform, *callers):
    callers = dict(each.split('=', 1) for each in callers)
    paths = {}
    with open(recording) as file:
        for row in file:
            found = re.match(r'# .*PERF_RECORD_MMAP2 .*r-xp (.*)', row)
            if found:
                paths[found[1]] = None
    rows, expected, count = [], [], 0
    for path in paths:
        code = Code(path)
        places = callers[code.kernel].split('|')
        instructions = list(code.instructions(platform))
        lines = code.lines([offset for offset, _ in instructions])
        for (offset, mnemonic), chain in zip(instructions, lines):
            file, line = chain[-1][1:]
            if line in ('?', '0'):
                continue  # padding after the code
            stalls = {REASONS[count % 10]: 4 * (1 + count % 63)}
            if count % 3 == 0:
                stalls[REASONS[(count + 5) % 10]] = 4 * (1 + count % 61)
            count += 1
            rows.append(f'row {count % 2} {(code.address + offset) % 2**32:#x} ' +
                        ' '.join(f'{reason}={each}' for reason, each in stalls.items()))
            inlined = [function for function, _, _ in chain[1:]]
            for reason, each in stalls.items():
                frames = [chain[0][1], code.kernel, *inlined, f'{file}:{line}', mnemonic, reason,
                          hex(offset)]
                shares = [each] if len(places) == 1 else [each // 4 * 3, each // 4]
                for place, share in zip(places, shares):
                    expected.append(f'{place};{";".join(frames)} {share}\n')
    with open('rows', 'w') as file:
        file.writelines(row + '\n' for row in rows)
    with open('expected', 'w') as file:
        file.writelines(sorted(expected))


main(*sys.argv[1:])
