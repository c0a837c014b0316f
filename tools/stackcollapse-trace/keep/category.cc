// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/category.h"

#include <strings.h>

#include <string>

namespace aiflame::trace {
namespace {

struct Category {
  const char* name;  // in any case
  Role role;
};

constexpr Category kCategories[] = {
    {"user_annotation", Role::range},
    {"python_function", Role::python},
    {"cpu_op", Role::op},
    {"operator", Role::op},
    {"runtime", Role::runtime},
    {"hpu_op", Role::runtime},
    {"kernel", Role::kernel},
    {"mtia_ccp_events", Role::kernel},
    {"gpu_memcpy", Role::copy},
    {"gpu_memset", Role::fill},
    {"memcpy", Role::copy},
    {"memset", Role::fill},
    {"gpu_user_annotation", Role::device_range},
    {"ac2g", Role::launch_flow},
    {"async", Role::launch_flow},  // before PyTorch 1.11
    {"async_gpu", Role::launch_flow},
    {"cpu_to_cuda", Role::launch_flow},  // before PyTorch 1.8
    {"async_npu", Role::launch_flow},    // Ascend
    {"DataFlow", Role::launch_flow},     // rocprof
    {"HostToDevice", Role::host_flow},
    {"fwdbwd", Role::forward_flow},
    {"forward_backward", Role::forward_flow},
    {"Op", Role::unnamed},  // TensorFlow 1: on which device, the process tells
    // unitrace
    {"gpu_op", Role::kernel},
    // no part of any stack
    {"trace", Role::skipped},
    {"overhead", Role::skipped},
    {"cpu_instant_event", Role::skipped},
    {"cuda_sync", Role::skipped},
    {"cuda_event", Role::skipped},
    {"cuda_profiler_range", Role::skipped},
    {"collective_comm", Role::skipped},
    {"hardware_counters", Role::skipped},
    {"xpu_scope_profiler", Role::skipped},
    {"mtia_insight", Role::skipped},
    {"mtia_counters", Role::skipped},
};

}  // namespace

Role role_of(std::string_view category) {
  if (category.empty()) return Role::unnamed;
  const std::string name(category);
  for (const Category& one : kCategories)
    if (strcasecmp(name.c_str(), one.name) == 0) return one.role;
  // cuda_runtime, cuda_driver, xpu_runtime, xpu_driver, mtia_runtime, privateuse1_runtime
  if (name.ends_with("_runtime") || name.ends_with("_driver")) return Role::runtime;
  // unitrace: Flow_H2D_42_0, of OpenCL CL_Flow_H2D_42_0
  if (name.starts_with("Flow_H2D_") || name.starts_with("CL_Flow_H2D_")) return Role::launch_flow;
  if (name.find("Flow_") != std::string::npos) return Role::skipped;
  return Role::unknown;
}

}  // namespace aiflame::trace
