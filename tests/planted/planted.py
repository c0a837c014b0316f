# SPDX-License-Identifier: MIT
"""Compiles the kernels of kernels.py, and finds whether aiflame-annotate finds their causes.

planted.py TARGET [SHAPE…]   in the current directory. TARGET is x86, or what the vendor's compiler
                             calls its GPUs: sm_80, gfx90a, dg2. With shapes, only those kernels.

Prints how many causes were found, how many kernels the compiler has changed so that the victim does
not wait for the cause alone, and the kernels of which another cause was found; status 1 if any.
"""
import collections
import concurrent.futures
import os
import re
import shutil
import struct
import sys

from annotated import AMD, INTEL, NVIDIA, X86, Stall, annotate, open_objects, run

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = 'planted.cl'


# compilers

def compile_intel(device, kernels):
    """One object for each kernel: of several, Intel's compiler writes no lines."""
    out = device + '.objects'
    os.makedirs(out, exist_ok=True)

    def some(index, part):
        with open(f'{out}/{index}.commands', 'w') as file:
            for each in part:
                file.write(f'-file {SOURCE} --format zebin -device {device} -options '
                           f'"-g -D ONE -D ONE_{each}" -output {each} -output_no_suffix '
                           f'-out_dir {out}\n')
        run('ocloc', 'multi', f'{out}/{index}.commands')

    with concurrent.futures.ThreadPoolExecutor() as pool:
        count = os.cpu_count()
        list(pool.map(some, range(count), [kernels[i::count] for i in range(count)]))
    return [f'{out}/{each}' for each in kernels if os.path.exists(f'{out}/{each}')]


def compile_target(target, kernels):
    if re.match(r'dg2|pvc', target):
        return compile_intel(target, kernels)
    out = target + '.object'
    if target.startswith('sm_'):
        run('nvcc', '-x', 'cu', '-arch=' + target, '-cubin', '-lineinfo', '-w', '-o', out, SOURCE)
    else:
        machine = (['x86_64-linux-gnu', '-shared', '-fPIC'] if target == 'x86' else
                   ['amdgcn-amd-amdhsa', '-mcpu=' + target, '-nogpulib'])
        run(shutil.which('clang-15') or 'clang', '-x', 'cl', '-cl-std=CL2.0', '-O2', '-g', '-w',
            '-nostdlib', '-o', out, SOURCE, '-target', *machine)
    return [out]


def marked_lines():
    """KERNEL -> {'cause': LINE, 'victim': LINE, 'decoy': LINE}"""
    out = collections.defaultdict(dict)
    with open(SOURCE) as file:
        for number, line in enumerate(file, 1):
            if found := re.search(r'// (\w+) of (\w+)$', line):
                out[found[2]][found[1]] = number
    for each in out.values():
        each.setdefault('victim', each['cause'])  # who waits at a barrier is the barrier
    return out


# victims

# Causes that compute. The last instruction of most takes a fixed time, or one that the hardware
# sees to: the code does not say that it is waited for.
COMPUTED = ('divide', 'root', 'remainder', 'special')
ASYNCHRONOUS = {
    NVIDIA: ('special',),
    INTEL: ('root', 'special'),  # but on Max, whose math unit is in order
    AMD: (),
}
FIXED_REASON = {NVIDIA: 'wait', INTEL: 'dist_acc', AMD: 'alu_dependency'}


def waits(code, function, it):
    """Whether the instruction waits for a result, from its bytes or text."""
    if code.machine == NVIDIA:  # bits 52 to 57 of the second word: the scoreboards it waits for
        at = code.functions[function] + it['offset']
        return struct.unpack_from('<Q', code.bytes, at + 8)[0] >> 52 & 63 != 0
    if code.machine == AMD:
        return it.get('mnemonic', '').startswith('s_waitcnt')
    return re.search(r'\$\d+(\.dst|\.src)?\b', it.get('operands', '')) is not None


def is_barrier(code, function, it):
    if code.machine == NVIDIA:  # BAR.SYNC
        at = code.functions[function] + it['offset']
        return struct.unpack_from('<H', code.bytes, at)[0] & 0xFFF == 0xB1D
    return it.get('mnemonic') in ('s_barrier', 'sync.bar')


def is_square(code, function, it):
    """Whether an instruction multiplies a register by itself, always. Others of its line prepare
    a return or a wait."""
    if code.machine == NVIDIA:  # FMUL, IMAD: operands in bytes 3 and 4, the guard in bits 12 to 15
        low, = struct.unpack_from('<Q', code.bytes, code.functions[function] + it['offset'])
        return (low & 0x1FF in (0x20, 0x24, 0x25) and low >> 12 & 15 == 7 and
                low >> 24 & 255 == low >> 32 & 255 != 255)
    if code.machine == AMD:  # v_mul_f32_e32 v1, v2, v2
        return re.search(r'(v\d+), \1$', it.get('operands', '')) is not None
    return True


def victims_of(code, function, kind, its):
    """The victims among instructions of one line, and the reason of their stalls."""
    if code.machine == X86:
        return its[:1], None
    if kind == 'barrier':
        return ([it for it in its if is_barrier(code, function, it)],
                'sync' if code.machine == INTEL else 'barrier')
    if kind in COMPUTED and kind not in ASYNCHRONOUS[code.machine]:
        squares = [it for it in its if is_square(code, function, it)]
        return squares[:1], FIXED_REASON[code.machine]
    reason = {INTEL: 'sbid', AMD: 'waitcnt', NVIDIA: 'long_scoreboard'}[code.machine]
    if code.machine == NVIDIA and kind in ('local', 'special'):
        reason = 'short_scoreboard'
    waiting = [it for it in its if waits(code, function, it)]
    if code.machine == INTEL and kind in COMPUTED and not waiting:
        return its[:1], FIXED_REASON[INTEL]
    return waiting, reason


def victims(objects, listing, marked):
    kernels = {its['victim']: kernel for kernel, its in marked.items()}
    for code in objects:
        for function in sorted(code.functions):
            found = collections.defaultdict(list)
            for line, it in listing[function]:
                if line in kernels:
                    found[kernels[line]].append(it)
            for kernel, its in sorted(found.items()):
                its, reason = victims_of(code, function, kernel.split('_')[0], its)
                for it in its:
                    yield Stall(code, function, it['offset'], reason)


# the test

# What takes a time that nobody knows beforehand, by each vendor's names.
SLOW = {
    NVIDIA: r'LD|ATOM|RED|MUFU|S2U?R|[FI]2[FI]|SHFL',
    AMD: r'(global|flat|buffer|scratch|ds|s_load|s_buffer)_|v_(rcp|rsq|sqrt|sin|div)',
    INTEL: r'send|math',
    X86: r'v?div|idiv|v?sqrt|lock|xadd',
}


def is_slow(code, it):
    if code.machine == X86 and '[' in it.get('operands', '') and it['mnemonic'] != 'lea':
        return True
    return re.match(SLOW[code.machine], it.get('mnemonic', '')) is not None


def planted(code, instructions, its):
    """The victims that have no other cause than the planted line. The compiler may have moved the
    wait to another line, and AMD's s_waitcnt may wait for more at once."""
    lines = {it['offset']: line for line, it in instructions}
    stalled = [it for line, it in instructions if it['samples'] and line == its['victim']]
    if code.machine == AMD:
        stalled = [it for it in stalled
                   if {lines[at] for at in it.get('producers', [])} <= {its['cause']}]
    return stalled if its['cause'] in lines.values() else []


def wrong(code, kernel, instructions, stalled, its):
    """What is said of a kernel's victims, if that is not the planted line. The first instruction of
    a chain that takes long has to be on that line; of what takes a fixed time, any."""
    at = {it['offset']: (line, it) for line, it in instructions}
    for victim in stalled:
        chain = [at.get(each, (0, {})) for each in victim['chain']]
        if not any(is_slow(code, it) for line, it in chain if line == its['cause']):
            if kernel.split('_')[0] not in (*COMPUTED, 'barrier'):
                return describe(chain, victim)
        for line, it in chain:
            if line == its['cause']:
                break
            if it is not victim and is_slow(code, it):
                return describe(chain, victim)
        else:
            return describe(chain, victim)
    return None


def describe(chain, victim):
    return (' <- '.join(f'{it["offset"]:#x} {it.get("mnemonic")} (line {line})'
                        for line, it in chain) +
            f', {victim["chain_end"]}; {victim.get("operands")} {victim.get("reasons")}')


def main(target, *shapes):
    with open(SOURCE, 'w') as file:
        file.write(run('python3', HERE + '/kernels.py', *shapes))
    marked = marked_lines()
    objects = open_objects(compile_target(target, sorted(marked)))
    everything = annotate(objects, [Stall(code, function, 0, 'other')
                                    for code in objects for function in sorted(code.functions)],
                          target + '.all')
    stalls = list(victims(objects, everything, marked))
    listing = annotate(objects, stalls, target + '.gpustall')
    compiled = {each for code in objects for each in code.functions}
    changed, missed = set(marked) & compiled, {}
    for function, instructions in sorted(listing.items()):
        code = next(each for each in objects if function in each.functions)
        for kernel, its in sorted(marked.items()):
            if stalled := planted(code, instructions, its):
                changed.discard(kernel)
                if message := wrong(code, kernel, instructions, stalled, its):
                    missed[kernel] = f'line {its["cause"]}: in {function} {message}'
    found = len(compiled & set(marked)) - len(changed) - len(missed)
    for each in sorted(missed.items()):
        print('missed:', *each)
    print('changed:', *sorted(changed))
    print(f'{target}: found {found}, changed {len(changed)}, missed {len(missed)}')
    return 1 if missed else 0


sys.exit(main(*sys.argv[1:]))
