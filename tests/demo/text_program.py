#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""text_program.py: runs a kernel that is built from a string with -g, for half a second."""
import ctypes
import time

TEXT = b"""
__attribute__((noinline)) float spin(float x, int n) {
  for (int i = 0; i < n; i++)
    x = x * 1.0001f + 0.5f;
  return x;
}
kernel void work(global float* a) {
  a[get_global_id(0)] = spin(a[get_global_id(0)], 20000);
}
"""
ITEMS = 1024
cl = ctypes.CDLL("libOpenCL.so.1")
pointer = ctypes.c_void_p


def check(status):
    if status != 0:
        raise RuntimeError("OpenCL: error %d" % status)


for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel",
             "clCreateBuffer"):
    getattr(cl, name).restype = pointer
platform, device, error = pointer(), pointer(), ctypes.c_int()
check(cl.clGetPlatformIDs(1, ctypes.byref(platform), None))
check(cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1, ctypes.byref(device), None))
context = pointer(cl.clCreateContext(None, 1, ctypes.byref(device), None, None,
                                     ctypes.byref(error)))
queue = pointer(cl.clCreateCommandQueue(context, device, ctypes.c_uint64(0), ctypes.byref(error)))
text = ctypes.c_char_p(TEXT)
program = pointer(cl.clCreateProgramWithSource(context, 1, ctypes.byref(text), None,
                                               ctypes.byref(error)))
check(cl.clBuildProgram(program, 0, None, b"-g", None, None))
kernel = pointer(cl.clCreateKernel(program, b"work", ctypes.byref(error)))
array = pointer(cl.clCreateBuffer(context, ctypes.c_uint64(1), ctypes.c_size_t(4 * ITEMS), None,
                                  ctypes.byref(error)))
check(cl.clSetKernelArg(kernel, 0, ctypes.c_size_t(8), ctypes.byref(array)))
size = ctypes.c_size_t(ITEMS)
end = time.monotonic() + 0.5
while time.monotonic() < end:
    check(cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(size), None, 0, None, None))
    check(cl.clFinish(queue))
