#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""torch_transformer.py [--seconds S | --steps N] [--one-thread] [--compile MODE] [--device NAME]
[--trace FILE [--stacks]]: trains a small transformer on random numbers, forward and backward, for
some seconds or steps, and prints how many steps it made. With --trace PyTorch's own profiler writes
a trace of all steps, which has Python functions and shapes with --stacks. --compile has
torch.compile translate the model; its mode "reduce-overhead" also captures CUDA graphs.

An ordinary PyTorch program: it knows nothing of the profiler that records it. PyTorch runs the
backward pass of a GPU on a thread of its own, which no Python function has called; --one-thread
(PyTorch 2.0 and newer) runs it in the thread that calls backward().
"""
import argparse
import contextlib
import time

import torch
from torch import nn


class Block(nn.Module):
    """Attention and a feed-forward network, each with a residual connection around it."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.projections = nn.Linear(width, 3 * width)
        self.merge = nn.Linear(width, width)
        self.before_network = nn.LayerNorm(width)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                     nn.Linear(4 * width, width))

    def attend(self, x):
        batch, length, width = x.shape
        shape = (batch, length, self.heads, width // self.heads)
        query, key, value = (part.view(shape).transpose(1, 2)
                             for part in self.projections(x).chunk(3, dim=-1))
        scores = query @ key.transpose(-2, -1) * shape[-1] ** -0.5
        weighted = torch.softmax(scores, dim=-1) @ value
        return self.merge(weighted.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attend(self.before_attention(x))
        return x + self.network(self.before_network(x))


class Transformer(nn.Module):
    def __init__(self, words=1000, width=256, heads=8, blocks=4):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(blocks))
        self.output = nn.Linear(width, words)

    def forward(self, text):
        x = self.embedding(text)
        for block in self.blocks:
            x = block(x)
        return self.output(x)


def train_step(model, optimizer, text):
    logits = model(text[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()  # which waits for the device


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--trace")
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--one-thread", action="store_true")
    parser.add_argument("--compile", metavar="MODE")
    parser.add_argument("--device", default="cuda")
    arguments = parser.parse_args()
    if arguments.one_thread and not hasattr(torch.autograd.grad_mode, "set_multithreading_enabled"):
        parser.error("--one-thread needs PyTorch 2.0 or newer, this is " + torch.__version__)
    torch.manual_seed(1)
    model = Transformer().to(arguments.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    if arguments.compile:
        model = torch.compile(model, mode=arguments.compile)
    text = torch.randint(0, 1000, (16, 129), device=arguments.device)
    if arguments.compile:  # what compiles, and captures, comes before the time
        for _ in range(4):
            train_step(model, optimizer, text)
    threads = contextlib.nullcontext()
    if arguments.one_thread:
        threads = torch.autograd.grad_mode.set_multithreading_enabled(False)
    first = last = None
    steps = 0
    profiler = contextlib.nullcontext()
    if arguments.trace:
        profiler = torch.profiler.profile(with_stack=arguments.stacks,
                                          record_shapes=arguments.stacks)
    with threads, profiler:
        end = time.monotonic() + arguments.seconds
        while steps < (arguments.steps or 2) or (not arguments.steps and time.monotonic() < end):
            last = train_step(model, optimizer, text)
            first = last if first is None else first
            steps += 1
    if arguments.trace:
        profiler.export_chrome_trace(arguments.trace)
    print("%d steps, loss %.3f to %.3f" % (steps, first, last))


if __name__ == "__main__":
    main()
