/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/worker.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/cupti/kernel_times.h"
#include "plugins/agents/cupti/launches.h"
#include "plugins/agents/cupti/modules.h"
#include "plugins/agents/cupti/obstacles.h"
#include "plugins/agents/cupti/sampler.h"

namespace aiflame::agent::cupti {
namespace {

const Cupti* cupti;
Settings settings;
CUpti_SubscriberHandle subscriber;
// The recording has ended; nothing new begins.
std::atomic<bool> is_over{false};
// Counts the recordings that began later; 0 = this one began with the program.
std::atomic<uint32_t> recordings_later{0};

// ---- contexts -----------------------------------------------------------------------------------

struct Context {
  std::atomic<CUcontext> context;
  Sampler* sampler;
  uint32_t device;
  std::atomic<bool> is_gone;  // while its sampler could not be ended
};
// As a rule a program has one for each device.
constexpr uint32_t kMaxContexts = 256;
Context contexts[kMaxContexts];
std::atomic<bool> has_reported_contexts{false}, has_reported_second{false};
std::atomic<uint32_t> context_count{0};
std::atomic<uint32_t> sampler_count{0};
// Held while samplers are used, and while CUPTI is asked for kernel records: two such calls at a
// time were seen to deadlock. Callbacks wait for it only for a bounded time, as CUPTI may hold
// locks of its own around them.
pthread_mutex_t samplers_mutex = PTHREAD_MUTEX_INITIALIZER;
constexpr long kWaitSeconds = 1;

bool lock_samplers() {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);  // the clock of pthread_mutex_timedlock()
  until.tv_sec += kWaitSeconds;
  return pthread_mutex_timedlock(&samplers_mutex, &until) == 0;
}

constexpr uint32_t kMaxDevices = 64;
std::atomic<bool> is_device_reported[kMaxDevices];

// Returns the device's number: CUDA's, plus 1. Reports the device once.
uint32_t announce_device(CUcontext context, char* place, size_t place_room, char* name,
                         size_t name_room) {
  uint32_t device = 0;
  if (cupti->cuptiGetDeviceId(context, &device) != CUPTI_SUCCESS || device >= kMaxDevices) return 0;
  device_place(static_cast<CUdevice>(device), place, place_room);
  device_name(static_cast<CUdevice>(device), name, name_room);
  if (!is_device_reported[device].exchange(true)) report_device(device + 1, place);
  return device + 1;
}

// This and the next functions need the samplers' lock.
void end_sampler(Context& of) {
  const bool is_gone = of.is_gone.exchange(false);
  if (of.sampler == nullptr) return;
  if (is_gone) of.sampler->abandon();
  of.sampler->finish();
  of.sampler = nullptr;
  sampler_count.fetch_sub(1);
}

void end_samplers() {
  const uint32_t count = context_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) end_sampler(contexts[i]);
}

// When the recording ends before the program. The order leaves no launch that is sampled and not
// reported.
void end_samplers_and_launches() {
  end_samplers();
  end_launches();
}

bool is_known(CUcontext context) {
  const uint32_t count = context_count.load(std::memory_order_acquire);
  return std::any_of(contexts, contexts + count,
                     [&](const Context& one) { return one.context.load() == context; });
}

// Samplers in two contexts of one device at a time do not work: on an H200 (CUPTI 13.0), reads then
// failed with error 999, and CUPTI called back for no launch any more.
bool is_device_sampled(uint32_t device) {
  const uint32_t count = context_count.load(std::memory_order_acquire);
  return std::any_of(contexts, contexts + count, [&](const Context& one) {
    return one.sampler != nullptr && one.device == device;
  });
}

// What a thread asked about last, in this recording.
class LatestContext {
 public:
  // Notes the context; true when it was noted already.
  bool is(CUcontext context) {
    const uint32_t recording = recordings_later.load(std::memory_order_relaxed);
    if (context_ == context && recording_ == recording) return true;
    context_ = context;
    recording_ = recording;
    return false;
  }

 private:
  CUcontext context_ = nullptr;
  uint32_t recording_ = 0;
};

// For a context without a callback at its creation, such as a green context. cuptiGetDeviceId() may
// be called in callbacks.
uint32_t device_of_unseen(CUcontext context) {
  thread_local LatestContext latest;
  thread_local uint32_t device = 0;
  if (latest.is(context)) return device;
  char place[48] = "", name[112] = "";
  device = announce_device(context, place, sizeof place, name, sizeof name);
  return device;
}

template <typename Visit>
void for_each_sampler(Visit visit) {
  const uint32_t count = context_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    if (contexts[i].is_gone.load(std::memory_order_acquire)) end_sampler(contexts[i]);
    if (contexts[i].sampler != nullptr) visit(*contexts[i].sampler);
  }
}

// ---- at launches --------------------------------------------------------------------------------

// The shortest length of a window; the duty decides how often they come. Each is open from the
// begin of one launch to the end of another.
constexpr uint64_t kWindowNs = 30000000;
std::atomic<bool> is_window_open{false};
std::atomic<uint64_t> window_began{0}, window_due{0};
// This thread's launch has opened the window.
thread_local bool has_opened = false;
// Samplers have something to settle, or are to end.
std::atomic<bool> is_asked{false};

// Launch calls that have not returned. Several counters, so that threads do not share a cache line.
struct alignas(64) Launching {
  std::atomic<int32_t> count;
};
constexpr uint32_t kLaunching = 64;
Launching launching[kLaunching];

bool is_any_launching() {
  return std::any_of(launching, launching + kLaunching,
                     [](const Launching& one) { return one.count.load() > 0; });
}

// After a wait for the lock timed out, which means a deadlock somewhere, nobody waits for it again.
bool lock_to_read() {
  static std::atomic<bool> may_wait{true};
  if (pthread_mutex_trylock(&samplers_mutex) == 0) return true;
  if (!may_wait.load()) return false;
  const bool is_locked = lock_samplers();
  if (!is_locked) may_wait.store(false);
  return is_locked;
}

void read_sampler(Sampler& sampler) {
  sampler.read();
  if (sampler.has_due()) is_asked.store(true);
}

// Ends a slice first, so that samples are compared only with what ran while they were taken.
void open_windows() {
  const uint64_t now = monotonic_ns();
  report_drained(now);
  bool is_any = false;
  for_each_sampler([&](Sampler& sampler) { is_any |= sampler.open_window(); });
  window_began.store(now);
  window_due.store(now + kWindowNs);  // in case none can be opened
  is_window_open.store(is_any);
  has_opened = is_any;
}

// Reads the window's samples too, as cupti_pcsampling.h asks for after each cuptiPCSamplingStop().
void close_windows() {
  for_each_sampler([](Sampler& sampler) {
    sampler.close_window();
    read_sampler(sampler);
  });
  const uint64_t now = monotonic_ns();
  report_drained(now);
  window_due.store(now + (now - window_began.load()) * (100 - settings.duty) / settings.duty);
  is_window_open.store(false);
}

// ---- the thread ---------------------------------------------------------------------------------

pthread_mutex_t worker_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t worker_wakes;
pthread_t thread;
bool is_running, is_ending;
pid_t process;
bool (*begin_recording)(Begins);

// How often the thread checks whether the recording has ended, or a recorder has come.
constexpr uint64_t kLookMs = 100;

// False when the program ends.
bool sleep_once(uint64_t ms) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const uint64_t ns = static_cast<uint64_t>(until.tv_nsec) + ms % 1000 * 1000000;
  until.tv_sec += static_cast<time_t>(ms / 1000 + ns / 1000000000);
  until.tv_nsec = static_cast<long>(ns % 1000000000);
  pthread_mutex_lock(&worker_mutex);
  int result = 0;
  while (!is_ending && result != ETIMEDOUT)
    result = pthread_cond_timedwait(&worker_wakes, &worker_mutex, &until);
  const bool goes_on = !is_ending;
  pthread_mutex_unlock(&worker_mutex);
  return goes_on;
}

enum class Ended : uint8_t { nothing, recording, program };

// Until the next slice, or what ends before.
Ended sleep_ms(uint64_t ms) {
  for (;; ms -= kLookMs) {
    if (!sleep_once(std::min(ms, kLookMs))) return Ended::program;
    if (has_recorder_gone() || is_rest_awaited()) return Ended::recording;
    if (ms <= kLookMs) return Ended::nothing;
  }
}

// Reads a slice: what ran and was sampled since the last one.
void read_slice() {
  if (!lock_samplers()) return;
  const uint64_t time = monotonic_ns();
  read_kernel_times(false);
  for_each_sampler(read_sampler);
  report_drained(time);
  pthread_mutex_unlock(&samplers_mutex);
  report_unloads();
}

// Reads what has no record yet, too, and lets the recorder end.
void read_rest() {
  if (lock_samplers()) {
    const uint64_t time = monotonic_ns();
    read_kernel_times(true);
    report_drained(time);
    pthread_mutex_unlock(&samplers_mutex);
  }
  end_holding_back();
}

// Reports what could not be read at the program's end.
void report_lost_end() {
  report_message("what CUPTI had at the program's end is lost: it kept the agent waiting", false);
  const uint32_t count = context_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i)
    if (contexts[i].sampler != nullptr) report_lost_samples(contexts[i].device, UINT64_MAX);
}

// The program goes on without us. Callbacks stay on until the end of this function, because they
// report the contexts that are destroyed. No lock is held while they are switched off, because a
// callback may be waiting for it. The program's next launch ends the samplers; without a launch,
// this function does. False when the program ends meanwhile. The recorder may wait for the rest of
// what CUPTI has. That comes when the samplers have ended: while one is at work, a forced flush was
// seen to return no kernel records.
bool leave_program() {
  constexpr int kLooksForLaunch = 10;
  constexpr uint64_t kAheadMs = 50;
  is_over.store(true);
  // a sampler that is being started counts now; none is started from here on
  if (lock_samplers()) pthread_mutex_unlock(&samplers_mutex);
  const bool is_awaited = is_rest_awaited();
  if (is_awaited) {
    read_slice();
    if (outstanding() == 0) end_holding_back();  // there may be no launch for long
  }
  if (sampler_count.load() == 0) end_launches();
  is_asked.store(true);
  for (int looks = 0; sampler_count.load() > 0; ++looks) {
    if (!sleep_once(kLookMs)) return false;
    if (!has_given_up() && (looks < kLooksForLaunch || is_any_launching())) continue;
    if (!lock_samplers()) continue;
    end_samplers_and_launches();
    pthread_mutex_unlock(&samplers_mutex);
  }
  // what the program launched ahead runs meanwhile
  if (is_awaited && outstanding() > 0 && !sleep_once(kAheadMs)) return false;
  if (is_awaited) read_rest();
  end_kernel_times();
  if (!has_given_up()) cupti->cuptiUnsubscribe(subscriber);
  subscriber = nullptr;
  return true;
}

// Reads until the recorder or the program ends. False when the program does.
bool record() {
  Ended ended = Ended::nothing;
  while ((ended = sleep_ms(settings.interval_ms)) == Ended::nothing)
    if (subscriber != nullptr) read_slice();  // else CUPTI refused, which has been said
  return ended == Ended::recording && (subscriber == nullptr || leave_program());
}

void* work(void* is_recorded) {
  pthread_setname_np(pthread_self(), "aiflame-cupti");
  if (is_recorded != nullptr && !record()) return nullptr;
  while (awaits_recorder() && !has_given_up() && sleep_once(kLookMs)) {
    if (!find_recorder()) continue;
    // one that records another process says so before it is asked again
    if (!sleep_once(kLookMs)) break;
    if (has_recorder_gone()) continue;
    begin_recording(Begins::later);
    if (!record()) break;
  }
  return nullptr;
}

}  // namespace

void prepare_worker(const Cupti& with, const Settings& wanted, CUpti_SubscriberHandle ours,
                    Begins begins) {
  cupti = &with;
  settings = wanted;
  subscriber = ours;
  if (begins == Begins::with_the_program) return;
  // of the recording before; its samplers have ended
  recordings_later.fetch_add(1);
  for (auto& is_reported : is_device_reported) is_reported.store(false);
  has_reported_contexts.store(false);
  has_reported_second.store(false);
  context_count.store(0);
  for (Context& one : contexts) {
    one.context.store(nullptr);
    one.is_gone.store(false);
  }
  for (Launching& one : launching) one.count.store(0);
  is_window_open.store(false);
  window_due.store(0);
  is_asked.store(false);
  is_over.store(false);
}

bool start_worker(bool (*begin)(Begins), bool is_recorded) {
  begin_recording = begin;
  process = getpid();
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&worker_wakes, &clock);
  pthread_condattr_destroy(&clock);
  // the program's signals belong to its own threads
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  is_running = pthread_create(&thread, nullptr, work, is_recorded ? &process : nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return is_running;
}

void context_created(CUcontext context) {
  char place[48] = "", name[112] = "";
  const uint32_t device = announce_device(context, place, sizeof place, name, sizeof name);
  if (!lock_samplers()) {
    report_message("a context is not sampled: CUPTI kept the agent waiting", false);
    return;
  }
  uint32_t at = 0;
  const uint32_t count = context_count.load(std::memory_order_relaxed);
  if (is_known(context)) {  // another thread has met it, too
    pthread_mutex_unlock(&samplers_mutex);
    return;
  }
  while (at < count && contexts[at].context.load() != nullptr) ++at;
  if (at < kMaxContexts) {
    end_sampler(contexts[at]);
    contexts[at].device = device;
    contexts[at].context.store(context, std::memory_order_release);
    if (at == count) context_count.store(count + 1, std::memory_order_release);
    const bool is_wanted = settings.sample && !is_over.load() &&
                           (settings.place[0] == '\0' || std::strcmp(settings.place, place) == 0);
    const bool has_sampler = is_wanted && is_device_sampled(device);
    if (has_sampler && !has_reported_second.exchange(true))
      report_message("no samples of a device's second context: CUPTI samples one at a time", false);
    if (is_wanted && !has_sampler)
      contexts[at].sampler = Sampler::start(*cupti, settings, context, device, name);
    if (contexts[at].sampler != nullptr) sampler_count.fetch_add(1);
  } else if (settings.sample && !has_reported_contexts.exchange(true)) {
    report_message("contexts are not sampled: there are more than 256 at a time", false);
  }
  pthread_mutex_unlock(&samplers_mutex);
}

void context_met(CUcontext context) {
  thread_local LatestContext latest;
  if (recordings_later.load(std::memory_order_relaxed) == 0 || context == nullptr || is_over.load())
    return;
  if (!latest.is(context) && !is_known(context)) context_created(context);
}

void context_destroying(CUcontext context) {
  const bool is_locked = lock_samplers();
  if (!is_locked) {
    report_message("the last samples of a context are lost: CUPTI kept the agent waiting", false);
    report_lost_samples(device_of(context), UINT64_MAX);
  }
  const uint32_t count = context_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    if (contexts[i].context.load() != context) continue;
    if (is_locked)
      end_sampler(contexts[i]);
    else
      contexts[i].is_gone.store(true);  // CUPTI must not be asked about it any more
    contexts[i].context.store(nullptr);
  }
  if (is_locked) pthread_mutex_unlock(&samplers_mutex);
  context_gone(context);
}

// cupti_pcsampling.h: data must be read whenever a module is loaded after an unload, or places in
// the code are not told apart. If another thread has the lock, it is reading right now.
void module_loading(CUcontext context) {
  if (!settings.sample || has_given_up() || pthread_mutex_trylock(&samplers_mutex) != 0) return;
  for_each_sampler([&](Sampler& sampler) {
    if (sampler.context() == context) sampler.read_flushed();
  });
  pthread_mutex_unlock(&samplers_mutex);
}

// Nothing here waits for a lock: the thread that holds it may be waiting for this launch.
void launch_begins() {
  if (!settings.sample) return;
  launching[current_tid() % kLaunching].count.fetch_add(1);
  if (settings.duty == 100 || sampler_count.load() == 0 || is_window_open.load() ||
      is_over.load() || has_given_up() || monotonic_ns() < window_due.load() ||
      pthread_mutex_trylock(&samplers_mutex) != 0)
    return;
  if (!is_window_open.load() && !is_over.load()) open_windows();
  pthread_mutex_unlock(&samplers_mutex);
}

// With `exact` the samples of each kernel are read after it, as cupti_pcsampling.h asks for and
// NVIDIA's pc_sampling_continuous does.
void launch_ends(CUcontext context) {
  if (!settings.sample) return;
  launching[current_tid() % kLaunching].count.fetch_sub(1);
  // A launch that loads its module takes as long as many windows: that is no part of this one, or
  // the next would be due after the program's end.
  if (std::exchange(has_opened, false)) window_began.store(monotonic_ns());
  if (sampler_count.load() == 0) return;
  const auto is_window_over = [] {
    return is_window_open.load() && monotonic_ns() - window_began.load() >= kWindowNs;
  };
  if (settings.exact
          ? !lock_to_read()
          : (!is_asked.load() && !is_window_over()) || pthread_mutex_trylock(&samplers_mutex) != 0)
    return;
  if (settings.exact)
    for_each_sampler([&](Sampler& sampler) {
      if (sampler.context() == context) sampler.read_flushed();
    });
  if (is_window_over()) close_windows();
  if (is_asked.exchange(false)) {
    for_each_sampler([](Sampler& sampler) { sampler.settle(); });
    if (is_over.load()) end_samplers_and_launches();
  }
  pthread_mutex_unlock(&samplers_mutex);
}

uint32_t device_of(CUcontext context) {
  const uint32_t count = context_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i)
    if (contexts[i].context.load(std::memory_order_acquire) == context) return contexts[i].device;
  return context == nullptr ? 0 : device_of_unseen(context);
}

void finish_worker() {
  // a forked child has neither this thread nor CUDA
  if (!is_running || getpid() != process) return;
  is_running = false;
  pthread_mutex_lock(&worker_mutex);
  is_ending = true;
  pthread_cond_signal(&worker_wakes);
  pthread_mutex_unlock(&worker_mutex);
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kWaitSeconds;
  // the thread hangs in CUPTI, and so would we
  if (pthread_timedjoin_np(thread, nullptr, &until) != 0) {
    report_lost_end();
    return;
  }
  const uint64_t time = monotonic_ns();
  if (!lock_samplers()) {
    report_lost_end();
    return;
  }
  end_samplers();
  pthread_mutex_unlock(&samplers_mutex);
  // after the samplers' end, see leave_program()
  read_kernel_times(true);
  report_drained(time);
}

}  // namespace aiflame::agent::cupti
