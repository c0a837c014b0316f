// SPDX-License-Identifier: MIT
// Who a process is, from what launchers, Slurm, container engines and Kubernetes leave in its
// environment and in the name of its control group.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcommon/gpustall/process_facts.h"

namespace aiflame::record {

// Of a process that runs, and may be looked at; else nothing is known.
ProcessFacts read_process_facts(uint32_t pid);

// `environment`: NAME=VALUE, each with a zero byte after it, as in /proc/PID/environ. `cgroups`:
// /proc/PID/cgroup.
ProcessFacts process_facts(std::string_view environment, std::string_view cgroups);

}  // namespace aiflame::record
