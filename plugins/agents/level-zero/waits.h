/* SPDX-License-Identifier: MIT
 *
 * Calls in which the program waits for the device.
 */
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>

#include "plugins/agents/common/channel.h"

namespace aiflame::agent::level_zero {

// Reports the program's call of `function`, made by `wait()`. A call without a timeout is a query.
template <typename Wait>
ze_result_t wait_reported(const void* function, uint64_t timeout, Wait wait) {
  if (timeout == 0 || !begin_call_report()) return wait();
  const Call call = begin_call(function);
  const ze_result_t result = wait();
  end_call(call, true);
  return result;
}

}  // namespace aiflame::agent::level_zero
