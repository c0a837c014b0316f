// SPDX-License-Identifier: MIT
// NVIDIA's GPUs as the kernel and NVIDIA's driver show them in files: nothing of NVIDIA's is loaded
// into the recorder.
#pragma once

#include <string>
#include <vector>

namespace aiflame::source::cupti {

struct Gpu {
  std::string name;   // "NVIDIA H200"
  std::string place;  // "0000:3d:00.0"
};

// By place. What does not say where it sits (some containers show nothing but /dev/nvidiaN) has "".
std::vector<Gpu> find_gpus();

// Whether NVIDIA's driver is there; without it a GPU is of no use.
bool has_driver();

// Why this process, and a command that it starts, may not sample; "" where nothing says so.
std::string permission_obstacle();

// The `Model:` line of /proc/driver/nvidia/gpus/PLACE/information. Pure.
std::string model_in(const std::string& information);

// What /proc/driver/nvidia/params says of RmProfilingAdminOnly. Pure.
bool is_for_admins_only(const std::string& params);

}  // namespace aiflame::source::cupti
