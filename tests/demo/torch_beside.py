#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_beside.py: trains the transformer of torch_transformer.py as its standard input says, to try
PyTorch's own profiler beside another. Each line is a command; each gets a line as answer:

  steps N          train N steps               "steps N"
  seconds S        train for S seconds         "steps N"
  profile N FILE   the same N steps under torch.profiler, which writes its trace to FILE:
                   "profile KERNELS", the number of kernels in the trace, or "profile failed: WHY"
"""
import json
import sys
import time

import torch

from torch_transformer import Transformer, train_step


def profile(step, count, path):
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profiler:
        for _ in range(count):
            step()
    profiler.export_chrome_trace(path)
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    return sum(event.get("cat") == "kernel" for event in events)


def main():
    torch.manual_seed(1)
    model = Transformer().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    text = torch.randint(0, 1000, (16, 129), device="cuda")

    def step():
        train_step(model, optimizer, text)

    step()
    print("ready", flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        if command == "profile":
            try:
                print("profile %d" % profile(step, int(words[0]), words[1]), flush=True)
            except (RuntimeError, OSError, ValueError) as error:
                print("profile failed: %s" % error, flush=True)
            continue
        made = 0
        end = time.monotonic() + (float(words[0]) if command == "seconds" else 0)
        while time.monotonic() < end or (command == "steps" and made < int(words[0])):
            step()
            made += 1
        print("steps %d" % made, flush=True)


if __name__ == "__main__":
    main()
