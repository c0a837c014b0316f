#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""triton_rows.py [--block N] [--warps N] [--stages N] [--seconds S]: normalises rows of numbers with
a kernel written in Triton, checks the result, and prints what a call takes. Its options are what an
autotuner would turn:

  us_per_call N.N      by CUDA events, the median of 20 groups of calls
  gigabytes_per_s N    read and written
"""
import argparse
import statistics
import time

import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 16384, 4096


@triton.jit
def normalise_rows(x, out, columns, block: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((block,), dtype=tl.float32)
    squares = tl.zeros((block,), dtype=tl.float32)
    for begin in range(0, columns, block):
        at = begin + tl.arange(0, block)
        value = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
        total += value
        squares += value * value
    mean = tl.sum(total) / columns
    scale = 1 / tl.sqrt(tl.sum(squares) / columns - mean * mean + 1e-5)
    for begin in range(0, columns, block):
        at = begin + tl.arange(0, block)
        value = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
        tl.store(out + row * columns + at, (value - mean) * scale, mask=at < columns)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--block", type=int, default=128)
    parser.add_argument("--warps", type=int, default=4)
    parser.add_argument("--stages", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    x = torch.randn(ROWS, COLUMNS, device="cuda")
    out = torch.full_like(x, float("nan"))

    def run():
        normalise_rows[(ROWS,)](x, out, COLUMNS, block=arguments.block,
                                num_warps=arguments.warps, num_stages=arguments.stages)

    run()
    wanted = torch.nn.functional.layer_norm(x, (COLUMNS,))
    if not torch.allclose(out, wanted, atol=1e-3):
        raise SystemExit("triton_rows.py: the result is wrong")
    times = []
    end = time.monotonic() + arguments.seconds
    while len(times) < 20 or time.monotonic() < end:
        begin, done = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(10):
            run()
        done.record()
        done.synchronize()
        times.append(begin.elapsed_time(done) * 100)
    us = statistics.median(times)
    print("us_per_call %.1f" % us)
    print("gigabytes_per_s %.0f" % (3 * x.numel() * 4 / us / 1e3))


if __name__ == "__main__":
    main()
