#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""trace_json.py MB: writes a trace as PyTorch's profiler does, of at least MB megabytes.

Each step runs 24 layers: Python functions around a module, operators and a launch in it. Kernels
stand at the end, far from their launches, as in a trace of a real run.
"""
import sys

KERNEL = ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
          "std::array<char*, %dul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, %dul>)")


def event(category, name, thread, start, duration, args):
    return ('  {\n    "ph": "X", "cat": "%s", "name": "%s", "pid": %s, "tid": %s,\n'
            '    "ts": %d.%03d, "dur": %d.%03d,\n    "args": {\n      %s\n    }\n  }'
            % (category, name, *thread, *divmod(start, 1000), *divmod(duration, 1000), args))


def layer(number, ident, at):
    host, device = (4242, 4242), (0, 7)
    events = []
    for depth, name in enumerate(("torch/nn/modules/module.py(1751): _wrapped_call_impl",
                                  "torch/nn/modules/module.py(1757): _call_impl",
                                  "nn.Module: Block_%d" % number,
                                  "model/block.py(%d): forward" % (40 + number),
                                  "<built-in function linear>")):
        events.append(event("python_function", name, host, at + 100 * depth, 9000 - 200 * depth,
                            '"Python parent id": %d, "Python id": %d, "Ev Idx": %d'
                            % (ident + depth, ident + depth + 1, ident + depth)))
    for depth, name in enumerate(("aten::linear", "aten::addmm")):
        events.append(event("cpu_op", name, host, at + 1000 + 100 * depth, 6000 - 200 * depth,
                            '"External id": %d, "Record function id": 0, "Sequence number": %d, '
                            '"Fwd thread id": 0, "Input Dims": [[8, 1024], [1024, 1024], [1024]], '
                            '"Ev Idx": %d' % (ident + depth, ident, ident + depth)))
    events.append(event("cuda_runtime", "cudaLaunchKernel", host, at + 2000, 3000,
                        '"External id": %d, "cbid": 211, "correlation": %d' % (ident + 1, ident)))
    events.append('  {\n    "ph": "s", "id": %d, "pid": 4242, "tid": 4242, "ts": %d.%03d,\n'
                  '    "cat": "ac2g", "name": "ac2g"\n  }' % (ident, *divmod(at + 2000, 1000)))
    kernel = event("kernel", KERNEL % (number, number), device, at + 20000, 7001 + number,
                   '"External id": %d, "queued": 0, "device": 0, "context": 1,\n'
                   '      "stream": 7, "correlation": %d,\n      "registers per thread": 32,\n'
                   '      "shared memory": 0,\n      "blocks per SM": 3.878788,\n'
                   '      "warps per SM": 31.030304,\n      "grid": [512, 1, 1],\n'
                   '      "block": [256, 1, 1],\n      "est. achieved occupancy %%": 48'
                   % (ident + 1, ident))
    kernel += (',\n  {\n    "ph": "f", "id": %d, "pid": 0, "tid": 7, "ts": %d.%03d,\n'
               '    "cat": "ac2g", "name": "ac2g", "bp": "e"\n  }' % (ident, *divmod(at + 20000, 1000)))
    return ",\n".join(events), kernel


def main():
    wanted = float(sys.argv[1]) * 1e6
    written, ident, at = 0, 1, 5000000000000
    kernels = []
    print('{\n  "schemaVersion": 1,\n  "with_stack": 1,\n  "traceEvents": [')
    separator = ""
    while written < wanted or kernels:
        for number in range(24):
            host, kernel = layer(number, ident, at)
            sys.stdout.write(separator + host)
            written += len(host) + len(kernel)
            kernels.append(kernel)
            separator = ",\n"
            ident += 10
            at += 10000
        # of a profiled window, first the host's events, then the device's
        if len(kernels) > 5000 or written >= wanted:
            sys.stdout.write(",\n" + ",\n".join(kernels))
            kernels = []
    print('\n  ],\n  "traceName": "made.json",\n  "displayTimeUnit": "ms"\n}')


main()
