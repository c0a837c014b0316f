// SPDX-License-Identifier: MIT
#include "tests/demo/cuda_subscriber.h"

#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "plugins/agents/cupti/cupti_newer.h"

namespace {

using aiflame::agent::cupti::SubscriberCalls;
using aiflame::agent::cupti::SubscriberParams;
using aiflame::agent::cupti::SubscribeV2;

template <typename Function>
Function function_of_cupti(const char* name) {
  void* cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  void* found = cupti == nullptr ? nullptr : dlsym(cupti, name);
  if (found == nullptr) {
    std::fprintf(stderr, "no %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function>(found);
}

std::atomic<int> seen{0}, kernels{0};
CUpti_SubscriberHandle ours;

void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {
  ++seen;
}

constexpr size_t kBufferBytes = 1 << 16;
void CUPTIAPI request_buffer(uint8_t** buffer, size_t* bytes, size_t*, void*) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = kBufferBytes;
}

void CUPTIAPI complete_buffer(uint8_t* buffer, size_t, size_t valid, void*) {
  static const auto next =
      function_of_cupti<decltype(SubscriberCalls::cuptiActivityGetNextRecord_v2)>(
          "cuptiActivityGetNextRecord_v2");
  CUpti_Activity* record = nullptr;
  while (valid > 0 && next(ours, buffer, valid, &record) == CUPTI_SUCCESS) ++kernels;
  std::free(buffer);
}

void CUPTIAPI request_older(uint8_t** buffer, size_t* bytes, size_t* most) {
  request_buffer(buffer, bytes, most, nullptr);
}

void CUPTIAPI complete_older(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  static const auto next =
      function_of_cupti<decltype(&cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
  CUpti_Activity* record = nullptr;
  while (valid > 0 && next(buffer, valid, &record) == CUPTI_SUCCESS) ++kernels;
  std::free(buffer);
}

}  // namespace

FakeCuptiState cupti_state() {
  return function_of_cupti<fake_cupti_state_fn>("fake_cupti_state")();
}

void wait_until_cupti_was_read() {
  function_of_cupti<fake_cupti_wait_fn>("fake_cupti_wait_until_read")();
}

void wait_until_cupti_is_free() {
  function_of_cupti<fake_cupti_wait_fn>("fake_cupti_wait_until_unsubscribed")();
}

int subscribe_to_launches() {
  CUpti_SubscriberHandle subscriber = nullptr;
  const CUptiResult result =
      function_of_cupti<decltype(&cuptiSubscribe)>("cuptiSubscribe")(&subscriber, on_call, nullptr);
  if (result != CUPTI_SUCCESS) return result;
  return function_of_cupti<decltype(&cuptiEnableCallback)>("cuptiEnableCallback")(
      1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
}

int share_cupti(bool allows_others, bool loads) {
  if (loads) dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
  SubscriberParams params{};
  char other[64] = "";
  params.structSize = sizeof params;
  params.subscriberName = "another";
  params.oldSubscriberName = other;
  params.oldSubscriberSize = sizeof other;
  params.allowMultipleSubscribers = allows_others ? 1 : 0;
  const CUptiResult result =
      function_of_cupti<SubscribeV2>("cuptiSubscribe_v2")(&ours, on_call, nullptr, &params);
  if (result != CUPTI_SUCCESS) return result;
  function_of_cupti<decltype(SubscriberCalls::cuptiActivityRegisterCallbacks_v2)>(
      "cuptiActivityRegisterCallbacks_v2")(ours, request_buffer, complete_buffer);
  function_of_cupti<decltype(SubscriberCalls::cuptiActivityEnable_v2)>("cuptiActivityEnable_v2")(
      ours, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, nullptr);
  return function_of_cupti<decltype(&cuptiEnableCallback)>("cuptiEnableCallback")(
      1, ours, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
}

int subscribe_as_kineto() {
  dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
  const int result = subscribe_to_launches();
  if (result != CUPTI_SUCCESS) return result;
  function_of_cupti<decltype(&cuptiActivityRegisterCallbacks)>("cuptiActivityRegisterCallbacks")(
      request_older, complete_older);
  return function_of_cupti<decltype(&cuptiActivityEnable)>("cuptiActivityEnable")(
      CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

int kernels_seen(int awaited) {
  constexpr int kLooks = 2000, kLookUs = 10000;
  // the agent's reads hand over these records too, in its thread
  for (int looks = 0; kernels < awaited && looks < kLooks; ++looks) {
    function_of_cupti<decltype(&cuptiActivityFlushAll)>("cuptiActivityFlushAll")(0);
    usleep(kLookUs);
  }
  return kernels;
}

int calls_seen() {
  return seen;
}
