/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/ranges.h"

#include <fnmatch.h>
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"

namespace aiflame::agent::cupti {
namespace {

// Deeper ranges are not shown, and longer names are cut.
constexpr uint32_t kMaxOpen = 32, kMaxName = 96;
struct OpenRanges {
  uint32_t count;     // includes those that are too deep to keep
  uint32_t numbered;  // how many were open with the one that has a number; 0: none has
  char names[kMaxOpen][kMaxName];
};
// Allocated when the thread first opens a range: most never do.
thread_local OpenRanges* open_ranges;

constexpr char kObject[] = "[nvtx]";

// The handle of a registered string is a copy of it, kept for good. A program that registers more
// than this gets one and the same handle for the rest.
constexpr uint64_t kMaxRegistered = uint64_t{16} << 20;
std::atomic<uint64_t> registered_bytes{0};
char too_many[] = "[range]";

// No recording comes any more.
bool is_unneeded() {
  return has_recording_ended() && !awaits_recorder();
}

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
  const int bytes = std::snprintf(text, sizeof text, " #%llu",
                                  static_cast<unsigned long long>(instances.fetch_add(1) + 1));
  size_t end = std::strlen(name);
  if (end + static_cast<size_t>(bytes) >= kMaxName) end = kMaxName - 1 - static_cast<size_t>(bytes);
  std::memcpy(name + end, text, static_cast<size_t>(bytes) + 1);
}

bool is_to_number(const char* name) {
  return numbered_name != nullptr &&
         (std::strcmp(name, numbered_name) == 0 || fnmatch(numbered_name, name, 0) == 0);
}

void push(const char* name) {
  if (is_unneeded()) return;
  if (open_ranges == nullptr)
    open_ranges = static_cast<OpenRanges*>(std::calloc(1, sizeof(OpenRanges)));
  if (open_ranges == nullptr) return;
  if (open_ranges->count < kMaxOpen) {
    char* kept = open_ranges->names[open_ranges->count];
    std::strncpy(kept, name == nullptr || *name == '\0' ? "[range]" : name, kMaxName - 1);
    kept[kMaxName - 1] = '\0';
    if (open_ranges->numbered == 0 && is_to_number(kept)) {
      number(kept);
      open_ranges->numbered = open_ranges->count + 1;
    }
  }
  ++open_ranges->count;
}

// Returns what the program would get without a tool.
int NVTX_API push_text(const char* name) {
  push(name);
  return NVTX_NO_PUSH_POP_TRACKING;
}

void narrow(const wchar_t* wide, char* out, size_t room) {
  size_t used = 0;
  for (; wide != nullptr && *wide != L'\0' && used + 1 < room; ++wide)
    out[used++] = *wide < 128 ? static_cast<char>(*wide) : '?';
  out[used] = '\0';
}

int NVTX_API push_wide(const wchar_t* name) {
  if (is_unneeded()) return NVTX_NO_PUSH_POP_TRACKING;
  char text[kMaxName];
  narrow(name, text, sizeof text);
  return push_text(text);
}

int NVTX_API push_event(const nvtxEventAttributes_t* event) {
  if (event == nullptr) return push_text(nullptr);
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return push_text(event->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return push_wide(event->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return push_text(reinterpret_cast<const char*>(event->message.registered));
    default:
      return push_text(nullptr);
  }
}

int NVTX_API push_event_in(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  return push_event(event);
}

int NVTX_API pop() {
  if (open_ranges != nullptr && open_ranges->count > 0)
    if (open_ranges->count-- == open_ranges->numbered) open_ranges->numbered = 0;
  return NVTX_NO_PUSH_POP_TRACKING;
}

int NVTX_API pop_in(nvtxDomainHandle_t) {
  return pop();
}

nvtxStringHandle_t NVTX_API register_text(nvtxDomainHandle_t, const char* text) {
  const size_t bytes = text == nullptr || is_unneeded() ? 0 : std::strlen(text);
  char* copy = nullptr;
  if (registered_bytes.fetch_add(bytes) <= kMaxRegistered && bytes > 0)
    copy = strndup(text, kMaxName - 1);
  return reinterpret_cast<nvtxStringHandle_t>(copy == nullptr ? too_many : copy);
}

nvtxStringHandle_t NVTX_API register_wide(nvtxDomainHandle_t domain, const wchar_t* wide) {
  char text[kMaxName];
  narrow(wide, text, sizeof text);
  return register_text(domain, text);
}

// Each slot of an NVTX table is the address of the pointer that the function calls through.
template <typename Function>
void set_slot(NvtxFunctionTable table, unsigned size, unsigned slot, Function* function) {
  if (slot < size && table[slot] != nullptr)
    *table[slot] = reinterpret_cast<NvtxFunctionPointer>(function);
}

bool attach(NvtxGetExportTableFunc_t get_table) {
  numbered_name = std::getenv(AGENT_NUMBER_RANGES_ENVIRONMENT);
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks) return false;
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) == 0) return false;
  set_slot(table, size, NVTX_CBID_CORE_RangePushA, push_text);
  set_slot(table, size, NVTX_CBID_CORE_RangePushW, push_wide);
  set_slot(table, size, NVTX_CBID_CORE_RangePushEx, push_event);
  set_slot(table, size, NVTX_CBID_CORE_RangePop, pop);
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return true;
  set_slot(table, size, NVTX_CBID_CORE2_DomainRangePushEx, push_event_in);
  set_slot(table, size, NVTX_CBID_CORE2_DomainRangePop, pop_in);
  set_slot(table, size, NVTX_CBID_CORE2_DomainRegisterStringA, register_text);
  set_slot(table, size, NVTX_CBID_CORE2_DomainRegisterStringW, register_wide);
  return true;
}

}  // namespace

bool has_open_ranges() {
  return open_ranges != nullptr && open_ranges->count > 0;
}

uint32_t append_open_ranges(char* out, uint32_t room) {
  if (open_ranges == nullptr) return 0;
  uint32_t used = 0;
  uint32_t left = open_ranges->count < kMaxOpen ? open_ranges->count : kMaxOpen;
  while (left-- > 0) {
    const char* name = open_ranges->names[left];
    const auto bytes = static_cast<uint32_t>(std::strlen(name) + 1);
    if (bytes + sizeof kObject > room - used) break;
    std::memcpy(out + used, name, bytes);
    std::memcpy(out + used + bytes, kObject, sizeof kObject);
    used += bytes + static_cast<uint32_t>(sizeof kObject);
  }
  return used;
}

}  // namespace aiflame::agent::cupti

// The program's copy of NVTX calls this once, in the library that NVTX_INJECTION64_PATH names.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  return aiflame::agent::cupti::attach(get_table) ? 1 : 0;
}
