// SPDX-License-Identifier: MIT
// What unitrace (Intel's pti-gpu) writes otherwise than PyTorch (pure). Written from its source,
// not tried on a genuine file.
//
//   {"ph":"X","tid":7,"pid":7,"name":"zeCommandListAppendLaunchKernel","cat":"cpu_op","ts":1,"dur":5,"id":0}
//   {"ph":"s","tid":7,"pid":7,"name":"dep","cat":"Flow_H2D_42_0","ts":1,"id":42}
//   {"ph":"X","tid":4294967294,"pid":4294967295,"name":"mm[SIMD32 {16; 1; 1} {64; 1; 1}]",
//    "cat":"gpu_op","ts":8,"dur":9,"args":{"id":"42"}}
//   {"ph":"t","tid":4294967294,"pid":4294967295,"name":"dep","cat":"Flow_H2D_42_0","ts":8,"id":42}
#pragma once

#include <string_view>

namespace aiflame::trace {

// Whether a function of the host is one of a driver: zeCommandListAppendLaunchKernel,
// clEnqueueNDRangeKernel, urEnqueueKernelLaunch. unitrace calls everything on the host "cpu_op".
bool is_driver_call(std::string_view name);

// A kernel without the size of its launch, a copy without its bytes:
// "zeCommandListAppendMemoryCopy(M2D)[4096 bytes]".
std::string_view unitrace_device_name(std::string_view name);

}  // namespace aiflame::trace
