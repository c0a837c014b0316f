#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cl_devices.py N: launches an OpenCL kernel, through ctypes, N times on the first device and twice
as often on the second, each from a function of its own. A forked child does the same again.
"""
import ctypes
import os
import sys

POINTER = ctypes.c_void_p
CL = ctypes.CDLL("libOpenCL.so.1")
for NAME in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource",
             "clCreateKernel"):
    getattr(CL, NAME).restype = POINTER


def check(status):
    if status != 0:
        raise RuntimeError("OpenCL: error %d" % status)


def devices():
    platform, found = POINTER(), (POINTER * 2)()
    check(CL.clGetPlatformIDs(1, ctypes.byref(platform), None))
    check(CL.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 2, found, None))
    return found


class Queue:
    """A queue on a device, and a kernel."""

    def __init__(self, all_devices, number):
        error = ctypes.c_int()
        context = POINTER(CL.clCreateContext(None, 2, all_devices, None, None, ctypes.byref(error)))
        self.queue = POINTER(CL.clCreateCommandQueue(context, POINTER(all_devices[number]),
                                                     ctypes.c_uint64(0), ctypes.byref(error)))
        source = ctypes.c_char_p(b"kernel void nothing() {}")
        program = POINTER(CL.clCreateProgramWithSource(context, 1, ctypes.byref(source), None,
                                                       ctypes.byref(error)))
        check(CL.clBuildProgram(program, 0, None, None, None, None))
        self.kernel = POINTER(CL.clCreateKernel(program, b"nothing", ctypes.byref(error)))

    def launch(self):
        check(CL.clEnqueueNDRangeKernel(self.queue, self.kernel, 1, None,
                                        ctypes.byref(ctypes.c_size_t(1)), None, 0, None, None))
        check(CL.clFinish(self.queue))


def on_first(queue):
    queue.launch()


def on_second(queue):
    queue.launch()


def main():
    count = int(sys.argv[1])
    found = devices()
    queues = [Queue(found, 0), Queue(found, 1)]
    child = os.fork()
    for _ in range(count):
        on_first(queues[0])
        on_second(queues[1])
        on_second(queues[1])
    if child == 0:
        sys.exit(0)
    sys.exit(os.waitpid(child, 0)[1])


main()
