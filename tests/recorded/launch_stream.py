#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a gpustall recording of as many launches as one likes, for gpustall-record --source replay:

    launch_stream.py SLICES LAUNCHES_PER_SLICE [STOP] > r.gpustall

SLICES of 10 ms, with 8 of 64 distinct launches each. A kernel's code object is loaded again and
again at another address. With STOP it writes on until that file is there, and ends then.
"""
import os
import sys

STACKS = 64
PER_SLICE = 8


def launch(number):
    frames = "".join(
        f"\t{0x400000 + 64 * number + i:16x} function_{number}_{i}+0x10 (/opt/app)\n" for i in range(12))
    return (f"# launch {number}\n\napp 7/{7 + number} [000]     1.000000000:          1 gpu-launch: \n"
            f"\t            1000 kernel_{number % 5}+0x0 (/opt/k.so)\n{frames}\n")


def load(name, time):
    return (f"# app 7/7 [000] {time:15.9f}: PERF_RECORD_{name} 7/7: [0x9000(0x1000)"
            f"{' @ 0x0 00:00 0 0' if name == 'MMAP2' else ''}]: r-xp /opt/other.so\n")


def main():
    slices, per_slice = int(sys.argv[1]), int(sys.argv[2])
    stop = sys.argv[3] if len(sys.argv) > 3 else ""
    out = sys.stdout
    out.write("# gpustall 1\n# clock : monotonic\n"
              "# device 0 : replay, a device, 0000:00:00.0, period 1000 cycles\n")
    seen, samples, launches = set(), 0, 0
    at = 0
    while at < slices or (stop and not os.path.exists(stop)):
        start, end = 10 * at, 10 * at + 10
        time = f"{end // 1000}.{end % 1000:03}000000"
        text = [f"# slice {start // 1000}.{start % 1000:03}000000 {time}\n"]
        if at == 0:
            text.append(load("MMAP2", 0).replace("0x9000", "0x1000").replace("other", "k"))
        if at % 50 in (10, 40):
            text.append(load("MMAP2" if at % 50 == 10 else "MUNMAP", end / 1000))
        numbers = [(at * 5 + i * 3) % STACKS + 1 for i in range(PER_SLICE)]
        for number in numbers:
            if number not in seen:
                seen.add(number)
                text.append(launch(number))
        for number in numbers:
            if at % 97 == number:
                text.append(f"# size {number} items {at + 1}x1x1 group 16x1x1\n")
            text.append(f"# launched {number} {per_slice // PER_SLICE} 0.000900000\n")
            launches += per_slice // PER_SLICE
        for number in numbers:
            text.append(f"# launch {number}\n\napp 7/{7 + number} [000] {time:>15}: {number:10} gpu-stall: \n"
                        f"\t               0 sbid ([stall])\n"
                        f"\t{0x1000 + 16 * number:16x} kernel_{number % 5}+0x{16 * number:x} (/opt/k.so)\n\n")
            samples += number
        out.write("".join(text))
        at += 1
    out.write(f"# end samples {samples} launches {launches} lost 0\n\n")


main()
