# SPDX-License-Identifier: MIT
"""Writes kernels in each of which one known line is what another line waits for.

kernels.py [SHAPE…] > planted.cl    the text compiles as OpenCL C (Intel, AMD, x86-64) and as CUDA

The marker `// cause of KERNEL` is on the line whose result is late (a load, an atomic operation, a
division, a barrier) and `// victim of KERNEL` on the line that uses it first. Some kernels have a
`// decoy of KERNEL`: a load beside the cause whose result the victim does not read. What the cause
reads itself comes from arguments and ids, or from an earlier round of the cause. With -D ONE and
-D ONE_KERNEL only that kernel is compiled: Intel's compiler writes lines for single kernels only.
"""
import random
import sys

PRELUDE = """\
#if defined(__CUDACC__)
#define KERNEL(name) extern "C" __global__ void name
#define GLOBAL
#define LOCAL
#define TILE __shared__
#define RESTRICT __restrict__
#define INLINED static __device__ __forceinline__
#define CALLED static __device__ __noinline__
#define ARGUMENT
#define ID int id = threadIdx.x;
#define BARRIER __syncthreads()
#define ATOMIC(at) __iAtomicAdd(at, 1)  // atomicAdd is an inlined function with lines of its own
#define ROOT(x) sqrtf(x)
#define SPECIAL(x) __sinf(x)
#else
#define KERNEL(name) __kernel void name
#define GLOBAL __global
#define LOCAL __local
#define TILE __local
#define RESTRICT restrict
#define INLINED static inline __attribute__((always_inline))
#define CALLED __attribute__((noinline))
#if defined(__AMDGCN__)
#define ARGUMENT
#define ID int id = __builtin_amdgcn_workitem_id_x();
#define BARRIER __builtin_amdgcn_s_barrier()
#define ATOMIC(at) \\
  __opencl_atomic_fetch_add((GLOBAL atomic_int*)(at), 1, memory_order_relaxed, memory_scope_device)
#define ROOT(x) __builtin_sqrtf(x)
#define SPECIAL(x) __builtin_amdgcn_sinf(x)
#elif defined(__x86_64__)
#define ARGUMENT , int id
#define ID
#define BARRIER __asm volatile("" ::: "memory")
#define ATOMIC(at) \\
  __opencl_atomic_fetch_add((GLOBAL atomic_int*)(at), 1, memory_order_relaxed, memory_scope_device)
#define ROOT(x) __builtin_sqrtf(x)
#else
#define ARGUMENT
#define ID int id = get_local_id(0);
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define ATOMIC(at) atomic_add(at, 1)
#define ROOT(x) native_rsqrt(x)
#define SPECIAL(x) native_sin(x)
#endif
#endif
#define POINTERS GLOBAL const float* RESTRICT a, GLOBAL const int* RESTRICT b, \\
  GLOBAL const float* RESTRICT d, GLOBAL int* RESTRICT c, GLOBAL float* RESTRICT out
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
"""


class Cause:
    """A late result: its name and type, its expression, the lines before it and those at the
    kernel's start, the targets that have it, and parameters, arguments and expression of a function
    that returns it."""

    def __init__(self, name, type_, late, before=(), setup=(), where='1', helper=None):
        self.name, self.type, self.late = name, type_, late
        self.before, self.setup, self.where, self.helper = before, setup, where, helper


FILL = ('TILE float t[64];', 't[(id * {c1}) & 63] = (float)(id + {c2});', 'BARRIER;')
CAUSES = (
    Cause('global', 'float', 'a[{i}]',
          helper=('GLOBAL const float* a, int i', 'a, {i}', 'a[i]')),
    Cause('integer', 'int', 'b[{i}]',
          helper=('GLOBAL const int* b, int i', 'b, {i}', 'b[i]')),
    Cause('wide', 'long', '((GLOBAL const long*)b)[{i}]',
          helper=('GLOBAL const long* b, int i', '(GLOBAL const long*)b, {i}', 'b[i]')),
    Cause('narrow', 'int', '((GLOBAL const short*)b)[{i}]',
          helper=('GLOBAL const short* b, int i', '(GLOBAL const short*)b, {i}', 'b[i]')),
    Cause('address', 'float', 'a[j]', before=('int j = (({i}) * {c1} ^ m) + n;',),
          helper=('GLOBAL const float* a, int j', 'a, j', 'a[j]')),
    Cause('uniform', 'float', 'a[n + {u}]',
          helper=('GLOBAL const float* a, int i', 'a, n + {u}', 'a[i]')),
    Cause('local', 'float', 't[({i}) & 63]', setup=FILL,
          helper=('LOCAL const float* t, int i', 't, {i}', 't[i & 63]')),
    Cause('chase', 'int', 'b[b[{i}]]',
          helper=('GLOBAL const int* b, int i', 'b, {i}', 'b[b[i]]')),
    Cause('atomic', 'int', 'ATOMIC(c + ({i}))',
          helper=('GLOBAL int* c, int i', 'c, {i}', 'ATOMIC(c + i)')),
    Cause('divide', 'float', 'x / y',
          before=('float x = (float)({i} + {c1});', 'float y = (float)(id + {c2});'),
          helper=('float x, float y', 'x, y', 'x / y')),
    Cause('root', 'float', 'ROOT(x)', before=('float x = (float)({i} + {c1});',),
          helper=('float x', 'x', 'ROOT(x)')),
    Cause('remainder', 'int', '({i}) % (m + {c1})',
          helper=('int i, int j', '{i}, m + {c1}', 'i % j')),
    Cause('special', 'float', 'SPECIAL(x)', before=('float x = (float)({i} + {c1}) * .125f;',),
          where='defined(SPECIAL)', helper=('float x', 'x', 'SPECIAL(x)')),
)

# Rounds of an unrolled loop that compute are interleaved, so that none waits.
COMPUTED = ('divide', 'root', 'remainder', 'special')


class Writer:
    def __init__(self, seed):
        self.lines = PRELUDE.splitlines()
        self.chance = random.Random(seed)

    def kernel(self, cause, shape):
        self.cause, self.type, self.name = cause, cause.type, f'{cause.name}_{shape}'
        self.where = cause.where
        self.numbers = {f'c{i}': self.chance.randrange(3, 30, 2) for i in range(1, 6)}
        self.helpers, self.body = [], []
        getattr(self, shape)()
        self.lines.append(f'#if {self.where} && (!defined(ONE) || defined(ONE_{self.name}))')
        self.lines += self.helpers
        self.lines.append(f'KERNEL({self.name})(POINTERS, int n, int m ARGUMENT) {{')
        self.lines.append('  ID')
        for each in cause.setup:
            self.lines.append('  ' + each.format(**self.numbers))
        self.lines.append(f'  {self.type} sum = 0;')
        self.lines += self.body
        self.lines += ['  out[id] = sum;', '}', '#endif']

    def add(self, text, marker=None):
        mark = f'  // {marker} of {self.name}' if marker else ''
        self.body.append(('  ' + text).format(**self.numbers) + mark)

    def index(self, i, uniform):
        self.numbers.update(i=i, u=uniform)
        for each in ('i', 'u'):
            self.numbers[each] = self.numbers[each].format(**self.numbers)

    def before(self):
        for each in self.cause.before:
            self.add(each)

    def late(self, declared=True):
        self.add((f'{self.type} v = ' if declared else 'v = ') + self.cause.late + ';', 'cause')

    def use(self):
        self.add(f'{self.type} r = v * v;', 'victim')
        self.add('sum = LARGER(sum, r);')

    def before_late_use(self):
        self.before()
        self.late()
        self.use()

    def decoy(self):
        self.add('float e = d[id * {c3} + {c4}];', 'decoy')

    # shapes

    def straight(self):
        self.index('id + {c5}', '{c5}')
        self.before_late_use()

    def loop(self, pragma='unroll 1'):
        self.body.append(f'#pragma {pragma}')
        self.add('for (int k = 0; k < n; ++k) {{')
        self.index('id + k * {c5}', 'k * {c5}')
        self.before_late_use()
        self.add('}}')

    def unrolled(self):
        self.loop('unroll 4')

    def nested(self):
        self.add('for (int l = 0; l < m; ++l)')
        self.body.append('#pragma unroll 1')
        self.add('for (int k = 0; k < n; ++k) {{')
        self.index('id + k * m + l', 'k * m + l')
        self.before_late_use()
        self.add('}}')

    def conditional(self):
        self.index('id + {c5}', '{c5}')
        self.add('if (id > m) {{')
        self.before_late_use()
        self.add('}}')

    def either(self):
        self.index('id + {c5}', '{c5}')
        self.add(f'{self.type} v = n * {{c4}};')
        self.add('if (id > m) {{')
        self.before()
        self.late(declared=False)
        self.add('}}')
        self.use()

    def branch(self):
        self.index('id + {c5}', '{c5}')
        self.before()
        self.late()
        self.add('if (id > m) {{')
        self.use()
        self.add('c[id + n] = sum;')
        self.add('}} else {{')
        self.add('sum = v + n;')
        self.add('}}')

    def rounds(self, value):
        """A loop whose rounds call one of the helpers."""
        self.add('for (int k = 0; k < n; ++k) {{')
        self.index('id + k * {c5}', 'k * {c5}')
        self.before()
        self.add(f'{self.type} r = {value.format(self.cause.helper[1])};')
        self.add('sum = LARGER(sum, r);')
        self.add('}}')

    def inlined(self, kind='INLINED'):
        parameters, _, late = self.cause.helper
        self.helpers = [
            f'{kind} {self.type} late_{self.name}({parameters}) {{',
            f'  return {late};  // cause of {self.name}', '}',
            f'INLINED {self.type} use_{self.name}({self.type} v) {{',
            f'  {self.type} r = v * v;  // victim of {self.name}', '  return r;', '}']
        self.rounds(f'use_{self.name}(late_{self.name}({{}}))')

    def returned(self):
        """The cause is in a function that is called; the victim is in its caller. Other compilers
        than NVIDIA's do not put both into one section, and wait at the end of a function."""
        self.inlined('CALLED')
        self.where += ' && defined(__CUDACC__)'

    def called(self):
        """Cause and victim are in a function that is called."""
        parameters, _, late = self.cause.helper
        self.helpers = [
            f'CALLED {self.type} work_{self.name}({parameters}) {{',
            f'  {self.type} v = {late};  // cause of {self.name}',
            f'  {self.type} r = v * v;  // victim of {self.name}', '  return r;', '}']
        self.rounds(f'work_{self.name}({{}})')

    def decoy_before(self):
        self.index('id + {c5}', '{c5}')
        self.before()
        self.decoy()
        self.late()
        self.use()
        self.add('sum = LARGER(sum, e);')

    def decoy_after(self):
        self.index('id + {c5}', '{c5}')
        self.before()
        self.late()
        self.decoy()
        self.use()
        self.add('sum = LARGER(sum, e);')

    def decoy_loop(self):
        self.body.append('#pragma unroll 1')
        self.add('for (int k = 0; k < n; ++k) {{')
        self.index('id + k * {c5}', 'k * {c5}')
        self.before()
        self.add('float e = d[id * {c3} + k];', 'decoy')
        self.late()
        self.use()
        self.add('sum = LARGER(sum, e);')
        self.add('}}')

    def list(self):
        """Each round loads the next round's index, and what is at its end is used."""
        self.add('int v = id * {c1};')
        self.body.append('#pragma unroll 1')
        self.add('for (int k = 0; k < n; ++k) {{')
        self.add('v = b[v];', 'cause')
        self.add('}}')
        self.use()

    # A barrier is what its own instruction waits at.
    def waiting(self):
        self.add('t[(id * {c1}) & 63] = a[id];')
        self.add('BARRIER;', 'cause')
        self.add('sum = t[(id * {c2}) & 63];')

    def waiting_loop(self):
        self.body.append('#pragma unroll 1')
        self.add('for (int k = 0; k < n; ++k) {{')
        self.add('t[(id * {c1} + k) & 63] = a[id + k];')
        self.add('BARRIER;', 'cause')
        self.add('sum += t[(id * {c2}) & 63];')
        self.add('BARRIER;')
        self.add('}}')

    SHAPES = ('straight', 'loop', 'nested', 'conditional', 'either', 'branch', 'inlined', 'called',
              'returned', 'unrolled', 'decoy_before', 'decoy_after', 'decoy_loop')


def main(*shapes):
    writer = Writer(22)
    for cause in CAUSES:
        for shape in shapes or Writer.SHAPES:
            if shape != 'unrolled' or cause.name not in COMPUTED:
                writer.kernel(cause, shape)
    writer.kernel(Cause('chase', 'int', None), 'list')
    barrier = Cause('barrier', 'float', None, setup=FILL[:1], where='!defined(__x86_64__)')
    for shape in ('waiting', 'waiting_loop'):
        writer.kernel(barrier, shape)
    print('\n'.join(writer.lines))


main(*sys.argv[1:])
