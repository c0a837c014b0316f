/* SPDX-License-Identifier: MIT
 *
 * NVTX ranges. NVTX loads the agent through NVTX_INJECTION64_PATH when the program first uses it.
 */
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/open_ranges.h"

namespace aiflame::agent::cupti {
namespace {

// The handle of a registered string is a copy of it, kept for good. A program that registers more
// than this gets one and the same handle for the rest.
constexpr uint64_t kMaxRegistered = uint64_t{16} << 20;
std::atomic<uint64_t> registered_bytes{0};
char too_many[] = "[range]";

// No recording comes any more.
bool is_unneeded() {
  return has_recording_ended() && !awaits_recorder();
}

void push(const char* name) {
  if (!is_unneeded()) push_range(name, RangeKind::nvtx);
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
  char text[kMaxRangeName];
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
  pop_range();
  return NVTX_NO_PUSH_POP_TRACKING;
}

int NVTX_API pop_in(nvtxDomainHandle_t) {
  return pop();
}

nvtxStringHandle_t NVTX_API register_text(nvtxDomainHandle_t, const char* text) {
  const size_t bytes = text == nullptr || is_unneeded() ? 0 : std::strlen(text);
  char* copy = nullptr;
  if (registered_bytes.fetch_add(bytes) <= kMaxRegistered && bytes > 0)
    copy = strndup(text, kMaxRangeName - 1);
  return reinterpret_cast<nvtxStringHandle_t>(copy == nullptr ? too_many : copy);
}

nvtxStringHandle_t NVTX_API register_wide(nvtxDomainHandle_t domain, const wchar_t* wide) {
  char text[kMaxRangeName];
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
  begin_ranges();
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

}  // namespace aiflame::agent::cupti

// The program's copy of NVTX calls this once, in the library that NVTX_INJECTION64_PATH names.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  return aiflame::agent::cupti::attach(get_table) ? 1 : 0;
}
