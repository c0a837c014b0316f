#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stands in for nvdisasm of the CUDA toolkit, and prints bare code (-b SMxx FILE) like it.

It knows the instructions that every kernel has and that are encoded alike from sm_70 on, and prints
nothing for the others."""
import struct
import sys

NAMES = {0x918: 'NOP', 0x919: 'S2R', 0x947: 'BRA', 0x94d: 'EXIT', 0x950: 'RET.REL.NODEC',
         0x981: 'LDG.E', 0x986: 'STG.E'}
ARCHITECTURES = ('SM75', 'SM80', 'SM90')


def main(option, architecture, path):
    if option != '-b' or architecture not in ARCHITECTURES:
        sys.exit(f"nvdisasm fatal   : Value '{architecture}' is not defined for option 'binary'")
    with open(path, 'rb') as file:
        code = file.read()
    print(f'\t.headerflags\t@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS '
          f'EF_CUDA_{architecture} EF_CUDA_VIRTUAL_SM(EF_CUDA_{architecture})"')
    for at in range(0, len(code) - 15, 16):
        word, = struct.unpack_from('<Q', code, at)
        # from the lowest: 12 bits of operation, three of a predicate (7: always), and its sign
        name, predicate = NAMES.get(word & 0xfff), word >> 12 & 7
        if name is None:
            continue
        condition = f'@{"!" if word >> 15 & 1 else ""}P{predicate}' if predicate != 7 else ''
        print(f'        /*{at:04x}*/ {condition:>17} {name} ;')


main(*sys.argv[1:])
