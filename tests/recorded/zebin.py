# SPDX-License-Identifier: MIT
"""Intel GPU code objects, read and relocated independently of ours, for tests.

zebin.py kernels FILE           NAME SIZE of each kernel
zebin.py code FILE KERNEL       the kernel's bytes, to standard output
zebin.py flat FILE OUT          relocated, as x86, so that readelf reads its debug information
zebin.py debug FILE OUT         as the driver hands it out: an executable with the device's addresses
zebin.py samples FILE [OFFSET…] a recording with an sbid stall at each offset (decimal or 0x…) of
                                each kernel; without offsets at each multiple of 8
zebin.py listed LISTING [LINES] OFFSET;MNEMONIC of each instruction of an assembly listing, with
                                FILE:LINE; in front where LINES are those of readelf's decodedline
"""
import re
import struct
import sys

HEADER, SECTION, SYMBOL = 64, 64, 24
DEVICE = 0xFFFF800000000000  # as the driver writes addresses: sign-extended


class Zebin:
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.bytes = bytearray(file.read())
        self.table, = struct.unpack_from('<Q', self.bytes, 40)
        count, names = struct.unpack_from('<HH', self.bytes, 60)
        self.sections = [self.section(i) for i in range(count)]
        for section in self.sections:
            section['name'] = self.text(self.sections[names]['offset'] + section['name'])

    def section(self, index):
        keys = ('name', 'type', 'flags', 'address', 'offset', 'size', 'link', 'info', 'align',
                'entry')
        return dict(zip(keys, struct.unpack_from('<IIQQQQIIQQ', self.bytes,
                                                 self.table + SECTION * index)))

    def text(self, at):
        return self.bytes[at:self.bytes.index(0, at)].decode()

    def kernels(self):
        return [each for each in self.sections if each['name'].startswith('.text.')]

    def code(self, kernel):
        return self.bytes[kernel['offset']:kernel['offset'] + kernel['size']]

    def relocate(self, base=0):
        """Relocates one kernel, with the relocations that Debian's compiler writes: a number of 32
        bits (type 2) is the addend, one of 64 bits (type 1) the addend plus the kernel's start."""
        for each in self.sections:
            if not each['name'].startswith('.rela.debug'):
                continue
            target = self.sections[each['info']]
            for at in range(each['offset'], each['offset'] + each['size'], 24):
                offset, info, addend = struct.unpack_from('<QQq', self.bytes, at)
                wide = info & 0xFFFFFFFF == 1
                value = addend + (base if wide else 0)
                struct.pack_into('<Q' if wide else '<I', self.bytes, target['offset'] + offset,
                                 value % 2**64)

    def flat(self):
        self.relocate()
        struct.pack_into('<H', self.bytes, 18, 62)  # EM_X86_64
        for index, each in enumerate(self.sections):
            if each['name'].startswith('.rel'):
                struct.pack_into('<I', self.bytes, self.table + SECTION * index + 4, 1)
        return self.bytes

    def debug(self):
        kernel, = self.kernels()
        self.relocate(DEVICE)
        struct.pack_into('<H', self.bytes, 16, 2)  # ET_EXEC
        index = self.sections.index(kernel)
        struct.pack_into('<Q', self.bytes, self.table + SECTION * index + 16, DEVICE)
        for each in self.sections:
            if each['type'] != 2:  # SHT_SYMTAB
                continue
            for at in range(each['offset'], each['offset'] + each['size'], SYMBOL):
                where, value = struct.unpack_from('<HQ', self.bytes, at + 6)
                if where == index:
                    struct.pack_into('<Q', self.bytes, at + 8, value + DEVICE)
        struct.pack_into('<Q', self.bytes, 32, len(self.bytes))  # program headers, at the end
        struct.pack_into('<HH', self.bytes, 54, 56, 1)
        return self.bytes + struct.pack('<IIQQQQQQ', 1, 5, kernel['offset'], DEVICE, 0,
                                        kernel['size'], 0x10000, 4)


def samples(path, offsets):
    zebin = Zebin(path)
    count = 0
    print('# gpustall 1\n# device 0 : xe, made by hand for the tests')
    for index, kernel in enumerate(zebin.kernels()):
        print(f'# app 7/7 [000] 1.000000000: PERF_RECORD_MMAP2 7/7: [{0x800000000000 + index * 2**20:#x}'
              f'({kernel["size"]:#x}) @ {kernel["offset"]:#x} 00:00 0 0]: r-xp {path}')
    for index, kernel in enumerate(zebin.kernels()):
        name, base = kernel['name'][6:], 0x800000000000 + index * 2**20
        print(f'# launch {index + 1}\n\napp 7/8 [000] 1.000000001: 1 gpu-launch: \n'
              f'\t{base:16x} {name}+0x0 ({path})\n\t{0x401000 + index:16x} run_{name}+0x1 (/app)\n')
    print('# slice 1.000000000 1.010000000')
    for index, _ in enumerate(zebin.kernels()):
        print(f'# launched {index + 1} 1 0.001000000')
    print('# launch ?\n')
    for index, kernel in enumerate(zebin.kernels()):
        name, base = kernel['name'][6:], 0x800000000000 + index * 2**20
        for offset in offsets or range(0, kernel['size'], 8):
            print(f'app 7/8 [000] 1.010000000: 1 gpu-stall: \n\t{0:16x} sbid ([stall])\n'
                  f'\t{base + offset:16x} {name}+{offset:#x} ({path})\n')
            count += 1
    print(f'# end samples {count} launches {len(zebin.kernels())} lost 0\n')


def listed(listing, lines=None):
    starts = []
    for row in open(lines) if lines else []:
        words = row.split()  # gpu_kernel.cl  4  0x1b0  x
        if len(words) >= 3 and re.fullmatch('0|0x[0-9a-f]+', words[2]):
            starts.append((int(words[2], 16), words[0], words[1]))
    for row in open(listing):
        found = re.match(r'/\* \[([0-9A-F]+)\]  \*/ +(?:\([^)]*\) +)?(\S+)', row)
        if not found or found[2] == 'illegal':
            continue
        offset = int(found[1], 16)
        at = [f'{file}:{line};' for start, file, line in starts if start <= offset][-1:]
        if not starts or not at[0].endswith(':-;'):
            print(f'{"".join(at)}{found[2]};{offset:#x}')


def main(command, path, *rest):
    if command == 'kernels':
        for each in Zebin(path).kernels():
            print(each['name'][6:], each['size'])
    elif command == 'code':
        zebin = Zebin(path)
        kernel, = [each for each in zebin.kernels() if each['name'] == '.text.' + rest[0]]
        sys.stdout.buffer.write(zebin.code(kernel))
    elif command in ('flat', 'debug'):
        with open(rest[0], 'wb') as out:
            out.write(getattr(Zebin(path), command)())
    elif command == 'listed':
        listed(path, *rest)
    elif command == 'samples':
        samples(path, [int(each, 0) for each in rest])
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
