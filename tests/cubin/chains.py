# SPDX-License-Identifier: MIT
"""Writes random CUDA programs, and checks that the call chains drawn for them are possible.

chains.py write SEED FILE.cu    writes device functions that call one another, some of them inlined,
                                each on lines of its own; comments say who calls whom
chains.py check FILE.cu         reads KERNEL;FUNCTION…;FILE.cu:LINE COUNT from standard input, and
                                checks that each function is called by the preceding one, or (one
                                that is not inlined) follows the kernel, and that the line is in
                                the last function
"""
import random
import re
import sys


def write(seed, path):
    chance = random.Random(int(seed))
    lines = []
    count = chance.randint(5, 10)
    called = {}

    def function(name, head, callees, body):
        called[name] = callees
        lines.append(f'// {name} calls {" ".join(callees)}')
        lines.extend([head, *body, '}'])

    for i in range(count):
        kind = chance.choice(('__forceinline__', '__forceinline__', '__noinline__'))
        callees = [f'f{each}' for each in chance.sample(range(i), min(i, chance.randint(0, 3)))]
        body = []
        if chance.random() < .5:
            body.append(f'  for (int k = 0; k < n; ++k) x = x * {i + 2}.5f + k;')
        for each in callees:
            body.extend(chance.choice((
                [f'  x += {each}(x, n) * {each}(x + 1, n);'],
                [f'  if (x > {i}.0f) x = {each}(x * x, n);'],
                ['  for (int k = 0; k < n; ++k)', f'    x = {each}(x, k) + 1;'])))
        if chance.random() < .3:
            body.append(f'  x = x / (n + {i}.25f);')
        function(f'f{i}', f'__device__ {kind} float f{i}(float x, int n) {{', callees,
                 [*body, f'  return x + {i};'])
    for i in range(chance.randint(2, 3)):
        callees = [f'f{each}' for each in chance.sample(range(count), chance.randint(2, 4))]
        function(f'k{i}', f'extern "C" __global__ void k{i}(float* o, int n) {{', callees,
                 ['  float x = o[threadIdx.x];', *(f'  x += {each}(x, n);' for each in callees),
                  '  o[threadIdx.x] = x;'])
    with open(path, 'w') as out:
        out.write('\n'.join(lines) + '\n')


def check(path):
    calls, alone, where, name = {}, set(), {}, None
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if found := re.match(r'// (\w+) calls ?(.*)', line):
                name = found[1]
                calls[name] = found[2].split()
            if '__noinline__' in line:
                alone.add(name)
            where[number] = name
    chains = longest = 0
    for row in sys.stdin:
        *functions, place = re.sub(r'_\[[Gg]\]', '', row).rsplit(' ', 1)[0].split(';')
        if functions[-1].startswith('__cuda_sm') or place.startswith('__cuda_sm'):
            continue  # the compiler's helper for divisions
        if where[int(place.rsplit(':', 1)[1])] != functions[-1]:
            sys.exit(f'{row}: the line is in {where[int(place.rsplit(":", 1)[1])]}')
        for i, (caller, callee) in enumerate(zip(functions, functions[1:])):
            if callee not in calls[caller] and not (i == 0 and callee in alone):
                sys.exit(f'{row}: {caller} does not call {callee}')
        chains += 1
        longest = max(longest, len(functions))
    print(chains, longest)


def main(command, *rest):
    {'write': write, 'check': check}[command](*rest)


main(*sys.argv[1:])
