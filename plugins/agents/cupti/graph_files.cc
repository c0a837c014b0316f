/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/graph_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/driver_calls.h"

namespace aiflame::agent::cupti {
namespace {

char path[4000];  // "" = graphs are not written
// A server instantiates some hundred graphs when it starts. A program that does so in each step
// would fill the disk.
constexpr uint32_t kMostGraphs = 1024;
std::atomic<uint32_t> graphs{0};
std::atomic<bool> is_failure_told{false};

void report_failure(const char* file, const char* why) {
  if (is_failure_told.exchange(true)) return;
  char text[512];
  std::snprintf(text, sizeof text, "a graph is not written to '%.300s': %s", file, why);
  report_message(text, false);
}

// Makes the file for its owner alone, as it has the kernels' arguments. The driver opens it again.
bool make_file(const char* file) {
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    report_failure(file, std::strerror(errno));
    return false;
  }
  close(descriptor);
  return true;
}

// All of the calls begin with the instance and the graph.
CUgraph graph_of(const CUpti_CallbackData& call) {
  static_assert(offsetof(cuGraphInstantiate_params, hGraph) == sizeof(void*) &&
                offsetof(cuGraphInstantiate_v2_params, hGraph) == sizeof(void*) &&
                offsetof(cuGraphInstantiateWithFlags_params, hGraph) == sizeof(void*) &&
                offsetof(cuGraphInstantiateWithParams_params, hGraph) == sizeof(void*) &&
                offsetof(cuGraphInstantiateWithParams_ptsz_params, hGraph) == sizeof(void*));
  const auto* params = static_cast<const cuGraphInstantiate_params*>(call.functionParams);
  return params == nullptr ? nullptr : params->hGraph;
}

}  // namespace

void note_graph_file() {
  const char* wanted = std::getenv(AGENT_GRAPH_DOT_ENVIRONMENT);
  if (wanted != nullptr && std::strlen(wanted) < sizeof path)
    std::memcpy(path, wanted, std::strlen(wanted) + 1);
}

bool has_graph_file() {
  return path[0] != '\0';
}

// NVIDIA's samples, too, call the driver when a call of it returns (callback_event). The program
// holds the graph: it is in the call.
void graph_instantiated(const CUpti_CallbackData& call) {
  const CUgraph graph = graph_of(call);
  decltype(&cuGraphDebugDotPrint) print = nullptr;
  find_driver_function(print, "cuGraphDebugDotPrint");
  if (graph == nullptr || !has_succeeded(call) || has_recording_ended()) return;
  const uint32_t number = graphs.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number > kMostGraphs) {
    if (number == kMostGraphs + 1)
      report_message("graphs after the first 1024 are not written", false);
    return;
  }
  char file[sizeof path + 32];
  std::snprintf(file, sizeof file, "%s.%d.%u", path, getpid(), number);
  if (print == nullptr) return report_failure(file, "this driver has no cuGraphDebugDotPrint");
  if (!make_file(file)) return;
  const CUresult result = print(graph, file, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE);
  if (result == CUDA_SUCCESS) return;
  unlink(file);
  char why[48];
  std::snprintf(why, sizeof why, "CUDA error %d", result);
  report_failure(file, why);
}

}  // namespace aiflame::agent::cupti
