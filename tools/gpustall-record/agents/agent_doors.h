// SPDX-License-Identifier: MIT
// How each vendor's runtime is made to load its agent: through environment variables of the
// command.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/gpustall-record/command/capture_options.h"

namespace aiflame::record {

using Environment = std::vector<std::pair<std::string, std::string>>;  // names and values

// The variables that load every installed agent. A program may use several interfaces, and the
// agents of those that it does not use are never loaded. `address` is AgentHost's. Warns when a
// variable that the user has set keeps an agent from being loaded.
Environment agent_environment(const CaptureOptions& options, const std::string& address);

// The same for an image that has the plugin directory `installed` as `in_image`: what the user has
// set here is nothing to it.
Environment image_environment(const std::string& installed, const std::string& in_image,
                              const std::string& address, const CaptureOptions& options);

// A vendor's runtime that loads an agent.
struct AgentRuntime {
  const char* interface;                 // "OpenCL"
  const char* library;                   // how its file's name begins: "libOpenCL.so"
  const char* agent;                     // the agent's file
  std::array<const char*, 2> variables;  // that make it load the agent; null = there are no more
  // Why it may load none though these are as they must be: after "loaded libOpenCL.so.1, but ".
  const char* otherwise;
  bool is_preloaded = false;  // into every program: its being there says nothing
};
std::span<const AgentRuntime> agent_runtimes();

// The first variable without which an agent of `runtime` is not loaded, or does not report, that a
// program does not have as agent_environment() made it; "" = it has all. `own` is the program's
// /proc/PID/environ.
std::string lacking_variable(const AgentRuntime& runtime, const Environment& environment,
                             const std::string& plugin_directory, std::string_view own);

}  // namespace aiflame::record
