// SPDX-License-Identifier: MIT
// kernel_details.csv of Ascend's profiler (torch_npu, msprof): a row for each kernel, without a
// host. Columns differ by version, and are found by name:
//
//   Step Id,…,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),…
//   1,…,ZerosLike46,ZerosLike,AI_VECTOR_CORE,1699529622790614.8,607.98,0,…
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace aiflame::trace {

struct KernelDetail {
  std::string_view step, name, type, core;
  int64_t start = 0, duration = 0;  // ns
};

// Whether a file is one, by its first line. A pipe is read once, and is not.
bool is_kernel_details(const std::string& path);

// Calls take() for each row. Throws Error for a row whose duration is no number.
void read_kernel_details(const std::string& path,
                         const std::function<void(const KernelDetail&)>& take);

}  // namespace aiflame::trace
