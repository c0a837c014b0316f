#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compiled_lines.py LOG TRACE < FOLDED: checks on which lines of the model Triton's kernels stand.

LOG is what PyTorch's compiler wrote with TORCH_TRACE and INDUCTOR_PROVENANCE, TRACE a trace of some
steps of that model, FOLDED what stackcollapse-trace --inductor LOG TRACE made of it. Reads LOG and
TRACE by itself: a step launches each handle of LOG once, those of one kernel in their order. Prints
the time of the kernels in ns, and how much of it stands on the lines that its handle has in LOG.
"""
import collections
import gzip
import json
import re
import subprocess
import sys


def lines_by_kernel(log):
    """The innermost lines of the model of each handle of a kernel, in the order of the handles."""
    out = collections.defaultdict(list)
    text = subprocess.run(["zstdcat", log], check=True, stdout=subprocess.PIPE).stdout.decode()
    for payload in re.findall(r"kernel_stack_traces.*\n\t(.*)", text):
        for handle, stacks in json.loads(payload).items():
            lines = {re.findall(r'line (\d+), in \S+', one)[-1] for one in stacks if "line" in one}
            out[handle.rsplit(":", 1)[0]].append(",".join(sorted(lines, key=int)))
    return out


def expected(log, trace):
    kernels = lines_by_kernel(log)
    with gzip.open(trace) as file:
        events = [one for one in json.load(file)["traceEvents"] if one.get("cat") == "kernel"]
    times, seen = collections.Counter(), collections.Counter()
    for event in sorted(events, key=lambda one: one["ts"]):
        name = event["name"]
        if name not in kernels:
            continue
        lines = kernels[name][seen[name] % len(kernels[name])]
        seen[name] += 1
        times[name, lines] += round(event["dur"] * 1000)
    for name, count in seen.items():
        assert count % len(kernels[name]) == 0, (name, count)
    return times


def drawn(folded, names):
    times = collections.Counter()
    for line in folded:
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        frames = stack.split(";")
        name = frames[-1].removesuffix("_[G]")
        if line.startswith("#") or name not in names:
            continue
        fused = re.search(r"\[fused: (?:.* at )?[^:]*:([0-9,]*)\]", stack)
        above = [one for one in frames if one.startswith("py::")][-1]
        times[name, fused[1] if fused else above.rsplit(":", 1)[1]] += int(count)
    return times


def main():
    want = expected(sys.argv[1], sys.argv[2])
    have = drawn(sys.stdin, {name for name, _ in want})
    for key in want.keys() | have.keys():
        if want[key] != have[key]:
            print("wrong:", *key, "has", have[key], "ns, should have", want[key])
    print(sum(want.values()), sum(min(want[key], have[key]) for key in want))


if __name__ == "__main__":
    main()
