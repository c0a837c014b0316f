#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python_cost.py [FRAMES [LAUNCHES]]: what one launch costs a Python program, from a function that
is FRAMES (20) calls deep. Meant for a platform that does nothing, like tests/demo/launch_cost, so
that the difference between a run with a profiler and one without is the profiler's cost:

  $ OCL_ICD_VENDORS=.../libopencl-null.so python_cost.py
  frames 20
  launches 200000
  median_ns 1234.5

Launches are timed in batches of a thousand; the clFinish after each batch is not timed.
"""
import ctypes
import statistics
import sys
import time

BATCH = 1000


def make_launch():
    # PyDLL keeps the GIL, as pyopencl does
    cl = ctypes.PyDLL("libOpenCL.so.1")
    pointer = ctypes.c_void_p
    for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource",
                 "clCreateKernel"):
        getattr(cl, name).restype = pointer
    platform, device, error = pointer(), pointer(), ctypes.c_int()
    if cl.clGetPlatformIDs(1, ctypes.byref(platform), None) != 0:
        sys.exit("python_cost.py: no OpenCL platform")
    cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1, ctypes.byref(device), None)
    context = pointer(cl.clCreateContext(None, 1, ctypes.byref(device), None, None,
                                         ctypes.byref(error)))
    queue = pointer(cl.clCreateCommandQueue(context, device, ctypes.c_uint64(0),
                                            ctypes.byref(error)))
    source = ctypes.c_char_p(b"kernel void nothing() {}")
    program = pointer(cl.clCreateProgramWithSource(context, 1, ctypes.byref(source), None,
                                                   ctypes.byref(error)))
    cl.clBuildProgram(program, 0, None, None, None, None)
    kernel = pointer(cl.clCreateKernel(program, b"nothing", ctypes.byref(error)))
    size = ctypes.c_size_t(1)
    arguments = (queue, kernel, 1, None, ctypes.byref(size), None, 0, None, None)
    return cl.clEnqueueNDRangeKernel, arguments, lambda: cl.clFinish(queue)


def measure(launches):
    enqueue, arguments, finish = make_launch()
    times = []
    for _ in range(launches // BATCH):
        start = time.perf_counter_ns()
        for _ in range(BATCH):
            enqueue(*arguments)
        times.append((time.perf_counter_ns() - start) / BATCH)
        finish()
    return statistics.median(times)


def call(frames, launches):
    return measure(launches) if frames <= 0 else call(frames - 1, launches)


def main():
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    launches = int(sys.argv[2]) if len(sys.argv) > 2 else 200000
    # main, <module> and measure() are frames too
    median = call(frames - 4, launches)
    print("frames %d\nlaunches %d\nmedian_ns %.1f" % (frames, launches, median))


if __name__ == "__main__":
    main()
