/* SPDX-License-Identifier: MIT */
// Activity records: of the process, or of each subscriber.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/fakes/cupti/cupti_fake.h"

namespace fake_cuda {
namespace {

using aiflame::agent::cupti::CompleteBufferV2;
using aiflame::agent::cupti::HostLaunchRecord;
using aiflame::agent::cupti::HostNodeRecord;
using aiflame::agent::cupti::kFirstWithHostFunctions;
using aiflame::agent::cupti::kGraphHostNode;
using aiflame::agent::cupti::kHostLaunch;
using aiflame::agent::cupti::RequestBufferV2;

// The newest record that the headers have.
#if CUPTI_API_VERSION >= 130000
using Record = CUpti_ActivityKernel10;
#else
using Record = CUpti_ActivityKernel9;
#endif

std::atomic<bool> has_given_up{false};
CUpti_TimestampCallbackFunc timestamp = nullptr;
std::mutex runs_mutex;
// The client flushes activity at the start of each of its reads.
std::condition_variable flushed;
uint64_t flushes = 0;

// A buffer of the client, and the kernels that have a place in it from their launch on.
struct Buffer {
  uint8_t* bytes = nullptr;
  size_t room = 0;
  std::vector<Run> runs;
};
// Who gets records.
struct Client {
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  RequestBufferV2 request_v2 = nullptr;
  CompleteBufferV2 complete_v2 = nullptr;
  std::atomic<bool> kernels_on{false}, copies_on{false}, fills_on{false}, calls_on{false};
  std::atomic<bool> host_nodes_on{false}, host_launches_on{false};
  std::atomic<uint64_t> dropped{0};
  // Each thread that launches has one (CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER).
  std::map<std::thread::id, Buffer> filling;
  std::deque<Buffer> full;
};
Client clients[kMostSubscribers + 1];  // the last is the process
Client& of_process = clients[kMostSubscribers];

// The default clock of the real CUPTI.
uint64_t realtime() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// Converts a moment of the device to the clock that the client's records use.
uint64_t on_clock(uint64_t monotonic, const Client& client) {
  const bool is_theirs = &client == &of_process && timestamp != nullptr && knob("realtime") == 0;
  uint64_t clock = 0, now = 0;
  // Both clocks are read at once, so that a wait for a core is not taken for a difference of them.
  constexpr int kTries = 100;
  constexpr uint64_t kAtOnceNs = 1000;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = now_ns();
    clock = is_theirs ? timestamp() : realtime();
    now = now_ns();
    if (now - before < kAtOnceNs) break;
  }
  return clock - (now - monotonic);
}

std::atomic<bool>* switch_of(Client& client, CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return &client.kernels_on;
  if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) return &client.copies_on;
  if (kind == CUPTI_ACTIVITY_KIND_MEMSET) return &client.fills_on;
  if (kind == CUPTI_ACTIVITY_KIND_DRIVER) return &client.calls_on;
  if (kind == kGraphHostNode) return &client.host_nodes_on;
  if (kind == kHostLaunch) return &client.host_launches_on;
  return nullptr;
}

void request_buffer(const Client& client, Buffer& buffer) {
  size_t most = 0;
  if (client.request_v2 != nullptr)
    client.request_v2(&buffer.bytes, &buffer.room, &most, nullptr);
  else
    client.request(&buffer.bytes, &buffer.room, &most);
  if (reinterpret_cast<uintptr_t>(buffer.bytes) % 8 != 0) die("an activity buffer is not aligned");
}

// Needs the lock.
void record(Client& client, const Run& run) {
  const CUpti_ActivityKind kind =
      run.function != nullptr
          ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
          : static_cast<CUpti_ActivityKind>(run.host_kind != 0 ? run.host_kind : run.copy.kind);
  const auto* const is_on = switch_of(client, kind);
  if (is_on == nullptr || !*is_on) return;
  if (knob("drop_records") != 0 && run.correlation % knob("drop_records") == 0) {
    ++client.dropped;
    return;
  }
  Buffer& buffer = client.filling[std::this_thread::get_id()];
  if (buffer.bytes == nullptr) request_buffer(client, buffer);
  if (buffer.bytes == nullptr) {
    ++client.dropped;
    return;
  }
  buffer.runs.push_back(run);
  if ((buffer.runs.size() + 1) * sizeof(Record) <= buffer.room) return;
  client.full.push_back(std::exchange(buffer, Buffer{}));
}

// A buffer is ready when all its kernels have ended. A forced read takes it now, and they end now.
bool is_ready(const Buffer& buffer, bool forced) {
  if (buffer.runs.empty()) return false;
  return forced || std::all_of(buffer.runs.begin(), buffer.runs.end(),
                               [](const Run& run) { return run.end <= now_ns(); });
}

Record record_of_kernel(const Run& run, const Client& client) {
  Record record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = on_clock(run.start, client);
  record.end = on_clock(std::min(run.end, now_ns()), client);
  record.deviceId = run.function->module->context->device;
  record.correlationId = run.correlation;
  record.name = run.function->name.c_str();
  record.graphNodeId = run.graph_node;
  // as cuda_runtime.cc launches: a block for each microsecond
  record.gridX = static_cast<int32_t>((run.end - run.start) / 1000);
  record.gridY = record.gridZ = 1;
  record.blockX = 64;
  record.blockY = 2;
  record.blockZ = 1;
  record.dynamicSharedMemory = 4096;
  return record;
}

// With host_times=0 it does not say when.
template <typename Record>
Record record_of_host(const Run& run, const Client& client) {
  Record record{};
  record.kind = run.host_kind;
  record.device = run.device;
  record.correlation = run.correlation;
  if (knob("host_times", 1) == 0) return record;
  record.start = on_clock(run.start, client);
  record.end = on_clock(std::min(run.end, now_ns()), client);
  return record;
}

// All records are of one size here.
void hand_over(const Client& client, const Buffer& buffer) {
  size_t valid = 0;
  for (const Run& run : buffer.runs) {
    if (run.host_kind == kGraphHostNode) {
      auto node = record_of_host<HostNodeRecord>(run, client);
      node.node = run.graph_node;
      std::memcpy(buffer.bytes + valid, &node, sizeof node);
    } else if (run.host_kind == kHostLaunch) {
      const auto launch = record_of_host<HostLaunchRecord>(run, client);
      std::memcpy(buffer.bytes + valid, &launch, sizeof launch);
    } else if (run.function == nullptr) {
      auto copy = run.copy;
      copy.start = on_clock(run.start, client);
      copy.end = on_clock(std::min(run.end, now_ns()), client);
      std::memcpy(buffer.bytes + valid, &copy, sizeof copy);
    } else {
      const Record kernel = record_of_kernel(run, client);
      std::memcpy(buffer.bytes + valid, &kernel, sizeof kernel);
    }
    valid += sizeof(Record);
  }
  if (client.complete_v2 != nullptr)
    client.complete_v2(buffer.bytes, buffer.room, valid, nullptr);
  else
    client.complete(nullptr, 0, buffer.bytes, buffer.room, valid);
}

CUptiResult enable(Client& client, CUpti_ActivityKind kind) {
  if (const uint64_t refused = knob("activity"); refused != 0)
    return static_cast<CUptiResult>(refused);
  const bool is_new = kind == kGraphHostNode || kind == kHostLaunch;
  if (is_new && knob("version", 130001) < kFirstWithHostFunctions)
    die("a kind of records that this version does not have");
  // with host=CODE those of functions of the host are refused
  if (const uint64_t refused = knob("host"); refused != 0 && is_new)
    return static_cast<CUptiResult>(refused);
  if (auto* const is_on = switch_of(client, kind); is_on != nullptr) *is_on = true;
  return CUPTI_SUCCESS;
}

CUptiResult disable(Client& client, CUpti_ActivityKind kind) {
  check_alive();
  if (auto* const is_on = switch_of(client, kind); is_on != nullptr) *is_on = false;
  return CUPTI_SUCCESS;
}

// The client of a call that takes a subscriber; the subscriber must be there.
Client& client_of(CUpti_SubscriberHandle subscriber) {
  const int index = index_of(subscriber);
  if (index < 0) die("a call of a subscriber that there is not");
  return clients[index];
}

}  // namespace

uint32_t told_correlation(uint32_t correlation, bool of_record) {
  static const uint64_t without = knob("uncorrelated");
  const bool has_none = without == 1 || (without == 2 && of_record);
  if (!has_none) return correlation;
  return std::any_of(std::begin(clients), std::end(clients),
                     [](const Client& one) { return one.calls_on.load(); })
             ? correlation
             : 0;
}

void record_run(const Run& ran) {
  Run run = ran;
  run.correlation = run.copy.correlation = told_correlation(ran.correlation, true);
  if (run.function != nullptr) sampling_ran(run);
  if (knob("no_records") != 0) return;
  const std::lock_guard lock(runs_mutex);
  for (Client& client : clients) record(client, run);
}

void end_records(unsigned subscriber) {
  const std::lock_guard lock(runs_mutex);
  Client& client = clients[subscriber];
  for (auto* is_on : {&client.kernels_on, &client.copies_on, &client.fills_on, &client.calls_on,
                      &client.host_nodes_on, &client.host_launches_on})
    *is_on = false;
  client.filling.clear();
  client.full.clear();
}

unsigned recorded_kinds() {
  return std::any_of(std::begin(clients), std::end(clients),
                     [](const Client& one) { return one.kernels_on.load(); })
             ? 1
             : 0;
}

void gave_up(const char* why) {
  {
    const std::lock_guard lock(runs_mutex);
    has_given_up = true;
  }
  flushed.notify_all();
  CUpti_StateData state{};
  state.notification.result = CUPTI_ERROR_OUT_OF_MEMORY;
  state.notification.message = why;
  call_back(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR, &state);
  disable_calls();
}

void check_alive() {
  if (has_given_up) die("a call behind its end");
}

}  // namespace fake_cuda

using namespace fake_cuda;

// Waits for a read that starts from now on; it has ended when the next one starts.
EXPORTED void fake_cupti_wait_until_read() {
  std::unique_lock lock(runs_mutex);
  flushed.wait_for(lock, kPatience,
                   [until = flushes + 2] { return flushes >= until || has_given_up; });
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
  check_alive();
  const bool forced = (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0;
  std::vector<std::pair<const Client*, Buffer>> ready;
  {
    const std::lock_guard lock(runs_mutex);
    ++flushes;
    flushed.notify_all();
    for (Client& client : clients) {
      for (; !client.full.empty() && is_ready(client.full.front(), forced); client.full.pop_front())
        ready.emplace_back(&client, std::move(client.full.front()));
      for (auto& [thread, buffer] : client.filling)
        if (is_ready(buffer, forced)) ready.emplace_back(&client, std::exchange(buffer, Buffer{}));
    }
  }
  for (const auto& [client, buffer] : ready) hand_over(*client, buffer);
  return CUPTI_SUCCESS;
}

static CUptiResult next_record(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  uint8_t* next =
      *record == nullptr ? buffer : reinterpret_cast<uint8_t*>(*record) + sizeof(Record);
  if (next + sizeof(Record) > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

// ---- calls of the process -----------------------------------------------------------------------

EXPORTED CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* out) {
  check_calls_of_process("cuptiGetTimestamp");
  *out = on_clock(now_ns(), of_process);
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function) {
  check_calls_of_process("cuptiActivityRegisterTimestampCallback");
  timestamp = function;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  check_calls_of_process("cuptiActivityEnable");
  return enable(of_process, kind);
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  check_calls_of_process("cuptiActivityDisable");
  return disable(of_process, kind);
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete) {
  check_calls_of_process("cuptiActivityRegisterCallbacks");
  of_process.request = request;
  of_process.complete = complete;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid,
                                                         CUpti_Activity** record) {
  check_calls_of_process("cuptiActivityGetNextRecord");
  return next_record(buffer, valid, record);
}

EXPORTED CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* out) {
  check_calls_of_process("cuptiActivityGetNumDroppedRecords");
  *out = of_process.dropped.exchange(0);
  return CUPTI_SUCCESS;
}

// ---- calls of a subscriber ----------------------------------------------------------------------

EXPORTED CUptiResult CUPTIAPI get_timestamp_v2(CUpti_SubscriberHandle, uint64_t*)
    AS_SYMBOL(cuptiGetTimestamp_v2);
EXPORTED CUptiResult CUPTIAPI enable_v2(CUpti_SubscriberHandle, CUpti_ActivityKind, void*)
    AS_SYMBOL(cuptiActivityEnable_v2);
EXPORTED CUptiResult CUPTIAPI disable_v2(CUpti_SubscriberHandle, CUpti_ActivityKind, void*)
    AS_SYMBOL(cuptiActivityDisable_v2);
EXPORTED CUptiResult CUPTIAPI register_callbacks_v2(CUpti_SubscriberHandle, RequestBufferV2,
                                                    CompleteBufferV2)
    AS_SYMBOL(cuptiActivityRegisterCallbacks_v2);
EXPORTED CUptiResult CUPTIAPI get_next_record_v2(CUpti_SubscriberHandle, uint8_t*, size_t,
                                                 CUpti_Activity**)
    AS_SYMBOL(cuptiActivityGetNextRecord_v2);
EXPORTED CUptiResult CUPTIAPI get_num_dropped_records_v2(CUpti_SubscriberHandle, CUcontext,
                                                         uint32_t, size_t*)
    AS_SYMBOL(cuptiActivityGetNumDroppedRecords_v2);

CUptiResult CUPTIAPI get_timestamp_v2(CUpti_SubscriberHandle subscriber, uint64_t* out) {
  *out = on_clock(now_ns(), client_of(subscriber));
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI enable_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*) {
  Client& client = client_of(subscriber);
  if (client.complete_v2 == nullptr) die("ActivityEnable_v2 before RegisterCallbacks_v2");
  return enable(client, kind);
}

CUptiResult CUPTIAPI disable_v2(CUpti_SubscriberHandle subscriber, CUpti_ActivityKind kind, void*) {
  return disable(client_of(subscriber), kind);
}

CUptiResult CUPTIAPI register_callbacks_v2(CUpti_SubscriberHandle subscriber,
                                           RequestBufferV2 request, CompleteBufferV2 complete) {
  Client& client = client_of(subscriber);
  client.request_v2 = request;
  client.complete_v2 = complete;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI get_next_record_v2(CUpti_SubscriberHandle subscriber, uint8_t* buffer,
                                        size_t valid, CUpti_Activity** record) {
  client_of(subscriber);
  return next_record(buffer, valid, record);
}

CUptiResult CUPTIAPI get_num_dropped_records_v2(CUpti_SubscriberHandle subscriber, CUcontext,
                                                uint32_t, size_t* out) {
  *out = client_of(subscriber).dropped.exchange(0);
  return CUPTI_SUCCESS;
}
