#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_memory.py SNAPSHOT [--steps N] [--stacks python|all] [--fraction F]: trains the transformer
of torch_transformer.py for some steps while PyTorch records its allocations, asks for more memory
than there is, and writes PyTorch's memory snapshot. Prints what PyTorch itself counted, in bytes.

--fraction is the part of the device's memory that the process may use, so that the last request
fails at once. One tensor is kept from each step, as a leak would.
"""
import argparse

import torch

from torch_transformer import Transformer, train_step

KEPT_ELEMENTS = 1 << 18


def keep_one(kept):
    kept.append(torch.zeros(KEPT_ELEMENTS, device="cuda"))


def ask_for_too_much(wanted):
    return torch.empty(wanted, dtype=torch.uint8, device="cuda")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("snapshot")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--stacks", default="python", choices=("python", "all"))
    parser.add_argument("--fraction", type=float, default=0.05)
    arguments = parser.parse_args()
    torch.manual_seed(1)
    torch.cuda.set_per_process_memory_fraction(arguments.fraction)
    memory = torch.cuda.memory
    memory._record_memory_history(max_entries=100000, context="all", stacks=arguments.stacks)
    model = Transformer().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.001)
    text = torch.randint(0, 1000, (16, 129), device="cuda")
    kept = []
    for step in range(arguments.steps):
        loss = train_step(model, optimizer, text)
        keep_one(kept)
        print("step %d loss %.3f allocated %d" % (step, loss, torch.cuda.memory_allocated()))
    wanted = int(torch.cuda.get_device_properties(0).total_memory * arguments.fraction)
    try:
        ask_for_too_much(wanted)
        print("oom none")
    except torch.cuda.OutOfMemoryError:
        print("oom %d" % wanted)
    torch.cuda.synchronize()
    memory._dump_snapshot(arguments.snapshot)
    stats = torch.cuda.memory_stats()
    for name in ("allocated_bytes.all.current", "allocated_bytes.all.peak",
                 "reserved_bytes.all.current", "reserved_bytes.all.peak",
                 "requested_bytes.all.peak", "allocation.all.allocated", "num_ooms"):
        print("%s %d" % (name, stats[name]))
    print("kept %d" % (len(kept) * KEPT_ELEMENTS * 4))


if __name__ == "__main__":
    main()
