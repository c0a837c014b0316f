/* SPDX-License-Identifier: MIT */
// Who subscribes to callbacks, and to which. Before 13.3 there is one subscriber at a time. From
// then on several may share CUPTI, by the rules of its documentation (Multiple Subscribers): the
// first one allows it, and all use the calls that take a subscriber's handle.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>

#include "tests/fakes/cupti/cupti_fake.h"
#include "tests/fakes/cupti/cupti_state.h"

namespace fake_cuda {
namespace {

using aiflame::agent::cupti::kFirstWithSharing;
using aiflame::agent::cupti::kFirstWithSubscriberCalls;
using aiflame::agent::cupti::kParamsWithoutSharing;
using aiflame::agent::cupti::SubscriberParams;

struct Subscriber {
  std::atomic<CUpti_CallbackFunc> function{nullptr};  // null = nobody
  void* data = nullptr;
  std::string name;
  uintptr_t number = 0;  // of its subscription, which is its handle
};
std::mutex mutex;
std::condition_variable one_left;
Subscriber subscribers[kMostSubscribers];
uintptr_t subscriptions = 0;
// Whether others may come beside those that are there, and whether these name themselves in calls.
bool is_shared = false;
std::atomic<bool> has_subscriber_calls{false};
// By domain and callback, a bit for each subscriber. A table, because the time of launches is
// measured.
constexpr uint32_t kMaxId = 1024;
std::atomic<uint8_t> enabled[CUPTI_CB_DOMAIN_SIZE][kMaxId];

uint64_t version() {
  return knob("version", 130001);
}

unsigned count() {
  unsigned there = 0;
  for (const Subscriber& one : subscribers) there += one.function.load() != nullptr ? 1 : 0;
  return there;
}

// Needs the lock.
CUptiResult add(CUpti_SubscriberHandle* out, CUpti_CallbackFunc function, void* data,
                const std::string& name) {
  for (Subscriber& one : subscribers) {
    if (one.function.load() != nullptr) continue;
    one.data = data;
    one.name = name;
    one.number = ++subscriptions;
    one.function = function;
    *out = reinterpret_cast<CUpti_SubscriberHandle>(one.number);
    return CUPTI_SUCCESS;
  }
  die("more subscribers than the stand-in has room for");
}

std::string name_of_first() {
  for (const Subscriber& one : subscribers)
    if (one.function.load() != nullptr) return one.name.empty() ? "<not provided>" : one.name;
  return "";
}

}  // namespace

int index_of(CUpti_SubscriberHandle handle) {
  for (unsigned i = 0; i < kMostSubscribers; ++i)
    if (subscribers[i].function.load() != nullptr &&
        subscribers[i].number == reinterpret_cast<uintptr_t>(handle))
      return static_cast<int>(i);
  return -1;
}

bool is_enabled(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return enabled[domain][id].load(std::memory_order_relaxed) != 0;
}

namespace {

[[gnu::noinline]] void call_back_each(uint8_t wanted_by, CUpti_CallbackDomain domain,
                                      CUpti_CallbackId id, const void* data) {
  for (unsigned i = 0; i < kMostSubscribers; ++i) {
    const CUpti_CallbackFunc function = subscribers[i].function.load();
    if ((wanted_by >> i & 1) != 0 && function != nullptr)
      function(subscribers[i].data, domain, id, data);
  }
}

}  // namespace

// Called in any thread, also while a subscriber unsubscribes. With one subscriber it takes nothing
// of the stack, which tests measure.
void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  const uint8_t wanted_by = enabled[domain][id].load(std::memory_order_relaxed);
  if (has_fallen_silent()) return;
  if (wanted_by != 1) return call_back_each(wanted_by, domain, id, data);
  const CUpti_CallbackFunc function = subscribers[0].function.load();
  if (function != nullptr) function(subscribers[0].data, domain, id, data);
}

void disable_calls() {
  for (const auto domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
    for (auto& one : enabled[domain]) one = 0;
}

void check_calls_of_process(const char* call) {
  if (!has_subscriber_calls) return;
  std::fprintf(stderr, "fake CUPTI: %s\n", call);
  die("a call of the process beside those of a subscriber");
}

}  // namespace fake_cuda

using namespace fake_cuda;

EXPORTED FakeCuptiState fake_cupti_state() {
  return {sampled_contexts(), recorded_kinds(), count()};
}

EXPORTED void fake_cupti_wait_until_unsubscribed() {
  std::unique_lock lock(mutex);
  one_left.wait_for(lock, kPatience, [] { return count() == 0; });
}

EXPORTED CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* out) {
  *out = static_cast<uint32_t>(version());
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* out,
                                             CUpti_CallbackFunc function, void* data) {
  if (const uint64_t refused = knob("subscribe"); refused != 0)
    return static_cast<CUptiResult>(refused);
  const std::lock_guard lock(mutex);
  if (count() > 0) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  has_subscriber_calls = false;
  return add(out, function, data, "");
}

// With sharing=CODE the driver is older than r610: who wants to share is refused.
EXPORTED CUptiResult CUPTIAPI subscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*,
                                           SubscriberParams*) AS_SYMBOL(cuptiSubscribe_v2);
CUptiResult CUPTIAPI subscribe_v2(CUpti_SubscriberHandle* out, CUpti_CallbackFunc function,
                                  void* data, SubscriberParams* params) {
  const bool has_sharing = version() >= kFirstWithSharing;
  if (params->structSize != (has_sharing ? sizeof *params : kParamsWithoutSharing))
    die("Subscribe_v2: size");
  const bool shares = has_sharing && params->allowMultipleSubscribers != 0;
  const std::lock_guard lock(mutex);
  std::string first = name_of_first();
  if (knob("subscribe") != 0) first = knob("unnamed") != 0 ? "<not provided>" : "another";
  if (!first.empty())
    std::snprintf(params->oldSubscriberName, params->oldSubscriberSize, "CUPTI for %s",
                  first.c_str());
  if (const uint64_t refused = knob("subscribe"); refused != 0)
    return static_cast<CUptiResult>(refused);
  if (shares && version() < kFirstWithSubscriberCalls) die("Subscribe_v2: shared before 13.3");
  if (const uint64_t refused = knob("sharing"); shares && refused != 0)
    return static_cast<CUptiResult>(refused);
  if (count() > 0 && !(shares && is_shared)) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  is_shared = shares;
  has_subscriber_calls = version() >= kFirstWithSubscriberCalls;
  return add(out, function, data, params->subscriberName == nullptr ? "" : params->subscriberName);
}

EXPORTED CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  check_alive();
  const std::lock_guard lock(mutex);
  const int index = index_of(subscriber);
  if (index < 0) return CUPTI_ERROR_INVALID_PARAMETER;
  end_records(static_cast<unsigned>(index));
  subscribers[index].function = nullptr;
  one_left.notify_all();
  for (auto& domain : enabled)
    for (auto& one : domain) one &= static_cast<uint8_t>(~(1u << index));
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable,
                                                  CUpti_SubscriberHandle subscriber,
                                                  CUpti_CallbackDomain domain,
                                                  CUpti_CallbackId id) {
  // CUPTI of CUDA 12 does not know the callbacks that 13 added
  if (version() < 130000 && domain == CUPTI_CB_DOMAIN_RUNTIME_API && id > 500)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (domain >= CUPTI_CB_DOMAIN_SIZE || id >= kMaxId) return CUPTI_ERROR_INVALID_PARAMETER;
  const int index = index_of(subscriber);
  if (index < 0) return CUPTI_ERROR_INVALID_PARAMETER;
  const auto bit = static_cast<uint8_t>(1u << index);
  if (enable != 0)
    enabled[domain][id] |= bit;
  else
    enabled[domain][id] &= static_cast<uint8_t>(~bit);
  return CUPTI_SUCCESS;
}
