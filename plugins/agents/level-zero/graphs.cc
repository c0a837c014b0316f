/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/graphs.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "plugins/agents/common/busy.h"
#include "plugins/agents/level-zero/command_lists.h"
#include "plugins/agents/level-zero/launches.h"
#include "plugins/agents/level-zero/layer.h"

// since 1.17 in ze_ddi.h
struct _ze_graph_dditable_t;             // NOLINT(bugprone-reserved-identifier): Level Zero's name
struct _ze_executable_graph_dditable_t;  // NOLINT(bugprone-reserved-identifier): Level Zero's name

namespace aiflame::agent::level_zero {
namespace {

// ---- newer than the headers of 1.4 (Debian 12's) ------------------------------------------------

// The handles of graphs and executables, which are also those of their lists here.
using Graph = ze_command_list_handle_t;
using Executable = ze_command_list_handle_t;

// Level Zero's ze_ddi.h, version 1.17: indices into ze_command_list_dditable_t …
constexpr size_t kBeginCapture = 45, kBeginCaptureInto = 46, kEndCapture = 48, kAppendGraph = 50;
// … into _ze_graph_dditable_t, and into _ze_executable_graph_dditable_t
constexpr size_t kInstantiate = 3, kDestroyGraph = 6, kDestroyExecutable = 1;

using BeginCapture = ze_result_t (*)(ze_command_list_handle_t, const void*);
using BeginCaptureInto = ze_result_t (*)(ze_command_list_handle_t, Graph, const void*);
using EndCapture = ze_result_t (*)(ze_command_list_handle_t, const void*, Graph*);
using EndCaptureExp = ze_result_t (*)(ze_command_list_handle_t, Graph*, void*);
using GetGraph = ze_result_t (*)(ze_command_list_handle_t, Graph*);
using AppendGraph = ze_result_t (*)(ze_command_list_handle_t, Executable, const void*,
                                    ze_event_handle_t, uint32_t, ze_event_handle_t*);
using Instantiate = ze_result_t (*)(Graph, const void*, Executable*);
using InstantiateExp = ze_result_t (*)(Graph, Executable*, void*);
using Destroy = ze_result_t (*)(Graph);

// ---- what our functions call --------------------------------------------------------------------

// The functions that differ in nothing but where they come from: from the loader, or by name.
struct Lower {
  BeginCapture begin_capture;
  BeginCaptureInto begin_capture_into;
  AppendGraph append_graph;
  Destroy destroy_graph, destroy_executable;
};
Lower of_loader, by_name;
EndCapture end_capture_of_loader;
EndCaptureExp end_capture_by_name;
Instantiate instantiate_of_loader;
InstantiateExp instantiate_by_name;

// The functions that tell the graph of a list, and the one of them that the program's captures
// need.
std::atomic<GetGraph> get_graph_of_loader{nullptr}, get_graph_by_name{nullptr}, get_graph{nullptr};
std::atomic<uint32_t> open_captures{0};
std::atomic<Graph> last_graph{nullptr};
std::atomic<bool> has_unseen{false};

// The frames of a call that executes a graph, as in Launch. It is named, since a function that the
// driver hands out has no symbol.
constexpr char kFrontOfLoader[] =
    "[command list]\0[level-zero]\0zeCommandListAppendGraphExt\0[level-zero]";
constexpr char kFrontByName[] =
    "[command list]\0[level-zero]\0zeCommandListAppendGraphExp\0[level-zero]";
static_assert(sizeof kFrontOfLoader == sizeof kFrontByName);

// ---- our functions ------------------------------------------------------------------------------

// It is empty, though an earlier one may have had its handle.
void graph_begun(ze_command_list_handle_t list) {
  Graph graph = nullptr;
  if (get_graph.load()(list, &graph) != ZE_RESULT_SUCCESS) return;
  ListInfo info = find_list(list);
  info.immediate = false;
  list_created(graph, info);
  last_graph.store(graph);
}

// Begins a capture by `begin()`. A function of the driver gets the driver's handle. Where the
// loader wraps handles, for several drivers, that is none that the agent knows, and the driver may
// not be asked about the loader's.
template <const Lower& kLower, typename Begin>
ze_result_t begin_by(ze_command_list_handle_t list, Begin begin) {
  const GetGraph getter = (&kLower == &of_loader ? get_graph_of_loader : get_graph_by_name).load();
  const ze_result_t result = begin();
  if (result != ZE_RESULT_SUCCESS) return result;
  if (getter == nullptr || !is_known_list(list)) {
    has_unseen.store(true);
    return result;
  }
  get_graph.store(getter);
  if (!exchange_capturing(list, true)) open_captures.fetch_add(1);
  graph_begun(list);
  return result;
}

template <const Lower& kLower>
ze_result_t begin_capture(ze_command_list_handle_t list, const void* next) {
  return begin_by<kLower>(list, [&] { return kLower.begin_capture(list, next); });
}

template <const Lower& kLower>
ze_result_t begin_capture_into(ze_command_list_handle_t list, Graph graph, const void* next) {
  return begin_by<kLower>(list, [&] { return kLower.begin_capture_into(list, graph, next); });
}

// Comes after the program's call to end the capture, which may say that the graph is invalid.
ze_result_t ended(ze_command_list_handle_t list, ze_result_t result) {
  if (find_graph(list) == nullptr) end_capture_of(list);
  return result;
}

ze_result_t end_capture(ze_command_list_handle_t list, const void* next, Graph* graph) {
  return ended(list, end_capture_of_loader(list, next, graph));
}

ze_result_t end_capture_exp(ze_command_list_handle_t list, Graph* graph, void* next) {
  return ended(list, end_capture_by_name(list, graph, next));
}

// A captured list takes the graph into its own.
template <const Lower& kLower>
ze_result_t append_graph(ze_command_list_handle_t list, Executable executable, const void* next,
                         ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t* wait) {
  constexpr const char* kFront = &kLower == &of_loader ? kFrontOfLoader : kFrontByName;
  return execute_lists_on(
      list, 1, &executable, kGraphsInGraphs, {nullptr, kFront, sizeof kFrontOfLoader},
      [&] { return kLower.append_graph(list, executable, next, signal, wait_count, wait); });
}

ze_result_t instantiated(Graph graph, const Executable* executable, ze_result_t result) {
  if (result == ZE_RESULT_SUCCESS && !is_busy()) list_cloned(graph, *executable);
  return result;
}

ze_result_t instantiate(Graph graph, const void* next, Executable* executable) {
  return instantiated(graph, executable, instantiate_of_loader(graph, next, executable));
}

ze_result_t instantiate_exp(Graph graph, Executable* executable, void* next) {
  return instantiated(graph, executable, instantiate_by_name(graph, executable, next));
}

// Forgets the handle first: afterwards another thread may get the same one.
template <const Lower& kLower>
ze_result_t destroy_graph(Graph graph) {
  list_destroyed(graph);
  return kLower.destroy_graph(graph);
}

template <const Lower& kLower>
ze_result_t destroy_executable(Executable executable) {
  list_destroyed(executable);
  return kLower.destroy_executable(executable);
}

// ---- functions that drivers hand out by name ----------------------------------------------------

struct Extension {
  const char* name;
  void* ours;
  void** lower;
};

template <typename Function>
Extension extension(const char* name, Function ours, Function& lower) {
  return {name, reinterpret_cast<void*>(ours), reinterpret_cast<void**>(&lower)};
}

}  // namespace

void find_graph_functions() {
  get_graph_of_loader.store(
      reinterpret_cast<GetGraph>(loader_function("zeCommandListGetGraphExt")));
}

void put_graph_functions(ze_command_list_dditable_t& table) {
  put_at(&table, kBeginCapture, of_loader.begin_capture, &begin_capture<of_loader>);
  put_at(&table, kBeginCaptureInto, of_loader.begin_capture_into, &begin_capture_into<of_loader>);
  put_at(&table, kEndCapture, end_capture_of_loader, &end_capture);
  put_at(&table, kAppendGraph, of_loader.append_graph, &append_graph<of_loader>);
}

void wrap_extension(ze_driver_handle_t driver, ExtensionGetter get, const char* name,
                    void** address) {
  const Extension kExtensions[] = {
      extension("zeCommandListBeginGraphCaptureExp", &begin_capture<by_name>,
                by_name.begin_capture),
      extension("zeCommandListBeginCaptureIntoGraphExp", &begin_capture_into<by_name>,
                by_name.begin_capture_into),
      extension("zeCommandListEndGraphCaptureExp", &end_capture_exp, end_capture_by_name),
      extension("zeCommandListAppendGraphExp", &append_graph<by_name>, by_name.append_graph),
      extension("zeCommandListInstantiateGraphExp", &instantiate_exp, instantiate_by_name),
      extension("zeGraphDestroyExp", &destroy_graph<by_name>, by_name.destroy_graph),
      extension("zeExecutableGraphDestroyExp", &destroy_executable<by_name>,
                by_name.destroy_executable),
  };
  const bool may_capture =
      std::strstr(name, "Begin") != nullptr && std::strstr(name, "Capture") != nullptr;
  const Extension* known = std::begin(kExtensions);
  while (known != std::end(kExtensions) && std::strcmp(known->name, name) != 0) ++known;
  void* getter = nullptr;
  const bool is_ours = known != std::end(kExtensions) &&
                       get(driver, "zeCommandListGetGraphExp", &getter) == ZE_RESULT_SUCCESS &&
                       getter != nullptr &&
                       // a second driver's functions would need slots of their own
                       (*known->lower == nullptr || *known->lower == *address);
  if (!is_ours) {
    if (may_capture) has_unseen.store(true);
    return;
  }
  get_graph_by_name.store(reinterpret_cast<GetGraph>(getter));
  *known->lower = *address;
  *address = known->ours;
}

bool is_capture_open() {
  return open_captures.load(std::memory_order_relaxed) > 0;
}

ze_command_list_handle_t find_graph(ze_command_list_handle_t list) {
  // nobody may be asked about a handle of the other side, which only a driver's function gets
  if (!is_capture_open() || !is_known_list(list)) return nullptr;
  Graph graph = nullptr;
  if (get_graph.load()(list, &graph) != ZE_RESULT_SUCCESS || graph == nullptr) return nullptr;
  // Intel's driver before 26.18 names a part of the graph for a list that waits for the first
  return !is_known_list(graph) && open_captures.load() == 1 ? last_graph.load() : graph;
}

void end_capture_of(ze_command_list_handle_t list) {
  if (exchange_capturing(list, false)) open_captures.fetch_sub(1);
}

bool are_captures_unseen() {
  return has_unseen.load(std::memory_order_relaxed);
}

}  // namespace aiflame::agent::level_zero

EXPORTED ze_result_t ZE_APICALL zeGetGraphProcAddrTable(ze_api_version_t version,
                                                        _ze_graph_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(CALLER, version, table, __func__, keep_nothing, [&] {
    if (version < version_of(1, 17)) return;
    put_at(table, kInstantiate, instantiate_of_loader, &instantiate);
    put_at(table, kDestroyGraph, of_loader.destroy_graph, &destroy_graph<of_loader>);
  });
}

EXPORTED ze_result_t ZE_APICALL zeGetExecutableGraphProcAddrTable(
    ze_api_version_t version, _ze_executable_graph_dditable_t* table) {
  using namespace aiflame::agent::level_zero;
  return fill_table(CALLER, version, table, __func__, keep_nothing, [&] {
    if (version < version_of(1, 17)) return;
    put_at(table, kDestroyExecutable, of_loader.destroy_executable, &destroy_executable<of_loader>);
  });
}
