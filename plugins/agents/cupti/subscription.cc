/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/subscription.h"

#include <atomic>
#include <cstdio>
#include <cstring>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/cupti/obstacles.h"

namespace aiflame::agent::cupti {
namespace {

constexpr char kOurName[] = "gpustall-record";

const Cupti* cupti;
// Of a shared subscription; null when it is the only one. CUPTI's threads read it.
std::atomic<CUpti_SubscriberHandle> shared{nullptr};
CUpti_BuffersCallbackRequestFunc request_buffer;
CUpti_BuffersCallbackCompleteFunc complete_buffer;

// The name of the profiler that was there before, as CUPTI shows it: "CUPTI for Cuspy".
struct OtherName {
  char text[kOldSubscriberNameBytes];
};

CUptiResult subscribe_by_name(CUpti_CallbackFunc callback, bool shares, CUpti_SubscriberHandle& out,
                              OtherName& other) {
  SubscriberParams params{};
  params.structSize = cupti->version >= kFirstWithSharing ? sizeof params : kParamsWithoutSharing;
  params.subscriberName = kOurName;
  params.oldSubscriberName = other.text;
  params.oldSubscriberSize = sizeof other.text;
  params.allowMultipleSubscribers = shares ? 1 : 0;
  const CUptiResult result = cupti->cuptiSubscribe_v2(&out, callback, nullptr, &params);
  other.text[sizeof other.text - 1] = '\0';
  // what CUPTI puts there for one that gave no name, as torch.profiler does (seen with CUPTI 13.0)
  if (std::strstr(other.text, "<not provided>") != nullptr) other.text[0] = '\0';
  return result;
}

// False when CUPTI gives none, as with a driver before r610 (error 39, or another), or where a
// profiler has the only one. A clock that cannot be read is a sign of the older calls' use.
bool subscribe_shared(CUpti_CallbackFunc callback, CUpti_SubscriberHandle& out, OtherName& other) {
  if (subscribe_by_name(callback, true, out, other) != CUPTI_SUCCESS) return false;
  uint64_t now = 0;
  if (cupti->of_subscriber.cuptiGetTimestamp_v2(out, &now) == CUPTI_SUCCESS) return true;
  cupti->cuptiUnsubscribe(out);
  return false;
}

// From the version on that has the calls of a subscriber, cuptiSubscribe_v2() does not go with
// those of the process.
CUptiResult subscribe_alone(CUpti_CallbackFunc callback, CUpti_SubscriberHandle& out,
                            OtherName& other) {
  if (cupti->cuptiSubscribe_v2 == nullptr || cupti->has_subscriber_calls)
    return cupti->cuptiSubscribe(&out, callback, nullptr);
  return subscribe_by_name(callback, false, out, other);
}

void CUPTIAPI request_shared(uint8_t** buffer, size_t* bytes, size_t* most_records, void*) {
  request_buffer(buffer, bytes, most_records);
}

void CUPTIAPI complete_shared(uint8_t* buffer, size_t bytes, size_t valid, void*) {
  complete_buffer(nullptr, 0, buffer, bytes, valid);
}

}  // namespace

CUptiResult subscribe(const Cupti& with, CUpti_CallbackFunc callback, CUpti_SubscriberHandle& out) {
  cupti = &with;
  shared.store(nullptr);
  OtherName other{};
  char text[128];
  if (with.has_subscriber_calls && subscribe_shared(callback, out, other)) {
    shared.store(out);
    if (other.text[0] == '\0' || std::strstr(other.text, kOurName) != nullptr) return CUPTI_SUCCESS;
    std::snprintf(text, sizeof text,
                  "CUPTI serves another profiler too, which was there first: '%s'", other.text);
    report_message(text, false);
    return CUPTI_SUCCESS;
  }
  const CUptiResult result = subscribe_alone(callback, out, other);
  if (result == CUPTI_SUCCESS) return result;
  report_obstacle("neither launches nor samples", result);
  if (other.text[0] != '\0') {
    std::snprintf(text, sizeof text, "that profiler calls itself '%s'", other.text);
    report_message(text, true);
  }
  return result;
}

CUptiResult register_buffers(CUpti_BuffersCallbackRequestFunc request,
                             CUpti_BuffersCallbackCompleteFunc complete) {
  request_buffer = request;
  complete_buffer = complete;
  const CUpti_SubscriberHandle ours = shared.load();
  if (ours == nullptr) return cupti->cuptiActivityRegisterCallbacks(request, complete);
  return cupti->of_subscriber.cuptiActivityRegisterCallbacks_v2(ours, request_shared,
                                                                complete_shared);
}

CUptiResult enable_activity(CUpti_ActivityKind kind) {
  const CUpti_SubscriberHandle ours = shared.load();
  return ours == nullptr ? cupti->cuptiActivityEnable(kind)
                         : cupti->of_subscriber.cuptiActivityEnable_v2(ours, kind, nullptr);
}

void disable_activity(CUpti_ActivityKind kind) {
  const CUpti_SubscriberHandle ours = shared.load();
  if (ours == nullptr)
    cupti->cuptiActivityDisable(kind);
  else
    cupti->of_subscriber.cuptiActivityDisable_v2(ours, kind, nullptr);
}

CUpti_Activity* next_record(uint8_t* buffer, size_t valid, CUpti_Activity* record) {
  const CUpti_SubscriberHandle ours = shared.load(std::memory_order_relaxed);
  const CUptiResult result =
      ours == nullptr
          ? cupti->cuptiActivityGetNextRecord(buffer, valid, &record)
          : cupti->of_subscriber.cuptiActivityGetNextRecord_v2(ours, buffer, valid, &record);
  return result == CUPTI_SUCCESS ? record : nullptr;
}

size_t count_dropped_records(CUcontext context, uint32_t stream) {
  const CUpti_SubscriberHandle ours = shared.load();
  size_t dropped = 0;
  const CUptiResult result =
      ours == nullptr ? cupti->cuptiActivityGetNumDroppedRecords(context, stream, &dropped)
                      : cupti->of_subscriber.cuptiActivityGetNumDroppedRecords_v2(ours, context,
                                                                                  stream, &dropped);
  return result == CUPTI_SUCCESS ? dropped : 0;
}

void set_clock(CUpti_TimestampCallbackFunc clock) {
  if (shared.load() == nullptr && cupti->cuptiActivityRegisterTimestampCallback != nullptr)
    cupti->cuptiActivityRegisterTimestampCallback(clock);
}

bool read_clock(uint64_t& out) {
  const CUpti_SubscriberHandle ours = shared.load(std::memory_order_relaxed);
  const CUptiResult result = ours == nullptr
                                 ? cupti->cuptiGetTimestamp(&out)
                                 : cupti->of_subscriber.cuptiGetTimestamp_v2(ours, &out);
  return result == CUPTI_SUCCESS;
}

}  // namespace aiflame::agent::cupti
