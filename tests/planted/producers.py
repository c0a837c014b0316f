# SPDX-License-Identifier: MIT
"""Finds a second time what each instruction of code objects waits for, and compares.

producers.py OBJECT…     prints `instructions N of N, waiting N, producers N, wrong N`, and each
                         instruction of which aiflame-annotate says something else; status 1 if
                         any. Those that no way leads to are left out. The objects' functions
                         have different names.

aiflame-annotate searches backwards from the waiting instruction. This goes forwards from the
kernel's entry, on all ways, with what is under way, until nothing new is found. It reads the
disassemblers' text (Intel, AMD), and of NVIDIA's code the bytes.
"""
import collections
import re
import struct
import sys

from annotated import AMD, INTEL, NVIDIA, Stall, annotate, open_objects

# `leads`, `call`: offsets of the instructions that may follow, and of the function that it calls.
# `effect`: what it does to Intel's tokens, and to the counters of the others.
Instruction = collections.namedtuple('Instruction', 'leads effect call returns',
                                     defaults=(None, False))


class Intel:
    """The state has (token, producer, read, done): whether its source and result were waited for
    since."""

    def __init__(self, code, function, listing):
        following = [it['offset'] for it in listing[1:]] + [None]
        self.instructions = {it['offset']: self.instruction(it, below)
                             for it, below in zip(listing, following)}

    def instruction(self, it, below):
        name, operands = it.get('mnemonic', ''), it.get('operands', '')
        options = re.search(r'\{([^}]*)\}$', operands)  # {Compacted,A@1,$2.dst}
        options = options[1].split(',') if options else []
        takes, done, read = ({int(found[1]) for each in options
                              if (found := re.fullmatch(pattern, each))}
                             for pattern in (r'\$(\d+)', r'\$(\d+)\.dst', r'\$(\d+)\.src'))
        everything = None
        if name in ('sync.allwr', 'sync.allrd'):  # null, ($4,$6)
            if operands.startswith('('):
                (done if name == 'sync.allwr' else read).update(
                    int(each) for each in re.findall(r'\$(\d+)', operands.split(')')[0]))
            else:
                everything = name[-2:]
        kind = name.split('.')[0]
        leads = []
        if kind in ('jmpi', 'if', 'else', 'endif', 'while', 'break', 'cont', 'goto', 'join', 'call',
                    'halt', 'brd', 'brc'):
            leads = [int(each, 16) for each in re.findall(r'\b0x[0-9a-f]+\b', operands)]
        jumps = kind in ('jmpi', 'goto', 'ret', 'brd', 'brc')
        ends = not name or name == 'illegal' or 'EOT' in options
        if not ends and (not jumps or 'f' in it.get('guard', '')):
            leads.append(below)
        return Instruction(leads, (takes, done, read, everything))

    def step(self, at, state):
        takes, done, read, everything = self.instructions[at].effect
        found = set()
        for token, producer, was_read, was_done in state:
            if everything:
                wanted = not was_done and (everything == 'wr' or not was_read)
            elif done or read:
                wanted = token in done | read
            else:
                wanted = token in takes and not was_done
            if wanted:
                found.add(producer)
        after = set()
        for token, producer, was_read, was_done in state:
            if token in takes:
                continue
            after.add((token, producer, was_read or token in read or everything == 'rd',
                       was_done or token in done or everything == 'wr'))
        return found, after | {(token, at, False, False) for token in takes}


class Counters:
    """The state has (counter, producer, younger, in order): how many that counter has counted
    since."""

    def step(self, at, state):
        counts, waits, in_order = self.instructions[at].effect
        found, after = set(), set()
        unordered = {counter for counter, _, _, ordered in state if not ordered}
        for counter, producer, younger, ordered in state:
            left = waits.get(counter)
            if left is not None and (younger >= left or counter in unordered and left == 0):
                if left == 0 or counter not in unordered:
                    found.add(producer)
                    continue
            after.add((counter, producer, min(younger + (counter in counts), 63), ordered))
        return found, after | {(counter, at, 0, in_order) for counter in counts}


class Amd(Counters):
    NAMES = {'vmcnt': 'load', 'vscnt': 'store', 'lgkmcnt': 'lds', 'expcnt': 'export'}

    def __init__(self, code, function, listing):
        # gfx1010 and later, less what is gfx9 among them: gfx90a, gfx940, gfx942, gfx950
        gfx10 = code.flags & 0xFF >= 0x33 and code.flags & 0xFF not in (0x3F, 0x40, 0x4C, 0x4F)
        self.instructions = {}
        following = [it['offset'] for it in listing[1:]] + [None]
        for it, below in zip(listing, following):
            name, operands = it.get('mnemonic', ''), it.get('operands', '')
            leads = []
            if name.startswith(('s_branch', 's_cbranch')):
                leads.append(int(operands, 16))
            if not re.match(r's_(branch|setpc|swappc|call|endpgm|rfe)', name) and name:
                leads.append(below)
            self.instructions[it['offset']] = Instruction(
                leads, (self.counted(name, operands, gfx10), self.waited(name, operands),
                        not re.match(r'flat_|s_', name)))

    def waited(self, name, operands):
        if name == 's_waitcnt':
            if operands in ('0', '0x0'):
                return dict.fromkeys(self.NAMES.values(), 0)
            return {self.NAMES[each]: int(left) for each, left in
                    re.findall(r'(\w+)\((\d+)\)', operands)}
        if name == 's_waitcnt_vscnt':
            return {'store': int(operands.split()[-1], 0)}
        return {}

    @staticmethod
    def counted(name, operands, gfx10):
        if re.match(r'(global|flat|buffer|scratch)_(load|store|atomic)', name):
            stores = '_store' in name or '_atomic' in name and ' glc' not in operands
            return {'store' if gfx10 and stores else 'load'} | (
                {'lds'} if name.startswith('flat_') else set())
        if name.startswith('buffer_wb'):  # writes a cache back
            return {'load'}
        if re.match(r'ds_|s_load_|s_buffer_load_|s_memtime|s_sendmsg', name):
            return {'lds'}
        return set()


class Nvidia(Counters):
    """Copies that go on by themselves (cp.async) are not read."""

    def __init__(self, code, function, listing):
        start = code.functions[function]
        words = {it['offset']: struct.unpack_from('<QQ', code.bytes, start + it['offset'])
                 for it in listing}
        self.instructions = {at: self.instruction(at, low, high, code.architecture)
                             for at, (low, high) in words.items()}
        # BRX, JMX, CALL.ABS: where they lead is in tables and registers
        if any(low & 0x1FF in (0x143, 0x149, 0x14A, 0x14C, 0x158, 0x159)
               for low, _ in words.values()):
            self.instructions = {}

    @staticmethod
    def instruction(at, low, high, architecture):
        kind, word = low & 0x1FF, low | high << 64
        waits = {board: 0 for board in range(6) if high >> 52 >> board & 1}
        if kind == 0x11A and word >> 47 & 1:  # DEPBAR.LE
            waits[word >> 44 & 7] = word >> 38 & 63
        counts = {high >> 46 & 7, high >> 49 & 7} - {6, 7}
        target, bits = word >> 34 & 2**48 - 1, 48
        if architecture >= 90:
            target, bits = target << 8 | low >> 16 & 255, 56
        target = at + 16 + 4 * (target - (target >> bits - 1 << bits))
        guarded = low >> 12 & 15 != 7 or word >> 87 & 15 != 7 or kind == 0x147 and word >> 91 & 1
        effect = (counts, waits, True)
        if kind == 0x144:  # CALL.REL
            return Instruction([], effect, call=target)
        leads = [at + 16]
        if kind in (0x147, 0x14D, 0x150, 0x15B) and not guarded:  # BRA, EXIT, RET, KILL
            leads = []
        if kind == 0x147:
            leads.append(target)
        return Instruction(leads, effect, returns=kind == 0x150)


def read(code, function, listing):
    """What each instruction waits for, by its offset; those that no way leads to are missing."""
    machine = {INTEL: Intel, AMD: Amd, NVIDIA: Nvidia}[code.machine](code, function, listing)
    out = {}
    if 0 not in machine.instructions:
        return out
    states, open_ = {((), 0): frozenset()}, [((), 0)]
    while open_:  # places are instructions with the calls that lead to them
        calls, at = place = open_.pop()
        found, state = machine.step(at, states[place])
        out.setdefault(at, set()).update(found)
        its = machine.instructions[at]
        following = [(calls, each) for each in its.leads]
        if its.call is not None and len(calls) < 8:
            following.append((calls + (at + 16,), its.call))
        if its.returns and calls:
            following.append((calls[:-1], calls[-1]))
        for each in following:
            if each[1] not in machine.instructions:
                continue
            before = states.get(each)
            merged = frozenset(state) | (before or frozenset())
            if merged != before:
                states[each] = merged
                open_.append(each)
    return out


def main(*paths):
    objects = open_objects(paths)
    reasons = {INTEL: 'sbid', AMD: 'waitcnt', NVIDIA: 'long_scoreboard'}
    listing = annotate(objects, [Stall(code, function, 0, 'other')
                                 for code in objects for function in sorted(code.functions)], 'all')
    owner = {function: code for code in objects for function in code.functions}
    stalls = [Stall(owner[function], function, it['offset'], reasons[owner[function].machine])
              for function, code in sorted(listing.items()) for _, it in code]
    listing = annotate(objects, stalls, 'each')
    waiting = producers = instructions = every = wrong = 0
    for function, code in sorted(listing.items()):
        code = [it for _, it in code]
        every += len(code)
        expected = read(owner[function], function, code)
        for it in code:
            if it['offset'] not in expected:
                continue
            instructions += 1
            ours, theirs = it.get('producers', []), sorted(expected[it['offset']])
            waiting += bool(theirs)
            producers += len(theirs)
            if ours != theirs:
                wrong += 1
                print(f'{function} {it["offset"]:#x} {it.get("mnemonic")} {it.get("operands")}:',
                      *map(hex, ours), 'second reading:', *map(hex, theirs))
    print(f'instructions {instructions} of {every}, waiting {waiting}, producers {producers}, '
          f'wrong {wrong}')
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
