#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_kernels.py [--seconds S]: runs, in turn, a kernel that Triton compiled and a CUDA graph of
PyTorch's kernels, and prints how often each ran.

An ordinary PyTorch program: it knows nothing of the profiler that records it.
"""
import argparse
import time

import torch
import triton
import triton.language as tl

ELEMENTS = 1 << 22
BLOCK = 1024


@triton.jit
def add_powers(x, out, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    value = tl.load(x + at, mask=at < n)
    total = value
    for _ in range(16):
        value = value * 0.5
        total += tl.exp(value)
    tl.store(out + at, total, mask=at < n)


def run_triton(x, out):
    add_powers[(triton.cdiv(ELEMENTS, BLOCK),)](x, out, ELEMENTS, block=BLOCK)


def work_of_graph(x, weights):
    for _ in range(4):
        x = torch.relu(x @ weights)
    return x


def capture_graph(x, weights):
    # PyTorch asks for a run on a side stream before a capture
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work_of_graph(x, weights)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work_of_graph(x, weights)
    return graph


def run_graph(graph):
    graph.replay()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    x = torch.rand(ELEMENTS, device="cuda")
    out = torch.empty_like(x)
    rows = torch.rand(1024, 1024, device="cuda")
    weights = torch.rand(1024, 1024, device="cuda") / 1024
    graph = capture_graph(rows, weights)
    run_triton(x, out)
    torch.cuda.synchronize()
    runs = 0
    end = time.monotonic() + arguments.seconds
    while runs < 2 or time.monotonic() < end:
        run_triton(x, out)
        run_graph(graph)
        torch.cuda.synchronize()
        runs += 1
    print("triton %d" % (runs + 1))
    print("graph %d" % runs)


if __name__ == "__main__":
    main()
