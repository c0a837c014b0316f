// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/agent_doors.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libcommon/base/program.h"
#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/command/process_tree.h"

namespace aiflame::record {
namespace {

// One variable that makes a runtime load an agent. A new agent adds its lines here.
struct AgentDoor {
  const char* file;  // in the plugin directory; without it, the agent is not installed
  const char* variable;
  const char* value;  // a leading % stands for the plugin directory
  // What happens to a value that the user has set: it is replaced, or ours is added to the list
  // (joined by ':') after it or before it, or it is kept and the agent is not loaded.
  enum class UserValue { replaced, comes_first, comes_last, kept } user_value;
  bool only_for_ranges = false;  // set with --ranges only
};
// Of CUDA's two agents one is loaded: that of CUPTI, or that of the driver's calls.
constexpr const char* kCuptiAgent = "cupti-agent.so";
constexpr const char* kCudaAgent = "cuda-agent.so";
constexpr AgentDoor kDoors[] = {
    {"opencl-agent.so", "OPENCL_LAYERS", "%/opencl-agent.so", AgentDoor::UserValue::comes_first},
    // With tracing enabled, Level Zero's loader asks the dynamic linker for a library of this name.
    {"level-zero/libze_tracing_layer.so.1", "LD_LIBRARY_PATH", "%/level-zero",
     AgentDoor::UserValue::comes_last},
    {"level-zero/libze_tracing_layer.so.1", "ZE_ENABLE_TRACING_LAYER", "1",
     AgentDoor::UserValue::replaced},
    {kCuptiAgent, "CUDA_INJECTION64_PATH", "%/cupti-agent.so", AgentDoor::UserValue::kept},
    {kCuptiAgent, "NVTX_INJECTION64_PATH", "%/cupti-agent.so", AgentDoor::UserValue::kept, true},
    // what a user preloads, as a sanitizer's library, may have to be the first
    {kCudaAgent, "LD_PRELOAD", "%/cuda-agent.so", AgentDoor::UserValue::comes_first},
    {kCudaAgent, "NVTX_INJECTION64_PATH", "%/cuda-agent.so", AgentDoor::UserValue::kept, true},
    // Only one library can be the collector of ITT: ranges come to an agent of their own, and the
    // others ask it.
    {"ranges-agent.so", AGENT_RANGES_ENVIRONMENT, "%/ranges-agent.so",
     AgentDoor::UserValue::replaced, true},
    {"ranges-agent.so", "INTEL_LIBITTNOTIFY64", "%/ranges-agent.so", AgentDoor::UserValue::kept,
     true},
    // It stands for AMD's library of roctx.
    {"ranges/libroctx64.so.4", "LD_LIBRARY_PATH", "%/ranges", AgentDoor::UserValue::comes_last,
     true},
};

constexpr AgentRuntime kRuntimes[] = {
    {"OpenCL",
     "libOpenCL.so",
     "opencl-agent.so",
     {"OPENCL_LAYERS", nullptr},
     "called none of its functions, or its version does not know OPENCL_LAYERS"},
    {"Level Zero",
     "libze_loader.so",
     "level-zero-agent.so",
     {"LD_LIBRARY_PATH", "ZE_ENABLE_TRACING_LAYER"},
     "did not initialise it, or the agent's directory is not visible there"},
    {"CUDA",
     "libcuda.so",
     kCuptiAgent,
     {"CUDA_INJECTION64_PATH", nullptr},
     "did not initialise it, or the agent's file is not visible there"},
    {"CUDA",
     "libcuda.so",
     kCudaAgent,
     {"LD_PRELOAD", nullptr},
     "did not initialise it, or the agent's file is not visible there",
     true},
};

bool is_wanted(const AgentDoor& door, const CaptureOptions& options) {
  if (door.only_for_ranges && !options.ranges) return false;
  const char* const unwanted =
      options.launch_times == LaunchTimes::cupti ? kCudaAgent : kCuptiAgent;
  return std::string_view(door.file) != unwanted;
}

bool is_installed(const char* file, const std::string& directory) {
  return access(format("%s/%s", directory.c_str(), file).c_str(), R_OK) == 0;
}

// What the user has asked for by name must be there.
void check_installed(const CaptureOptions& options, const std::string& directory) {
  if (options.launch_times != LaunchTimes::cupti && !is_installed(kCudaAgent, directory))
    throw Error(format("--launch-times=%s: the agent '%s' is not in '%s'",
                       name_of(options.launch_times), kCudaAgent, directory.c_str()));
}

std::string value_of(const AgentDoor& door, const std::string& directory) {
  return door.value[0] == '%' ? directory + (door.value + 1) : door.value;
}

// Several doors may add to a list of directories. The user's own come last, once.
void add_variable(Environment& environment, const char* name, const std::string& value) {
  const auto same = std::ranges::find(environment, name, &Environment::value_type::first);
  if (same == environment.end())
    environment.emplace_back(name, value);
  else
    same->second = value.substr(0, value.find(':')) + ":" + same->second;
}

// What agents read themselves.
Environment told_to_agents(const CaptureOptions& options, const std::string& address) {
  Environment out{{AGENT_ENVIRONMENT, address}};
  if (!options.number_ranges.empty())
    out.emplace_back(AGENT_NUMBER_RANGES_ENVIRONMENT, options.number_ranges);
  if (!options.graph_dot.empty()) out.emplace_back(AGENT_GRAPH_DOT_ENVIRONMENT, options.graph_dot);
  if (options.launch_times == LaunchTimes::events)
    out.emplace_back(AGENT_LAUNCH_TIMES_ENVIRONMENT, name_of(options.launch_times));
  if (options.memory) out.emplace_back(AGENT_MEMORY_ENVIRONMENT, "1");
  return out;
}

}  // namespace

Environment image_environment(const std::string& installed, const std::string& in_image,
                              const std::string& address, const CaptureOptions& options) {
  check_installed(options, installed);
  Environment environment = told_to_agents(options, address);
  for (const AgentDoor& door : kDoors)
    if (is_wanted(door, options) && is_installed(door.file, installed))
      add_variable(environment, door.variable, value_of(door, in_image));
  return environment;
}

Environment agent_environment(const CaptureOptions& options, const std::string& address) {
  const std::string& directory = options.plugin_directory;
  check_installed(options, directory);
  Environment environment = told_to_agents(options, address);
  for (const AgentDoor& door : kDoors) {
    if (!is_wanted(door, options) || !is_installed(door.file, directory)) continue;
    std::string value = value_of(door, directory);
    const char* users = std::getenv(door.variable);
    if (users != nullptr && *users != '\0') {
      if (door.user_value == AgentDoor::UserValue::kept && value != users) {
        warn("%s is set to '%s' already: left as it is, so that agent is not loaded", door.variable,
             users);
        continue;
      }
      if (door.user_value == AgentDoor::UserValue::comes_first)
        value = format("%s:%s", users, value.c_str());
      if (door.user_value == AgentDoor::UserValue::comes_last)
        value = format("%s:%s", value.c_str(), users);
    }
    add_variable(environment, door.variable, value);
  }
  return environment;
}

std::span<const AgentRuntime> agent_runtimes() {
  return kRuntimes;
}

std::string lacking_variable(const AgentRuntime& runtime, const Environment& environment,
                             const std::string& plugin_directory, std::string_view own) {
  for (const auto& one : environment) {
    const auto& [name, value] = one;
    const bool is_needed = name == AGENT_ENVIRONMENT ||
                           std::ranges::any_of(runtime.variables, [&](const char* variable) {
                             return variable != nullptr && one.first == variable;
                           });
    if (!is_needed) continue;
    // a program may add to a list of paths
    const bool is_path = value.find(plugin_directory) != std::string::npos;
    const std::string_view there = variable_in(own, name);
    const bool is_there =
        is_path ? there.find(plugin_directory) != std::string_view::npos : there == value;
    if (!is_there) return name;
  }
  return "";
}

}  // namespace aiflame::record
