/* SPDX-License-Identifier: MIT */
#include "plugins/level-zero/command_lists.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "plugins/level-zero/handle_map.h"

namespace aiflame::agent {
namespace {

// A kernel appended from one place, `count` times.
struct Entry {
  Kernel kernel;
  uint64_t count;
  Stack* stack;  // as many bytes as it has frames
};

struct List {
  ListInfo info;
  uint64_t untold;  // launches for which there was no room
  uint32_t count, capacity;
  Entry* entries;
};

HandleMap lists;  // -> List

// All lists together, and the places in one list: the memory of a program that records without end,
// and the time to find a place. Launches beyond are counted as lost when they are executed.
constexpr uint64_t kMaxBytes = uint64_t{64} << 20;
constexpr uint32_t kMaxEntries = 4096;
std::atomic<uint64_t> bytes_used{0};

size_t bytes_of(const Stack& stack) {
  return sizeof(Stack) - (AGENT_MAX_FRAMES - stack.count) * sizeof stack.frames[0];
}

void clear(List& list) {
  for (uint32_t i = 0; i < list.count; ++i) {
    bytes_used.fetch_sub(bytes_of(*list.entries[i].stack), std::memory_order_relaxed);
    free(list.entries[i].stack);
  }
  list.count = 0;
  list.untold = 0;
}

void drop(List* list) {
  if (list == nullptr) return;
  clear(*list);
  bytes_used.fetch_sub(list->capacity * sizeof(Entry), std::memory_order_relaxed);
  end_flights(list->info.flights);
  free(list->entries);
  free(list);
}

// In `at`, made where there is none: of a function that this agent does not know. Null without
// memory.
List* list_at(HandleMap::Locked& at) {
  if (void* known = at.value(); known != nullptr) return static_cast<List*>(known);
  auto* made = static_cast<List*>(calloc(1, sizeof(List)));
  bool kept = false;
  if (made != nullptr) at.set(made, kept);
  if (kept) return made;
  free(made);
  return nullptr;
}

bool reserve(uint64_t bytes) {
  if (bytes_used.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMaxBytes) return true;
  bytes_used.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

bool add_entry(List& list, const Kernel& kernel, const Stack& stack, uint64_t count) {
  if (list.count == list.capacity) {
    const uint32_t wanted = list.capacity == 0 ? 4 : list.capacity * 2;
    if (wanted > kMaxEntries || !reserve((wanted - list.capacity) * sizeof(Entry))) return false;
    void* grown = realloc(list.entries, wanted * sizeof(Entry));
    if (grown == nullptr) return false;
    list.entries = static_cast<Entry*>(grown);
    list.capacity = wanted;
  }
  const size_t bytes = bytes_of(stack);
  if (!reserve(bytes)) return false;
  auto* kept = static_cast<Stack*>(malloc(bytes));
  if (kept == nullptr) {
    bytes_used.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  std::memcpy(static_cast<void*>(kept), &stack, bytes);
  list.entries[list.count++] = Entry{kernel, count, kept};
  return true;
}

void add(List& list, const Kernel& kernel, const Stack& stack, uint64_t count) {
  // the latest first: a loop appends from one place
  for (uint32_t i = list.count; i > 0; --i) {
    Entry& entry = list.entries[i - 1];
    if (entry.stack->hash != stack.hash || entry.kernel.name != kernel.name ||
        entry.kernel.object != kernel.object)
      continue;
    entry.count += count;
    return;
  }
  if (!add_entry(list, kernel, stack, count)) list.untold += count;
}

}  // namespace

void list_created(ze_command_list_handle_t handle, const ListInfo& info) {
  Flights* flights = info.immediate ? make_flights() : nullptr;
  HandleMap::Locked at(lists, handle);
  drop(static_cast<List*>(at.remove()));  // one that is gone had the same handle
  List* list = list_at(at);
  if (list != nullptr) {
    list->info = info;
    list->info.flights = flights;
  } else {
    end_flights(flights);
  }
}

ListInfo find_list(ze_command_list_handle_t list) {
  const HandleMap::Locked at(lists, list);
  const auto* known = static_cast<const List*>(at.value());
  return known == nullptr ? ListInfo{} : known->info;
}

void list_destroyed(ze_command_list_handle_t list) {
  HandleMap::Locked at(lists, list);
  drop(static_cast<List*>(at.remove()));
}

void list_reset(ze_command_list_handle_t list) {
  const HandleMap::Locked at(lists, list);
  if (auto* known = static_cast<List*>(at.value()); known != nullptr) clear(*known);
}

void list_cloned(ze_command_list_handle_t from, ze_command_list_handle_t to) {
  const ListInfo info = find_list(from);
  list_created(to, info);
  // one lock at a time: a copy that nobody else knows is filled in between
  List copy{};
  {
    const HandleMap::Locked at(lists, from);
    const auto* known = static_cast<const List*>(at.value());
    if (known == nullptr) return;
    copy.untold = known->untold;
    for (uint32_t i = 0; i < known->count; ++i)
      add(copy, known->entries[i].kernel, *known->entries[i].stack, known->entries[i].count);
  }
  HandleMap::Locked at(lists, to);
  List* list = list_at(at);
  copy.info = list == nullptr ? ListInfo{} : list->info;
  if (list != nullptr)
    *list = copy;
  else
    clear(copy);
}

void appended(ze_command_list_handle_t list, const Kernel& kernel, const Stack& stack) {
  HandleMap::Locked at(lists, list);
  if (List* known = list_at(at); known != nullptr)
    add(*known, kernel, stack, 1);
  else
    count_lost(1);
}

bool launches_something(ze_command_list_handle_t list) {
  const HandleMap::Locked at(lists, list);
  const auto* known = static_cast<const List*>(at.value());
  return known != nullptr && (known->count > 0 || known->untold > 0);
}

void executed(ze_command_list_handle_t list, const Stack& stack, uint64_t time, bool failed) {
  const HandleMap::Locked at(lists, list);
  const auto* known = static_cast<const List*>(at.value());
  if (known == nullptr) return;
  for (uint32_t i = 0; i < known->count; ++i) {
    const Entry& entry = known->entries[i];
    Launch launch{};
    launch.kernel_name = entry.kernel.name;
    launch.kernel_name_bytes = entry.kernel.name_bytes;
    launch.object = entry.kernel.object;
    launch.device = device_number(known->info.device);
    report_launches(launch, stack, entry.stack, entry.count, time, failed);
  }
  if (known->untold > 0 && !failed) count_lost(known->untold);
}

void lock_lists() {
  lists.lock_all();
}

void unlock_lists() {
  lists.unlock_all();
}

}  // namespace aiflame::agent
