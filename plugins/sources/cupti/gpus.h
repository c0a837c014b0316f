// SPDX-License-Identifier: MIT
// NVIDIA's GPUs, from files of the kernel and NVIDIA's driver. No code of NVIDIA's is loaded into
// the recorder.
#pragma once

#include <string>
#include <vector>

namespace aiflame::source::cupti {

struct Gpu {
  std::string name;   // "NVIDIA H200"
  std::string place;  // "0000:3d:00.0"
};

// Sorted by place, which is "" when unknown (some containers show only /dev/nvidiaN).
std::vector<Gpu> find_gpus();

// Whether NVIDIA's driver is loaded; without it a GPU is of no use.
bool has_driver();

// Why this process, and a command that it starts, may not sample; "" when nothing forbids it.
std::string permission_obstacle();

// The `Model:` line of /proc/driver/nvidia/gpus/PLACE/information. Pure.
std::string model_in(const std::string& information);

// The value of RmProfilingAdminOnly in /proc/driver/nvidia/params. Pure.
bool is_for_admins_only(const std::string& params);

}  // namespace aiflame::source::cupti
