#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Memory snapshots of PyTorch, read a second time and made by hand.

torch_memory.py fold SNAPSHOT [peak|end|oom|event:N]: the blocks in use then, as
stackcollapse-torch-memory --full-paths --srcline folds them; all stacks without Python are one.
torch_memory.py make CASE [PROTOCOL]: a snapshot with what genuine ones at hand have not.
PROTOCOL is 2 to 5, or native: as PyTorch's own writer in C++ does it, which numbers containers
when they are whole, and writes each list in one part.
torch_memory.py list: the cases.
torch_memory.py page SNAPSHOT: the page that _memory_viz.py trace_plot makes of it.
"""
import base64
import gzip
import io
import pickle
import sys
from collections import Counter


class Data(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"global {module}.{name} refused")


def load(path):
    data = open(path, "rb").read()
    return Data(io.BytesIO(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)).load()


def stack_of(frames):
    python = [f for f in frames if f["filename"].endswith(".py") or f["filename"].startswith("<")]
    names = [f"py::{f['name']}:{f['filename']}:{f['line']}" for f in reversed(python)]
    return ";".join(names) or ("[native]" if frames else "[no stack]")


def fold(snapshot, at, device=0):
    """{stack: bytes}, as memory_viz adds up: blocks by address, backwards from the end."""
    entries = snapshot["device_traces"][device]
    blocks, live = [], {}
    for number, entry in enumerate(entries):
        if entry["action"] == "alloc":
            live[entry["addr"]] = len(blocks)
            blocks.append([entry["size"], stack_of(entry["frames"]), number, len(entries)])
        elif entry["action"] == "free_completed":
            if entry["addr"] not in live:
                live[entry["addr"]] = len(blocks)
                blocks.append([entry["size"], "[alloc not recorded]", -1, len(entries)])
            blocks[live.pop(entry["addr"])][3] = number
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            in_use = block["state"] == "active_allocated" and segment["device"] == device
            if in_use and block["address"] not in live:
                stack = stack_of(block["frames"])
                blocks.append([block["requested_size"], stack, -1, len(entries)])
    change = Counter()
    for size, _, born, died in blocks:
        change[born] += size
        change[died] -= size
    moment, total, most = -1, 0, -1
    for number in range(-1, len(entries)):
        total += change[number]
        if total > most:
            moment, most = number, total
    if at == "oom":
        moment = max(n for n, entry in enumerate(entries) if entry["action"] == "oom")
    elif at != "peak":
        moment = len(entries) - 1 if at == "end" else int(at.split(":")[1])
    out = Counter()
    for size, stack, born, died in blocks:
        if born <= moment < died:
            out[stack] += size
    return out


def frame(name, line, path="/home/u/train.py"):
    return {"filename": path, "line": line, "name": name}


MAIN = frame("<module>", 90)
FORWARD, STEP, LEAK = ([frame(name, line), MAIN] for name, line in
                       (("forward", 10), ("step", 20), ("keep", 30)))
BACKWARD = [frame(name, 0, "??") for name in (
    "torch::unwind::unwind()", "c10::cuda::CUDACachingAllocator::Native::malloc(void**)",
    "at::_ops::mm::call(at::Tensor const&, at::Tensor const&)",
    "torch::autograd::Engine::thread_init(int, bool)", "__clone")]


def entry(action, addr, size, time, frames=(), **more):
    return {"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time,
            "frames": list(frames), **more}


def block(address, size, state="active_allocated", frames=(), requested=None, **more):
    return {"address": address, "size": size, "requested_size": requested or size, "state": state,
            "frames": list(frames), **more}


def segment(address, blocks, device=0, **more):
    size = sum(b["size"] for b in blocks)
    return {"device": device, "address": address, "total_size": size, "stream": 0,
            "segment_type": "large", "segment_pool_id": (0, 0), "frames": [], "blocks": blocks,
            **more}


def plain():
    """Two steps; one block is kept of each, and the peak is in the second."""
    trace = [entry("segment_alloc", 0x1000, 8192, 1000000)]
    trace += [entry("alloc", 0x1000, 1000, 1000000, FORWARD),
              entry("alloc", 0x1400, 24, 1500000, LEAK),
              entry("free_requested", 0x1000, 1000, 1600000, STEP),
              entry("free_completed", 0x1000, 1000, 1600000, STEP),
              entry("alloc", 0x1000, 3000, 2000000, FORWARD),
              entry("alloc", 0x1c00, 500, 2100000, BACKWARD),
              entry("alloc", 0x1e00, 24, 2200000, LEAK),
              entry("free_requested", 0x1000, 3000, 2300000),
              entry("free_completed", 0x1000, 3000, 2300000),
              entry("oom", 0, 65536, 2400000, FORWARD)]
    trace[-1].update(device_free=4096)
    del trace[-1]["addr"]
    return {"segments": [segment(0x1000, [
        block(0x1000, 1024, "inactive", FORWARD), block(0x1400, 512, frames=LEAK, requested=24),
        block(0x1600, 1536, "inactive"), block(0x1c00, 512, frames=BACKWARD, requested=500),
        block(0x1e00, 512, frames=LEAK, requested=24), block(0x2000, 4096, "inactive")])],
            "device_traces": [trace]}


def cut():
    """The first entries were overwritten: frees without an alloc, blocks that no entry tells of."""
    trace = [entry("free_completed", 0x1000, 700, 10), entry("alloc", 0x1000, 100, 20, FORWARD),
             entry("free_requested", 0x1400, 50, 30)]
    return {"segments": [
        segment(0x1000, [block(0x1000, 512, frames=FORWARD, requested=100), block(0x1200, 512),
                         block(0x1400, 512, "active_pending_free", requested=50),
                         block(0x1600, 512, frames=STEP, requested=300)])],
            "device_traces": [trace], "allocator_settings": {"trace_alloc_overflowed": True}}


def devices():
    """Two devices, the first of them without anything; pools and streams."""
    trace = [entry("alloc", 0x1000, 100, 10, FORWARD, pool_id=(0, 0)),
             entry("alloc", 0x2000, 200, 20, STEP, pool_id=(1, 2), stream=7)]
    other = [entry("alloc", 0x1000, 50, 15, LEAK)]
    return {"segments": [segment(0x1000, [block(0x1000, 512, frames=LEAK, requested=50)], device=2,
                                 segment_pool_id=(0, 3), stream=9)],
            "device_traces": [[], trace, other], "host_segments": [segment(1, [])],
            "host_traces": [entry("alloc", 1, 1, 1)]}


def annotated():
    """What the program says of its memory: annotations, categories, phases."""
    trace = [entry("alloc", 0x1000, 100, 10, FORWARD, user_metadata="layer 1", category="activation"),
             entry("alloc", 0x2000, 200, 20, STEP, user_metadata="", category="optimizer_state"),
             entry("alloc", 0x3000, 300, 40, STEP, compile_context="N/A"),
             entry("annotate", 0x3000, 300, 50, user_metadata="layer 2"),
             entry("checkpoint", 0, 0, 60)]
    phase = [{"stage": stage, "name": name, "device": 0, "time_us": time} for stage, name, time in
             (("START", "step", 15), ("START", "Adam", 16), ("END", "Adam", 30), ("END", "step", 35))]
    return {"segments": [{"device": 0, "address": None, "total_size": 0, "blocks": []}],
            "device_traces": [trace], "external_annotations": phase}


def shared():
    """A segment, its block and an entry have the same frames, of which the pickle has one list."""
    frames = [frame("step", 20), MAIN]
    kept = {**entry("alloc", 0x1000, 100, 10), "frames": frames}
    used = segment(0x1000, [{**block(0x1000, 512, requested=100), "frames": frames},
                            {**block(0x1200, 512), "frames": frames}])
    used = {"frames": frames, **{key: value for key, value in used.items() if key != "frames"}}
    return {"segments": [used], "device_traces": [[kept]]}


def old():
    """PyTorch 2.0: blocks without addresses, with their histories; a list of segments alone."""
    history = [{"addr": 0x1000, "real_size": 400, "frames": STEP}]
    return [{"device": 0, "address": 0x1000, "total_size": 2048, "stream": 0, "segment_type": "small",
             "blocks": [{"size": 512, "state": "active_allocated", "history": history},
                        {"size": 512, "state": "active_pending_free"},
                        {"size": 512, "state": "inactive", "history": history}]}]


def lineless():
    """CPython 3.13: instructions without a line, -1 as PyTorch counts lines, without a sign or with it."""
    bare = [frame("init", (1 << 64) - 1, "/opt/torch/fake.py"), MAIN]
    trace = [entry("alloc", 0x1000, 100, 10, bare), entry("alloc", 0x2000, 200, 20, [frame("init", -1), MAIN])]
    return {"segments": [], "device_traces": [trace]}


def expandable():
    """Segments that grow, and an address that is allocated again without having been freed."""
    trace = [entry("segment_map", 0x1000, 4096, 10), entry("alloc", 0x1000, 600, 20, FORWARD),
             entry("segment_map", 0x2000, 4096, 30), entry("alloc", 0x1000, 700, 40, STEP),
             entry("segment_unmap", 0x2000, 4096, 50)]
    return {"segments": [segment(0x1000, [block(0x1000, 1024, frames=STEP, requested=700),
                                          block(0x1400, 3072, "inactive")], is_expandable=True)],
            "device_traces": [trace]}


def native(value, memo, out):
    def integer(number):
        return b"\x8a\x08" + (number % (1 << 64)).to_bytes(8, "little")

    key = value if isinstance(value, str) else id(value)
    if isinstance(value, bool) or value is None:
        out += {None: b"N", True: b"\x88", False: b"\x89"}[value]
    elif isinstance(value, int):
        out += b"K" + bytes([value]) if 0 <= value < 256 else integer(value)
    elif key in memo:
        out += b"h" + bytes([memo[key]]) if memo[key] < 256 else b"j" + memo[key].to_bytes(4, "little")
    else:
        if isinstance(value, str):
            out += b"X" + len(value).to_bytes(4, "little") + value.encode()
        elif isinstance(value, tuple):
            for one in value:
                native(one, memo, out)
            out += b"\x86"
        else:
            out += b"}(" if isinstance(value, dict) else b"]("
            for one in sum(value.items(), ()) if isinstance(value, dict) else value:
                native(one, memo, out)
            out += b"u" if isinstance(value, dict) else b"e"
        memo[key] = len(memo)
        out += b"q" + bytes([memo[key]]) if memo[key] < 256 else b"r" + memo[key].to_bytes(4, "little")


CASES = {case.__name__: case for case in (plain, cut, devices, annotated, shared, old, lineless, expandable)}


def main(command, *arguments):
    if command == "list":
        print(*CASES)
    elif command == "fold":
        stacks = fold(load(arguments[0]), *arguments[1:])
        print(*sorted(f"{stack} {size}" for stack, size in stacks.items()), sep="\n")
    elif command == "make" and arguments[1:] == ("native",):
        out = bytearray(b"\x80\x02")
        native(CASES[arguments[0]](), {}, out)
        sys.stdout.buffer.write(bytes(out) + b".")
    elif command == "make":
        pickle.dump(CASES[arguments[0]](), sys.stdout.buffer, protocol=int((arguments + ("4",))[1]))
    elif command == "page":
        data = open(arguments[0], "rb").read()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        data += b"\x00" * (3 - len(data) % 3)
        print('<!DOCTYPE html>\n<script type="module">\nconst local_files = [{"name": "snapshot.pickle",'
              ' "base64": "%s"}]\nadd_local_files(local_files, "Active Memory Timeline")\n</script>'
              % base64.b64encode(data).decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
