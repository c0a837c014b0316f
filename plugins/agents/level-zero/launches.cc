/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/launches.h"

#include <atomic>

namespace aiflame::agent::level_zero {
namespace {

using IsCapturing = ze_result_t (*)(ze_command_list_handle_t);
IsCapturing is_capturing = nullptr;
std::atomic<bool> unseen{false};

}  // namespace

void find_capture_function() {
  is_capturing =
      reinterpret_cast<IsCapturing>(loader_function("zeCommandListIsGraphCaptureEnabledExt"));
}

ze_result_t capture_state(ze_command_list_handle_t list) {
  return is_capturing == nullptr ? ZE_RESULT_SUCCESS : is_capturing(list);
}

bool is_captured(ze_command_list_handle_t list, const ListInfo& info) {
  return info.context != nullptr && capture_state(list) != info.capturing;
}

void note_unseen_captures() {
  unseen.store(true);
}

bool are_captures_unseen() {
  return unseen.load(std::memory_order_relaxed);
}

}  // namespace aiflame::agent::level_zero
