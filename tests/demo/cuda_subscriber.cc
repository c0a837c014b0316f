// SPDX-License-Identifier: MIT
#include "tests/demo/cuda_subscriber.h"

#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

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

int seen = 0;
void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {
  ++seen;
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

int calls_seen() {
  return seen;
}
