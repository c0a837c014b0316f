/* SPDX-License-Identifier: MIT
 *
 * Calls of the driver's API that a part of the agent wants to be called back for, as a list of ids.
 */
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstring>

#include "plugins/agents/cupti/cupti_library.h"

namespace aiflame::agent::cupti {

template <size_t N>
void enable_driver_calls(const CUpti_CallbackId (&calls)[N], const Cupti& cupti,
                         CUpti_SubscriberHandle subscriber) {
  for (const CUpti_CallbackId id : calls)
    cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
}

template <size_t N>
bool is_driver_call(const CUpti_CallbackId (&calls)[N], CUpti_CallbackDomain domain,
                    CUpti_CallbackId id) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return false;
  for (const CUpti_CallbackId one : calls)
    if (one == id) return true;
  return false;
}

// Whether the call that is about to return succeeded.
inline bool has_succeeded(const CUpti_CallbackData& call) {
  CUresult result = CUDA_SUCCESS;
  if (call.functionReturnValue != nullptr)
    std::memcpy(&result, call.functionReturnValue, sizeof result);
  return result == CUDA_SUCCESS;
}

}  // namespace aiflame::agent::cupti
