/* SPDX-License-Identifier: MIT
 *
 * How the agent's functions get into the tables of the loader; see layer.cc.
 */
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>

#include "plugins/agents/level-zero/next_layer.h"

namespace aiflame::agent::level_zero {

constexpr ze_api_version_t version_of(uint32_t major, uint32_t minor) {
  return static_cast<ze_api_version_t>(major << 16 | minor);
}

// Connects at the first call. Returns whether there is a recorder, or may come one. `caller` lies
// in the loader.
bool connect_once(const void* caller);

// begin_report(); in a forked child, and for another recorder, it also reports again what that must
// know. Meanwhile it is false in other threads, whose launches come before the recording.
[[nodiscard]] bool begin_layer_report();
// The same for begin_memory_report().
[[nodiscard]] bool begin_layer_memory_report();

// Looks functions up in the loader, once it is known; see list_layer.cc.
void find_launch_functions();

// A function of the loader, as the program calls it; null if the loader has none of that name.
void* loader_function(const char* name);
// The name under which such a function was looked up, or null.
const char* loader_function_name(const void* function);

// Lets the real layer wrap `table` first.
template <typename Table>
void wrap_by_next(ze_api_version_t version, Table* table, const char* name) {
  using Get = ze_result_t (*)(ze_api_version_t, Table*);
  const auto get = reinterpret_cast<Get>(next_function(name));
  // a layer of another version than the loader leaves the table as it is
  if (get != nullptr) get(version, table);
}

// The body of every zeGet…ProcAddrTable. First `keep` sees the functions below other layers, then
// the real layer wraps the table, then `wrap` puts our functions in. Without a recorder, and if
// none may come, only the real layer does its part.
template <typename Table, typename Keep, typename Wrap>
ze_result_t fill_table(const void* caller, ze_api_version_t version, Table* table, const char* name,
                       Keep keep, Wrap wrap) {
  const bool is_connected = connect_once(caller);
  if (is_connected) keep();
  wrap_by_next(version, table, name);
  if (is_connected) wrap();
  return ZE_RESULT_SUCCESS;
}
inline void keep_nothing() {}

// Puts `ours` into `entry`, and what was there into `below`.
template <typename Function>
void put(Function& entry, Function& below, Function ours) {
  if (entry == nullptr || entry == ours) return;
  below = entry;
  entry = ours;
}

// The same for an entry that the headers lack.
template <typename Function>
void put_at(void* table, size_t index, Function& below, Function ours) {
  auto** entries = static_cast<void**>(table);
  auto* entry = reinterpret_cast<Function>(entries[index]);
  put(entry, below, ours);
  entries[index] = reinterpret_cast<void*>(entry);
}

}  // namespace aiflame::agent::level_zero

#define EXPORTED extern "C" __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)
