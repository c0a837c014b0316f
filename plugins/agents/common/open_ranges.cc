/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/open_ranges.h"

#include <fnmatch.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {
namespace {

// Deeper ranges are not shown, and longer names are cut.
constexpr uint32_t kMaxOpen = 32;
struct OpenRanges {
  uint32_t count;     // includes those that are too deep to keep
  uint32_t numbered;  // how many were open with the one that has a number; 0: none has
  char names[kMaxOpen][kMaxRangeName];
  RangeKind kinds[kMaxOpen];
};
// Allocated when the thread first opens a range: most never do.
thread_local OpenRanges* open_ranges;

constexpr const char* kObjects[] = {"[nvtx]", "[itt]", "[roctx]"};  // by RangeKind

// ---- instances with numbers ---------------------------------------------------------------------

const char* numbered_name;  // of AGENT_NUMBER_RANGES_ENVIRONMENT, or null
std::atomic<uint64_t> instances{0};

// Whether "ProfilerStep#7" ends in a number.
bool has_number(const char* name) {
  const char* mark = std::strrchr(name, '#');
  if (mark == nullptr || mark == name || mark[1] == '\0') return false;
  return mark[1 + std::strspn(mark + 1, "0123456789")] == '\0';
}

// "decode" becomes "decode #12". A name without room for the number is cut.
void number(char* name) {
  if (has_number(name)) return;
  char text[24];
  const int bytes = std::snprintf(text, sizeof text, " #%" PRIu64, instances.fetch_add(1) + 1);
  size_t end = std::strlen(name);
  const size_t last = kMaxRangeName - 1 - static_cast<size_t>(bytes);
  if (end > last) end = last;
  std::memcpy(name + end, text, static_cast<size_t>(bytes) + 1);
}

bool is_to_number(const char* name) {
  return numbered_name != nullptr &&
         (std::strcmp(name, numbered_name) == 0 || fnmatch(numbered_name, name, 0) == 0);
}

}  // namespace

void begin_ranges() {
  numbered_name = std::getenv(AGENT_NUMBER_RANGES_ENVIRONMENT);
}

void push_range(const char* name, RangeKind kind) {
  if (open_ranges == nullptr)
    open_ranges = static_cast<OpenRanges*>(std::calloc(1, sizeof(OpenRanges)));
  if (open_ranges == nullptr) return;
  if (open_ranges->count < kMaxOpen) {
    char* kept = open_ranges->names[open_ranges->count];
    std::strncpy(kept, name == nullptr || *name == '\0' ? "[range]" : name, kMaxRangeName - 1);
    kept[kMaxRangeName - 1] = '\0';
    open_ranges->kinds[open_ranges->count] = kind;
    if (open_ranges->numbered == 0 && is_to_number(kept)) {
      number(kept);
      open_ranges->numbered = open_ranges->count + 1;
    }
  }
  ++open_ranges->count;
}

void pop_range() {
  if (open_ranges == nullptr || open_ranges->count == 0) return;
  if (open_ranges->count == open_ranges->numbered) open_ranges->numbered = 0;
  --open_ranges->count;
}

bool has_open_ranges() {
  return open_ranges != nullptr && open_ranges->count > 0;
}

uint32_t append_open_ranges(char* out, uint32_t room) {
  if (open_ranges == nullptr) return 0;
  uint32_t used = 0;
  uint32_t left = open_ranges->count < kMaxOpen ? open_ranges->count : kMaxOpen;
  while (left-- > 0) {
    const char* name = open_ranges->names[left];
    const char* object = kObjects[static_cast<size_t>(open_ranges->kinds[left])];
    const auto bytes = static_cast<uint32_t>(std::strlen(name) + 1);
    const auto object_bytes = static_cast<uint32_t>(std::strlen(object) + 1);
    if (bytes + object_bytes > room - used) break;
    std::memcpy(out + used, name, bytes);
    std::memcpy(out + used + bytes, object, object_bytes);
    used += bytes + object_bytes;
  }
  return used;
}

}  // namespace aiflame::agent
