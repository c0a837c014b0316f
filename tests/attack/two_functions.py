#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""two_functions.py early | late SECONDS

What two_functions.cc does, in Python: Layer.forces() launches the kernel `forces`, which takes three
quarters of the time, and Layer.integrate() launches `integrate`. Nothing waits between the launches.
"""
import ctypes
import sys
import time

POINTER = ctypes.c_void_p
SOURCE = b"""
kernel void forces(global float* a, int rounds) { float f = a[get_global_id(0)];
  for (int i = 0; i < rounds; ++i) f = f * 1.0001f + 0.5f; a[get_global_id(0)] = f; }
kernel void integrate(global float* a, int rounds) { float f = a[get_global_id(0)];
  for (int i = 0; i < rounds; ++i) f = f * 1.0001f + 0.5f; a[get_global_id(0)] = f; }
"""


def load_opencl():
    cl = ctypes.CDLL("libOpenCL.so.1")
    for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource",
                 "clCreateKernel", "clCreateBuffer"):
        getattr(cl, name).restype = POINTER
    return cl


def check(status):
    if status != 0:
        raise RuntimeError("OpenCL: error %d" % status)


class Layer:
    def __init__(self):
        self.cl = load_opencl()
        self.items = ctypes.c_size_t(64)
        platform, device = POINTER(), POINTER()
        check(self.cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
        check(self.cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1,
                                     ctypes.byref(device), None))
        context = POINTER(self.cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
        self.queue = POINTER(self.cl.clCreateCommandQueue(context, device, ctypes.c_uint64(0), None))
        source = ctypes.c_char_p(SOURCE)
        self.program = POINTER(self.cl.clCreateProgramWithSource(context, 1, ctypes.byref(source),
                                                                 None, None))
        check(self.cl.clBuildProgram(self.program, 0, None, None, None, None))
        self.memory = POINTER(self.cl.clCreateBuffer(context, ctypes.c_uint64(1),
                                                     ctypes.c_size_t(4096), None, None))

    def create_kernels(self):
        self.forces_kernel = self.create(b"forces", 300000)
        self.integrate_kernel = self.create(b"integrate", 100000)

    def create(self, name, rounds):
        kernel = POINTER(self.cl.clCreateKernel(self.program, name, None))
        check(self.cl.clSetKernelArg(kernel, 0, ctypes.c_size_t(8), ctypes.byref(self.memory)))
        check(self.cl.clSetKernelArg(kernel, 1, ctypes.c_size_t(4),
                                     ctypes.byref(ctypes.c_int(rounds))))
        return kernel

    def launch(self, kernel):
        check(self.cl.clEnqueueNDRangeKernel(self.queue, kernel, 1, None, ctypes.byref(self.items),
                                             None, 0, None, None))

    def forces(self):
        self.launch(self.forces_kernel)

    def integrate(self):
        self.launch(self.integrate_kernel)

    def finish(self):
        check(self.cl.clFinish(self.queue))


def main(when, seconds):
    layer = Layer()
    if when == "early":
        layer.create_kernels()
    print("ready", flush=True)
    if not sys.stdin.readline():
        return 1
    if when != "early":
        layer.create_kernels()
    made = 0
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        for _ in range(8):
            layer.forces()
            layer.integrate()
            made += 2
        layer.finish()
    print("made", made)
    return 0


sys.exit(main(*sys.argv[1:]))
