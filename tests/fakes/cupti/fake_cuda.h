/* SPDX-License-Identifier: MIT
 *
 * A stand-in for the CUDA driver (libcuda.so.1) and for CUPTI (libcupti.so.13) on machines without
 * an NVIDIA GPU. It exports the same functions, but only those that the agent and the test program
 * call, and its device executes nothing. It is not installed.
 *
 * A kernel "runs" for as many microseconds as its grid is wide, one after the other on a device.
 * In each microsecond one warp is sampled, if sampling is on: 7 of 10 at the kernel's instruction
 * 0x10 for long_scoreboard, 1 of 10 at 0x20 for wait, and 2 of 10 at 0x20 are `selected`. Half of
 * the stalls are counted again under their twin _not_issued. stall_at=N puts both at N. A copy or a
 * fill takes a microsecond for each 1000 bytes; one of no bytes leaves no record.
 *
 * FAKE_CUPTI="key=value ..." changes its behaviour. Each key is documented where knob() reads it.
 */
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugins/agents/cupti/copy_record.h"
#include "plugins/agents/cupti/cupti_newer.h"

#pragma GCC visibility push(default)
namespace fake_cuda {

struct Module;
struct Function {
  Module* module = nullptr;
  std::string name;
};
struct Context {
  uint32_t device = 0;
  bool is_gone = false;
  uint64_t busy_until = 0;    // CLOCK_MONOTONIC ns
  std::deque<uint64_t> ends;  // when the kernels that wait or run will end
};
struct Module {
  uint32_t id = 0;
  Context* context = nullptr;
  std::string bytes;
  bool is_load_reported = false;
  std::map<std::string, std::unique_ptr<Function>> functions;
};
// A library has, in each context, a module of each of its images: one, if nvcc made it.
struct Library {
  std::vector<std::string> images;
  std::map<Context*, std::vector<Module*>> modules;
};
struct Kernel {
  Library* library = nullptr;
  std::string name;
};
struct Graph;
struct GraphNode {
  uint64_t id = 0;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  const void* function = nullptr;  // or a kernel
  uint32_t microseconds = 0;
  aiflame::agent::cupti::CopyRecord copy{};
  // Of a child graph: its own copy. Of a conditional: its body, which runs so many times.
  Graph* inner = nullptr;
  uint32_t times = 1;
  CUhostFn host = nullptr;
  void* host_data = nullptr;
  GraphNode* original = nullptr;
};
// A graph, or an executable graph made from one, which has clones of its nodes.
struct Graph {
  std::vector<GraphNode*> nodes;
};
struct Run {
  const Function* function = nullptr;
  uint32_t correlation = 0;
  uint64_t start = 0, end = 0, graph_node = 0;
  // Of a copy or a fill, which has no function: the record that it gets.
  aiflame::agent::cupti::CopyRecord copy{};
  uint32_t host_kind = 0;  // of a function of the host: the kind of its record
  uint32_t device = 0;     // on which that waits
};

// The number after `key=` in FAKE_CUPTI, or `otherwise`.
uint64_t knob(const char* key, uint64_t otherwise = 0);
uint64_t now_ns();
void sleep_until(uint64_t time);

// The driver's calls to CUPTI, which sets them when it is loaded.
struct Hooks {
  void (*call)(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_ApiCallbackSite site,
               const char* name, const char* symbol, const void* params, Context* context,
               uint32_t correlation, uint64_t* data, int* result) = nullptr;
  void (*resource)(CUpti_CallbackId id, Context* context, Module* module) = nullptr;
  void (*graph)(CUpti_CallbackId id, const CUpti_GraphData& graph) = nullptr;
  void (*ran)(const Run& run) = nullptr;
};
extern "C" Hooks* fake_cuda_hooks();

// The scope of one API function: reports its entry and its exit. Calls inside it have the same
// correlation id, or with nested_ids=1 one of their own.
class Call {
 public:
  Call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const char* name, const char* symbol,
       const void* params);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  uint32_t correlation() const { return correlation_; }
  int result = 0;

 private:
  CUpti_CallbackDomain domain_;
  CUpti_CallbackId id_;
  const char* name_;
  const char* symbol_;
  const void* params_;
  uint32_t correlation_, outer_;
  uint64_t data_ = 0;  // the client's own word for this call
};

Context* current_context();
// When the current context's device will have run what waits now: now, or later.
uint64_t end_of_work();
// Whether launches go into a graph.
bool is_capturing();
// A call whose stream is captured makes a node; the address that it returns is reserved at once.
void capture_memory(CUgraphNodeType type);
// Whether this thread has called the API; and how many threads are in calls that launch.
bool is_the_program_s();
unsigned launching();
// Puts a kernel on the device.
void run(const Function& function, uint32_t microseconds, uint32_t correlation, uint64_t node);
void run_copy(const aiflame::agent::cupti::CopyRecord& record);
// Calls a function of the host at once. What waits for it runs as if it had been called in its
// turn, and had lasted for 500 microseconds.
void run_on_host(CUhostFn function, void* data, CUpti_ActivityKind kind, uint32_t correlation,
                 uint64_t node);

}  // namespace fake_cuda
#pragma GCC visibility pop
