// SPDX-License-Identifier: MIT
// An OpenCL platform that does nothing, as fast as it can: the cost of a launch on it is the cost
// of what lies between the program and the driver. Loaded by OCL_ICD_VENDORS=.../libopencl-null.so.
//
// Kernels take no time. A launch without an event allocates nothing and takes no lock. One with an
// event stays CL_SUBMITTED until clFinish or clWaitForEvents on its queue; the waiting thread then
// calls the callbacks, in the order of the launches. Event times are CLOCK_MONOTONIC_RAW, like
// PoCL's.
#pragma once

#include <cstdint>

// Numbers of objects that live now, and of calls so far.
struct OpenclNullCounts {
  int64_t contexts, queues, programs, kernels, events;  // alive
  int64_t launches;   // made on queues that are gone, so that counting them costs a launch no lock
  int64_t callbacks;  // called
};

// The type of clGetExtensionFunctionAddressForPlatform(platform, "opencl_null_counts").
using opencl_null_counts_fn = OpenclNullCounts (*)();
