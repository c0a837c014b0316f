/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cuda/events.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/lock.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent::cuda {
namespace {

// Null in drivers without them. [1] is for a default stream per thread.
struct Driver {
  CUresult(CUDAAPI* current_context)(CUcontext*) = nullptr;
  CUresult(CUDAAPI* create)(CUevent*, unsigned) = nullptr;
  CUresult(CUDAAPI* destroy)(CUevent) = nullptr;
  CUresult(CUDAAPI* record[2])(CUevent, CUstream) = {};
  CUresult(CUDAAPI* query)(CUevent) = nullptr;
  CUresult(CUDAAPI* elapsed_ms)(float*, CUevent, CUevent) = nullptr;
  CUresult(CUDAAPI* exchange_capture_mode)(CUstreamCaptureMode*) = nullptr;
};
Driver driver;
std::atomic<bool> is_on{false}, has_said_full{false};
pid_t process = 0;
uint32_t process_number = 0;  // process_generation

// A driver queues 1024 launches of a stream. Launches beyond these have no times.
constexpr uint32_t kPairs = 4096, kContexts = 64;
struct Events {
  CUevent event[2];
  uint64_t instance, launched, stream;
  Pair next;  // in the list that it is in
  uint32_t context;
};
// When the latest launch of a stream ended. Streams that share a place forget each other's.
constexpr uint32_t kStreams = 1024;
struct Stream {
  uint64_t key, end;
};
struct Context {
  CUcontext context;
  Pair free;  // the first of a list
};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of all that follows
Events pairs[kPairs];
Context contexts[kContexts];
Stream streams[kStreams];
uint32_t context_count = 0, made = 0;
Pair without_events = kNoPair;  // a list
Pair first_awaited = kNoPair, last_awaited = kNoPair;

// While another thread captures a stream, the driver forbids to create and to ask events, and ends
// the capture, unless the thread says that it has to do with no capture.
class OutsideOfCaptures {
 public:
  OutsideOfCaptures() { exchange(); }
  ~OutsideOfCaptures() { exchange(); }
  OutsideOfCaptures(const OutsideOfCaptures&) = delete;
  OutsideOfCaptures& operator=(const OutsideOfCaptures&) = delete;

 private:
  void exchange() {
    if (driver.exchange_capture_mode != nullptr) driver.exchange_capture_mode(&mode_);
  }
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// ---- with the lock held -------------------------------------------------------------------------

void push(Pair& list, Pair pair) {
  pairs[pair].next = list;
  list = pair;
}

Pair pop(Pair& list) {
  const Pair pair = list;
  if (pair != kNoPair) list = pairs[pair].next;
  return pair;
}

void append_awaited(Pair pair) {
  pairs[pair].next = kNoPair;
  if (last_awaited == kNoPair)
    first_awaited = pair;
  else
    pairs[last_awaited].next = pair;
  last_awaited = pair;
}

// `before`: the one before it in the list, or kNoPair.
void take_out(Pair before, Pair pair) {
  (before == kNoPair ? first_awaited : pairs[before].next) = pairs[pair].next;
  if (last_awaited == pair) last_awaited = before;
}

void report_time(const Events& of, uint64_t ns) {
  Stream& stream = streams[of.stream % kStreams];
  uint64_t from = of.launched;
  if (stream.key == of.stream && stream.end > from) from = stream.end;
  stream = {of.stream, from + ns};
  report_done(of.instance, from, from + ns, 0);
}

// False while the launch runs.
bool report_end(const Events& of) {
  const CUresult state = driver.query(of.event[end]);
  if (state == CUDA_ERROR_NOT_READY) return false;
  constexpr float kMostMs = 1e9F;
  float ms = 0;
  if (state == CUDA_SUCCESS &&
      driver.elapsed_ms(&ms, of.event[begin], of.event[end]) == CUDA_SUCCESS && ms > 0 &&
      ms < kMostMs)
    report_time(of, static_cast<uint64_t>(static_cast<double>(ms) * 1e6));
  else
    report_done(of.instance, 0, 0, AGENT_NO_TIMES);
  return true;
}

// Asks in the order of the launches, at most `most` of them, and until so many still run.
void settle(uint32_t most, uint32_t most_running) {
  Pair before = kNoPair;
  uint32_t running = 0;
  for (Pair pair = first_awaited; pair != kNoPair && most > 0 && running < most_running; --most) {
    const Pair next = pairs[pair].next;
    if (report_end(pairs[pair])) {
      take_out(before, pair);
      push(contexts[pairs[pair].context].free, pair);
    } else {
      before = pair;
      ++running;
    }
    pair = next;
  }
}

void destroy(Pair pair) {
  for (CUevent& event : pairs[pair].event) driver.destroy(event);
  push(without_events, pair);
}

// kContexts = there are too many.
uint32_t number_of(CUcontext context) {
  for (uint32_t i = 0; i < context_count; ++i)
    if (contexts[i].context == context) return i;
  if (context_count < kContexts) contexts[context_count++] = {context, kNoPair};
  return contexts[context_count - 1].context == context ? context_count - 1 : kContexts;
}

Pair make(uint32_t context) {
  Pair pair = pop(without_events);
  if (pair == kNoPair && made < kPairs) pair = made++;
  if (pair == kNoPair) return kNoPair;
  Events& events = pairs[pair];
  events.context = context;
  if (driver.create(&events.event[begin], CU_EVENT_DEFAULT) == CUDA_SUCCESS) {
    if (driver.create(&events.event[end], CU_EVENT_DEFAULT) == CUDA_SUCCESS) return pair;
    driver.destroy(events.event[begin]);
  }
  push(without_events, pair);
  return kNoPair;
}

// ---- without ------------------------------------------------------------------------------------

bool is_measuring() {
  return is_on.load(std::memory_order_acquire);
}

// A forked child has no CUDA, and perhaps not the lock.
bool is_own_process() {
  return is_measuring() && getpid() == process;
}

// The driver may be asked no more once the program's end is past this.
void finish() {
  if (!is_own_process()) return;
  settle_events();
  is_on.store(false);
  const Lock lock(mutex);
  for (Pair pair = pop(first_awaited); pair != kNoPair; pair = pop(first_awaited))
    report_done(pairs[pair].instance, 0, 0, AGENT_NO_TIMES);
}

}  // namespace

const char* start_events() {
  const char* how = std::getenv(AGENT_LAUNCH_TIMES_ENVIRONMENT);
  if (how == nullptr || std::strcmp(how, "events") != 0) return nullptr;
  find_driver_function(driver.current_context, "cuCtxGetCurrent");
  find_driver_function(driver.create, "cuEventCreate");
  find_driver_function(driver.destroy, "cuEventDestroy_v2");
  find_driver_function(driver.record[0], "cuEventRecord");
  find_driver_function(driver.record[1], "cuEventRecord_ptsz");
  find_driver_function(driver.query, "cuEventQuery");
  find_driver_function(driver.elapsed_ms, "cuEventElapsedTime_v2");
  if (driver.elapsed_ms == nullptr) find_driver_function(driver.elapsed_ms, "cuEventElapsedTime");
  find_driver_function(driver.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
  if (driver.current_context == nullptr || driver.create == nullptr || driver.destroy == nullptr ||
      driver.record[0] == nullptr || driver.query == nullptr || driver.elapsed_ms == nullptr)
    return "launches have no time: this driver has no events";
  process = getpid();
  process_number = process_generation.load();
  is_on.store(true, std::memory_order_release);
  // now, as what the driver does at the program's end comes after what is registered later
  std::atexit(finish);
  return nullptr;
}

Pair take_pair() {
  constexpr uint32_t kAsked = 8, kRunning = 4;  // launches of other streams may have ended
  CUcontext current = nullptr;
  if (!is_measuring() || process_generation.load(std::memory_order_relaxed) != process_number ||
      driver.current_context(&current) != CUDA_SUCCESS)
    return kNoPair;
  Pair pair = kNoPair;
  {
    const Lock lock(mutex);
    const OutsideOfCaptures outside;
    settle(kAsked, kRunning);
    const uint32_t context = number_of(current);
    if (context == kContexts) return kNoPair;
    pair = pop(contexts[context].free);
    if (pair == kNoPair) pair = make(context);
    if (pair == kNoPair) {
      settle(kPairs, kPairs);
      pair = pop(contexts[context].free);
    }
  }
  if (pair == kNoPair && !has_said_full.exchange(true))
    report_message("some launches have no time: there was no event for them", false);
  return pair;
}

void give_back(Pair pair) {
  const Lock lock(mutex);
  push(contexts[pairs[pair].context].free, pair);
}

bool record_event(Pair pair, Edge edge, CUstream stream, bool is_per_thread) {
  const auto record = driver.record[is_per_thread && driver.record[1] != nullptr ? 1 : 0];
  return record(pairs[pair].event[edge], stream) == CUDA_SUCCESS;
}

void await_end(Pair pair, const Launched& launched, CUstream stream, bool is_per_thread) {
  const Lock lock(mutex);
  Events& events = pairs[pair];
  events.instance = launched.instance;
  events.launched = launched.time;
  // each thread has a default stream of its own
  const uint64_t thread = stream == nullptr && is_per_thread ? current_tid() : 0;
  events.stream = mix(mix(events.context, reinterpret_cast<uintptr_t>(stream)), thread) | 1;
  append_awaited(pair);
}

void settle_events() {
  constexpr uint32_t kRunning = 64;
  if (!is_own_process()) return;
  const int saved_errno = errno;
  {
    const Lock lock(mutex);
    const OutsideOfCaptures outside;
    settle(kPairs, kRunning);
  }
  errno = saved_errno;
}

void forget_events(CUcontext context) {
  if (!is_own_process()) return;
  settle_events();
  const Lock lock(mutex);
  const OutsideOfCaptures outside;
  Pair before = kNoPair;
  for (Pair pair = first_awaited; pair != kNoPair;) {
    const Pair next = pairs[pair].next;
    if (context == nullptr || contexts[pairs[pair].context].context == context) {
      take_out(before, pair);
      report_done(pairs[pair].instance, 0, 0, AGENT_NO_TIMES);
      destroy(pair);
    } else {
      before = pair;
    }
    pair = next;
  }
  for (uint32_t i = 0; i < context_count; ++i) {
    if (context != nullptr && contexts[i].context != context) continue;
    for (Pair pair = pop(contexts[i].free); pair != kNoPair; pair = pop(contexts[i].free))
      destroy(pair);
  }
}

}  // namespace aiflame::agent::cuda
