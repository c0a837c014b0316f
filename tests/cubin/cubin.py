# SPDX-License-Identifier: MIT
"""NVIDIA code objects, read independently of ours, for tests.

cubin.py functions FILE        NAME SIZE of each function that has a section of its own
cubin.py samples FILE [NAME…]  a recording with a stall at each instruction of each of these, or all
"""
import struct
import sys

DEVICE = 0x1000000000  # addresses are made up from here on, by the offset in the file


class Cubin:
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.bytes = file.read()
        table, = struct.unpack_from('<Q', self.bytes, 40)
        count, names = struct.unpack_from('<HH', self.bytes, 60)
        keys = ('name', 'type', 'flags', 'address', 'offset', 'size')
        self.sections = [dict(zip(keys, struct.unpack_from('<IIQQQQ', self.bytes, table + 64 * i)))
                         for i in range(count)]
        start = self.sections[names]['offset']
        for each in self.sections:
            at = start + each['name']
            each['name'] = self.bytes[at:self.bytes.index(0, at)].decode()

    def functions(self):
        return [each for each in self.sections if each['name'].startswith('.text.')]


def samples(path, names):
    cubin = Cubin(path)
    wanted = [each for each in cubin.functions() if not names or each['name'][6:] in names]
    count = 0
    print('# gpustall 1\n# device 0 : cupti, made by hand for the tests')
    print(f'# app 7/7 [000] 1.000000000: PERF_RECORD_MMAP2 7/7: [{DEVICE:#x}'
          f'({len(cubin.bytes):#x}) @ 0 00:00 0 0]: r-xp {path}')
    for index, kernel in enumerate(wanted):
        name = kernel['name'][6:]
        print(f'# launch {index + 1}\n\napp 7/8 [000] 1.000000001: 1 gpu-launch: \n'
              f'\t{DEVICE + kernel["offset"]:16x} {name}+0x0 ({path})\n'
              f'\t{0x401000 + index:16x} run+0x1 (/app)\n')
    print('# slice 1.000000000 1.010000000')
    for index, _ in enumerate(wanted):
        print(f'# launched {index + 1} 1 0.001000000')
    print('# launch ?\n')
    for kernel in wanted:
        name = kernel['name'][6:]
        for offset in range(0, kernel['size'], 16):
            print(f'app 7/8 [000] 1.010000000: 1 gpu-stall: \n\t{0:16x} long_scoreboard ([stall])\n'
                  f'\t{DEVICE + kernel["offset"] + offset:16x} {name}+{offset:#x} ({path})\n')
            count += 1
    print(f'# end samples {count} launches {len(wanted)} lost 0\n')


def main(command, path, *rest):
    if command == 'functions':
        for each in Cubin(path).functions():
            print(each['name'][6:], each['size'])
    elif command == 'samples':
        samples(path, rest)
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
