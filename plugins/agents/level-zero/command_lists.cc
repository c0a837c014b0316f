/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/command_lists.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "plugins/agents/common/handle_map.h"

namespace aiflame::agent::level_zero {
namespace {

// A stack that entries share, such as those of a graph and of its executables. Allocated up to the
// stack's last frame.
struct KeptStack {
  std::atomic<uint64_t> holders;
  Stack stack;
};

// A kernel that was appended `count` times from one place.
struct Entry {
  Kernel kernel;
  uint64_t count;
  KeptStack* at;
};

// A kernel whose launches are timed.
struct TimedEntry {
  Kernel kernel;
  KeptStack* at;
  ze_event_handle_t signal;  // the program's, or
  Event* kept;               // one of ours
};

struct List {
  ListInfo info;
  uint64_t unreported;  // launches that did not fit
  uint32_t count, capacity;
  Entry* entries;
  uint32_t timed_count, timed_capacity;
  TimedEntry* timed;
  bool capturing;  // a capture has begun on it
};

HandleMap lists;  // -> List

// Bounds for all lists together, and for the places in one list: for the memory of a program that
// appends without end, and for the time to find a place. Launches beyond are counted as lost when
// they are executed.
constexpr uint64_t kMaxBytes = uint64_t{64} << 20;
constexpr uint32_t kMaxEntries = 4096;
// For one list: each timed launch costs a quarter of a microsecond per execution.
constexpr uint32_t kMaxTimed = 1024;
std::atomic<uint64_t> bytes_used{0};

size_t bytes_of(const Stack& stack) {
  return sizeof(KeptStack) - (AGENT_MAX_FRAMES - stack.count) * sizeof stack.frames[0];
}

void let_go(KeptStack* kept) {
  if (kept->holders.fetch_sub(1) > 1) return;
  bytes_used.fetch_sub(bytes_of(kept->stack), std::memory_order_relaxed);
  free(kept);
}

void clear(List& list) {
  for (uint32_t i = 0; i < list.count; ++i) let_go(list.entries[i].at);
  for (uint32_t i = 0; i < list.timed_count; ++i) {
    let_go(list.timed[i].at);
    drop_event(list.timed[i].kept);
  }
  list.count = 0;
  list.timed_count = 0;
  list.unreported = 0;
}

// Gives back all that the list has room for.
void release(List& list) {
  clear(list);
  bytes_used.fetch_sub(list.capacity * sizeof(Entry) + list.timed_capacity * sizeof(TimedEntry),
                       std::memory_order_relaxed);
  free(list.entries);
  free(list.timed);
}

void drop(List* list) {
  if (list == nullptr) return;
  release(*list);
  end_flights(list->info.flights);
  free(list);
}

// The list in `at`; makes an entry for a list that a function unknown to the agent made. Null
// without memory.
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

// Makes room for one more entry.
template <typename Entries>
bool grow(Entries*& entries, uint32_t count, uint32_t& capacity, uint32_t most) {
  if (count < capacity) return true;
  const uint32_t wanted = capacity == 0 ? 4 : capacity * 2;
  const uint64_t bytes = (wanted - capacity) * sizeof(Entries);
  if (wanted > most || !reserve(bytes)) return false;
  void* grown = realloc(static_cast<void*>(entries), wanted * sizeof(Entries));
  if (grown == nullptr) {
    bytes_used.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  entries = static_cast<Entries*>(grown);
  capacity = wanted;
  return true;
}

// Where a kernel was appended: a stack, which is kept already, or null.
struct Place {
  const Stack& stack;
  KeptStack* kept;
};
Place place_of(const Stack& stack) {
  return {stack, nullptr};
}
Place place_of(KeptStack& kept) {
  return {kept.stack, &kept};
}

// One more holder of the stack, which is copied where it is not kept; null without room.
KeptStack* keep(const Place& place) {
  if (place.kept != nullptr) {
    place.kept->holders.fetch_add(1);
    return place.kept;
  }
  const size_t bytes = bytes_of(place.stack);
  if (!reserve(bytes)) return nullptr;
  auto* kept = static_cast<KeptStack*>(calloc(1, bytes));
  if (kept == nullptr) {
    bytes_used.fetch_sub(bytes, std::memory_order_relaxed);
    return nullptr;
  }
  kept->holders.store(1);
  std::memcpy(static_cast<void*>(&kept->stack), &place.stack, bytes - offsetof(KeptStack, stack));
  return kept;
}

bool add_entry(List& list, const Kernel& kernel, const Place& place, uint64_t count) {
  if (!grow(list.entries, list.count, list.capacity, kMaxEntries)) return false;
  KeptStack* kept = keep(place);
  if (kept == nullptr) return false;
  list.entries[list.count++] = Entry{kernel, count, kept};
  return true;
}

bool add_timed(List& list, const Kernel& kernel, const Place& place, ze_event_handle_t signal,
               Event* event) {
  if (!grow(list.timed, list.timed_count, list.timed_capacity, kMaxTimed)) return false;
  KeptStack* kept = keep(place);
  if (kept == nullptr) return false;
  list.timed[list.timed_count++] = TimedEntry{kernel, kept, signal, event};
  return true;
}

bool same_size(const LaunchExtent& a, const LaunchExtent& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;  // it has no padding
}
static_assert(sizeof(LaunchExtent) == 3 * sizeof(uint64_t) + 4 * sizeof(uint32_t));

// As many sizes of one launch as the recorder keeps; more are one entry of unknown size.
constexpr uint32_t kMaxSizes = 64;

void add(List& list, const Kernel& kernel, const Place& place, uint64_t count) {
  uint32_t sizes = 0;
  // from the latest back, as a loop appends from one place
  for (uint32_t i = list.count; i > 0 && sizes < kMaxSizes; --i) {
    Entry& entry = list.entries[i - 1];
    if (entry.at->stack.hash != place.stack.hash || entry.kernel.name != kernel.name ||
        entry.kernel.object != kernel.object)
      continue;
    if (same_size(entry.kernel.size, kernel.size)) {
      entry.count += count;
      return;
    }
    ++sizes;
  }
  if (sizes == kMaxSizes && !same_size(kernel.size, {})) {
    Kernel any = kernel;
    any.size = {};
    add(list, any, place, count);
    return;
  }
  if (!add_entry(list, kernel, place, count)) list.unreported += count;
}

}  // namespace

void list_created(ze_command_list_handle_t handle, const ListInfo& info) {
  Flights* flights = make_flights();
  HandleMap::Locked at(lists, handle);
  drop(static_cast<List*>(at.remove()));  // left over from a list that had this handle
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

bool is_known_list(ze_command_list_handle_t list) {
  const HandleMap::Locked at(lists, list);
  return at.value() != nullptr;
}

bool exchange_capturing(ze_command_list_handle_t list, bool capturing) {
  const HandleMap::Locked at(lists, list);
  auto* known = static_cast<List*>(at.value());
  if (known == nullptr) return capturing;  // nothing changes
  const bool before = known->capturing;
  known->capturing = capturing;
  return before;
}

void list_destroyed(ze_command_list_handle_t list) {
  HandleMap::Locked at(lists, list);
  drop(static_cast<List*>(at.remove()));
}

void list_reset(ze_command_list_handle_t list) {
  const HandleMap::Locked at(lists, list);
  if (auto* known = static_cast<List*>(at.value()); known != nullptr) clear(*known);
}

namespace {

// Adds what `from` launches. Whichever list is executed, it is the same events that are signaled.
void add_all(List& to, const List& from) {
  to.unreported += from.unreported;
  for (uint32_t i = 0; i < from.count; ++i)
    add(to, from.entries[i].kernel, place_of(*from.entries[i].at), from.entries[i].count);
  for (uint32_t i = 0; i < from.timed_count; ++i) {
    const TimedEntry& entry = from.timed[i];
    if (add_timed(to, entry.kernel, place_of(*entry.at), entry.signal, entry.kept)) {
      hold_event(entry.kept);
      continue;
    }
    share_event(entry.kept);
    if (entry.signal != nullptr) event_reset_by_device(entry.signal);
    add(to, entry.kernel, place_of(*entry.at), 1);
  }
}

// Holds the lock of one list at a time: fills a copy that no other thread knows. False if the list
// is not known.
bool copy_list(ze_command_list_handle_t from, List& copy) {
  const HandleMap::Locked at(lists, from);
  const auto* known = static_cast<const List*>(at.value());
  if (known != nullptr) add_all(copy, *known);
  return known != nullptr;
}

}  // namespace

void list_cloned(ze_command_list_handle_t from, ze_command_list_handle_t to) {
  list_created(to, find_list(from));
  List copy{};
  if (!copy_list(from, copy)) return;
  HandleMap::Locked at(lists, to);
  List* list = list_at(at);
  copy.info = list == nullptr ? ListInfo{} : list->info;
  if (list != nullptr)
    *list = copy;
  else
    release(copy);
}

void list_captured(ze_command_list_handle_t list, ze_command_list_handle_t graph) {
  List copy{};
  if (!copy_list(list, copy)) return;
  {
    HandleMap::Locked at(lists, graph);
    if (List* known = list_at(at); known != nullptr) add_all(*known, copy);
  }
  release(copy);
}

void appended(ze_command_list_handle_t list, const Kernel& kernel, const Stack& stack,
              ze_event_handle_t signal, Event* kept) {
  HandleMap::Locked at(lists, list);
  List* known = list_at(at);
  const bool timed = known != nullptr && (signal != nullptr || kept != nullptr) &&
                     add_timed(*known, kernel, place_of(stack), signal, kept);
  if (timed) return;
  // the event stays in the list, which signals it at every execution: nobody else may have it
  share_event(kept);
  drop_event(kept);
  if (known != nullptr)
    add(*known, kernel, place_of(stack), 1);
  else
    count_lost_launches(1);
}

void appended_unreported(ze_command_list_handle_t list, uint32_t count) {
  const HandleMap::Locked at(lists, list);
  if (auto* known = static_cast<List*>(at.value()); known != nullptr)
    known->unreported += count;
  else
    count_lost_launches(count);
}

bool may_keep_event(ze_command_list_handle_t list) {
  const HandleMap::Locked at(lists, list);
  const auto* known = static_cast<const List*>(at.value());
  return (known == nullptr || known->timed_count < kMaxTimed) &&
         bytes_used.load(std::memory_order_relaxed) + sizeof(KeptStack) <= kMaxBytes;
}

bool launches_something(ze_command_list_handle_t list) {
  const HandleMap::Locked at(lists, list);
  const auto* known = static_cast<const List*>(at.value());
  return known != nullptr && (known->count > 0 || known->timed_count > 0 || known->unreported > 0);
}

namespace {

Launch launch_of(const Kernel& kernel, const ListInfo& info, const Execution& from) {
  Launch launch = launch_of(kernel, info.device);
  launch.front = from.front;
  launch.front_bytes = from.front_bytes;
  return launch;
}

void execute_timed(const List& list, const TimedEntry& entry, const Execution& from) {
  Launch launch = launch_of(entry.kernel, list.info, from);
  Timing timing{};
  if (list.info.flights != nullptr)
    timing = entry.kept != nullptr ? begin_again(entry.kept) : begin_timing(entry.signal, nullptr);
  if (timing.event == nullptr) {
    report_launches(launch, from.stack, &entry.at->stack, 1, from.time, false);
    return;
  }
  launch.queue = reinterpret_cast<uint64_t>(&list);
  launch.flags = AGENT_OUT_OF_ORDER;
  const Launched launched = report_launch_at(launch, from.stack, &entry.at->stack);
  if (launched.instance == 0 || launched.is_untimed)
    cancel_timing(timing);
  else
    commit_timing(timing, *list.info.flights, list.info.device, launched.instance, launched.time);
}

}  // namespace

void executed(ze_command_list_handle_t list, const Execution& from, bool failed) {
  const HandleMap::Locked at(lists, list);
  const auto* known = static_cast<const List*>(at.value());
  if (known == nullptr) return;
  const auto report = [&](const Kernel& kernel, const Stack& appended, uint64_t count) {
    report_launches(launch_of(kernel, known->info, from), from.stack, &appended, count, from.time,
                    failed);
  };
  for (uint32_t i = 0; i < known->timed_count; ++i) {
    const TimedEntry& entry = known->timed[i];
    if (!failed)
      execute_timed(*known, entry, from);
    else if (!launch_failed(entry.signal, entry.kept))
      report(entry.kernel, entry.at->stack, 1);
  }
  for (uint32_t i = 0; i < known->count; ++i)
    report(known->entries[i].kernel, known->entries[i].at->stack, known->entries[i].count);
  if (known->unreported > 0 && !failed) count_lost_launches(known->unreported);
}

void executed_lost(ze_command_list_handle_t list) {
  executed_unreported(list);
  const HandleMap::Locked at(lists, list);
  const auto* known = static_cast<const List*>(at.value());
  if (known == nullptr) return;
  uint64_t count = known->unreported + known->timed_count;
  for (uint32_t i = 0; i < known->count; ++i) count += known->entries[i].count;
  count_lost_launches(count);
}

void executed_unreported(ze_command_list_handle_t list) {
  const HandleMap::Locked at(lists, list);
  const auto* known = static_cast<const List*>(at.value());
  for (uint32_t i = 0; known != nullptr && i < known->timed_count; ++i)
    if (known->timed[i].kept != nullptr) signal_unreported(known->timed[i].kept);
}

void lock_lists() {
  lists.lock_all();
}

void unlock_lists() {
  lists.unlock_all();
}

}  // namespace aiflame::agent::level_zero
