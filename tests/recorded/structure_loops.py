# SPDX-License-Identifier: MIT
"""Compares the loops around each instruction with those that another program has found: hpcstruct
of HPCToolkit, which reads device code by Dyninst.

structure_loops.py OBJECT STRUCTURE

Every place in STRUCTURE becomes a sample of a recording, of which stackcollapse-aiflame tells the
loops. Prints how many places and loops agree, and then each loop that does not:

    places 75, 37 of them in loops, 75 agree, 37 lines agree; loops 1, 1 with the same members
"""
import os
import re
import struct
import subprocess
import sys
from xml.etree import ElementTree

STEP = 4  # bytes: the shortest instruction of AMD; those of Intel have 8 or 16, of NVIDIA 16


def code_sections(path):
    """(address, offset in the file, size) of each; of NVIDIA, hpcstruct calls the offset address."""
    with open(path, 'rb') as file:
        content = file.read()
    table, = struct.unpack_from('<Q', content, 40)
    count, = struct.unpack_from('<H', content, 60)
    for i in range(count):
        _, _, flags, address, offset, size = struct.unpack_from('<IIQQQQ', content, table + 64 * i)
        if flags & 4:  # SHF_EXECINSTR
            yield address or offset, offset, size


def structure(path):
    """By address: its function's number and the loops around it, outermost first, each as
    (number, FILE:LINE)."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    out = {}

    # <L i="30" l="45" f="…/compute.h" v="…"><S i="31" l="45" v="{[0x4f8-0x518) [0x5d8-0x610)}"/>
    def visit(node, function, loops):
        if node.tag == 'P':
            function = node.get('i')
        if node.tag == 'L':
            line = node.get('l')
            where = '' if line == '0' else f'{os.path.basename(node.get("f"))}:{line}'
            loops = loops + [(node.get('i'), where)]
        if node.tag == 'S':
            for begin, end in re.findall(r'\[0x([0-9a-f]+)-0x([0-9a-f]+)\)', node.get('v')):
                for address in range(int(begin, 16), int(end, 16), STEP):
                    out[address] = function, loops
        for child in node:
            visit(child, function, loops)

    visit(ElementTree.fromstring(text[text.index('<HPCToolkitStructure '):]), '', [])
    return out


def folded(path, addresses):
    """By address: the frames of the loops around it, outermost first."""
    rows = ['# gpustall 1', '']
    for address, offset, size in code_sections(path):
        rows += [f'# app 1/1 [000] 1.0: PERF_RECORD_MMAP2 1/1: [{address:#x}({size:#x}) @ '
                 f'{offset:#x} 00:00 0 0]: r-xp {path}', '']
    for address in addresses:
        rows += ['app 1/1 [000] 1.0: 1 gpu-stall: ', '\t0 other ([stall])',
                 f'\t{address:x} code+{address:#x} ({path})', '']
    said = subprocess.run(['stackcollapse-aiflame', '--gpu-frames', 'loop,offset', '-'],
                          input='\n'.join(rows) + '\n', check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    out = {}
    for row in said.splitlines():
        frames = re.findall(r'([^;]+)_\[[gG]\]', row)
        if frames:
            out[int(frames[-1], 16)] = frames[:-1]
    return out


def members(nests):
    """The addresses in each loop. What is around a loop tells it apart from others too."""
    out = {}
    for address, (function, nest) in nests.items():
        for depth in range(1, len(nest) + 1):
            out.setdefault((function, *nest[:depth]), set()).add(address)
    return list(out.values())


def main():
    path, expected = sys.argv[1], structure(sys.argv[2])
    found = folded(path, expected)
    in_loops = agree = lines = 0
    here = {}
    differing = {}
    for address, (function, loops) in sorted(expected.items()):
        its = found.get(address, [])
        here[address] = function, its
        in_loops += bool(loops)
        if len(loops) == len(its):
            agree += 1
            lines += bool(loops) and all(not where or f'loop at {where}' == frame
                                         for (_, where), frame in zip(loops, its))
        else:
            what = ' '.join(where or '?' for _, where in loops), '; '.join(its)
            differing.setdefault(what, []).append(address)
    ours, theirs = members(here), members(expected)
    same = sum(each in ours for each in theirs)
    print(f'places {len(expected)}, {in_loops} of them in loops, {agree} agree, '
          f'{lines} lines agree; loops {len(theirs)}, {same} with the same members')
    for (there, found_here), addresses in differing.items():
        print(f'{len(addresses)} from {addresses[0]:#x} to {addresses[-1]:#x}: '
              f"'{there}', here '{found_here}'")


main()
