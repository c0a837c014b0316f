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

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/cupti/kernel_times.h"
#include "plugins/agents/cupti/modules.h"
#include "plugins/agents/cupti/obstacles.h"
#include "plugins/agents/cupti/sampler.h"

namespace aiflame::agent::cupti {
namespace {

const Cupti* cupti;
Settings settings;
CUpti_SubscriberHandle subscriber;
// The recording has ended, and nothing is begun any more.
std::atomic<bool> is_over{false};

// ---- contexts ----------------------------------------------------------------------------------

struct Context {
  std::atomic<CUcontext> context;
  Sampler* sampler;
  uint32_t device;
  std::atomic<bool> is_gone;  // and its sampler could not be ended when it went
};
// A program has one for each device, as a rule.
constexpr uint32_t kMaxContexts = 256;
Context contexts[kMaxContexts];
std::atomic<bool> has_told_contexts{false};
std::atomic<uint32_t> context_count{0};
std::atomic<uint32_t> sampler_count{0};
// Held while samplers are used, and where CUPTI is asked for kernel records: not two of the agent's
// calls at a time, which have been seen to wait for one another. Callbacks do not wait for it for
// ever: CUPTI's own locks may be held around both.
pthread_mutex_t samplers_mutex = PTHREAD_MUTEX_INITIALIZER;
constexpr long kWaitSeconds = 1;

bool lock_samplers() {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);  // pthread_mutex_timedlock's
  until.tv_sec += kWaitSeconds;
  return pthread_mutex_timedlock(&samplers_mutex, &until) == 0;
}

constexpr uint32_t kMaxDevices = 64;
std::atomic<bool> is_device_told[kMaxDevices];

// Its number: that of CUDA, from 1.
uint32_t tell_device(CUcontext context, char* place, size_t place_room, char* name,
                     size_t name_room) {
  uint32_t device = 0;
  if (cupti->cuptiGetDeviceId(context, &device) != CUPTI_SUCCESS || device >= kMaxDevices) return 0;
  device_place(static_cast<CUdevice>(device), place, place_room);
  device_name(static_cast<CUdevice>(device), name, name_room);
  if (!is_device_told[device].exchange(true)) report_device(device + 1, place);
  return device + 1;
}

// With the samplers' lock held, as what follows.
void end_sampler(Context& of) {
  const bool is_gone = of.is_gone.exchange(false);
  if (of.sampler == nullptr) return;
  if (is_gone) of.sampler->abandon();
  of.sampler->finish();
  of.sampler = nullptr;
  sampler_count.fetch_sub(1);
}

void end_samplers() {
  const uint32_t count = context_count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) end_sampler(contexts[i]);
}

// Of a context whose making was not called back: a green one has no such callback in the headers.
// cuptiGetDeviceId() may be called in callbacks.
uint32_t device_of_unseen(CUcontext context) {
  thread_local CUcontext latest = nullptr;
  thread_local uint32_t device = 0;
  if (latest == context) return device;
  char place[48] = "", name[64] = "";
  latest = context;
  device = tell_device(context, place, sizeof place, name, sizeof name);
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

// ---- at launches -------------------------------------------------------------------------------

// Windows are so long, and as often as their share of the time needs: each is open from the begin
// of a launch to the end of one.
constexpr uint64_t kWindowNs = 30000000;
std::atomic<bool> is_window_open{false};
std::atomic<uint64_t> window_began{0}, window_due{0};
// Samplers have something due, or are to end.
std::atomic<bool> is_asked{false};

// Launches that have not returned: by threads, which would meet here otherwise.
struct alignas(64) Launching {
  std::atomic<int32_t> count;
};
constexpr uint32_t kLaunching = 64;
Launching launching[kLaunching];

bool is_any_launching() {
  return std::any_of(launching, launching + kLaunching,
                     [](const Launching& one) { return one.count.load() > 0; });
}

// Where waiting for the lock takes so long that something else must be waiting, it is not waited
// for again.
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

// What ran outside of a window is in a slice of its own: samples are compared with what ran while
// they were taken.
void open_windows() {
  const uint64_t now = monotonic_ns();
  report_drained(now);
  bool is_any = false;
  for_each_sampler([&](Sampler& sampler) { is_any |= sampler.open_window(); });
  window_began.store(now);
  window_due.store(now + kWindowNs);  // where none can be opened
  is_window_open.store(is_any);
}

// With what came in it, as cupti_pcsampling.h asks behind each cuptiPCSamplingStop().
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

// ---- the thread --------------------------------------------------------------------------------

pthread_mutex_t worker_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t worker_wakes;
pthread_t thread;
bool is_running, is_ending;
pid_t process;

// So often it is looked whether the recording has ended.
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

// False when the program ends, or the recording.
bool sleep_ms(uint64_t ms) {
  for (; ms > kLookMs; ms -= kLookMs)
    if (!sleep_once(kLookMs) || has_recording_ended()) return false;
  return sleep_once(ms) && !has_recording_ended();
}

// Ends a slice: what ran and was sampled since the last.
void read_slice() {
  if (!lock_samplers()) return;
  const uint64_t time = monotonic_ns();
  read_kernel_times(false);
  for_each_sampler(read_sampler);
  report_drained(time);
  pthread_mutex_unlock(&samplers_mutex);
  tell_unloads();
}

// What was not read at the program's end.
void tell_end_is_lost() {
  report_message("what CUPTI had at the program's end is lost: it kept the agent waiting", false);
  const uint32_t count = context_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i)
    if (contexts[i].sampler != nullptr) report_lost_samples(contexts[i].device, UINT64_MAX);
}

// The program runs on without us. Callbacks come until the end of this, as it is by them that
// contexts are known to be there; without a lock at last, which one of them may be waiting for.
// Samplers are ended by the program's next launch; where there is none, here.
void leave_program() {
  constexpr int kLooksForLaunch = 10;
  is_over.store(true);
  is_asked.store(true);
  for (int looks = 0; sampler_count.load() > 0; ++looks) {
    if (!sleep_once(kLookMs)) return;
    if (!has_given_up() && (looks < kLooksForLaunch || is_any_launching())) continue;
    if (!lock_samplers()) continue;
    end_samplers();
    pthread_mutex_unlock(&samplers_mutex);
  }
  end_kernel_times();
  if (!has_given_up()) cupti->cuptiUnsubscribe(subscriber);
}

void* work(void*) {
  pthread_setname_np(pthread_self(), "aiflame-cupti");
  while (sleep_ms(settings.interval_ms)) read_slice();
  if (has_recording_ended()) leave_program();
  return nullptr;
}

}  // namespace

bool start_worker(const Cupti& with, const Settings& wanted, CUpti_SubscriberHandle ours) {
  cupti = &with;
  settings = wanted;
  subscriber = ours;
  process = getpid();
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&worker_wakes, &clock);
  pthread_condattr_destroy(&clock);
  // the program's signals are for its own threads
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  is_running = pthread_create(&thread, nullptr, work, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return is_running;
}

void context_created(CUcontext context) {
  char place[48] = "", name[64] = "";
  const uint32_t device = tell_device(context, place, sizeof place, name, sizeof name);
  if (!lock_samplers()) {
    report_message("a context is not sampled: CUPTI kept the agent waiting", false);
    return;
  }
  uint32_t at = 0;
  const uint32_t count = context_count.load(std::memory_order_relaxed);
  while (at < count && contexts[at].context.load() != nullptr) ++at;
  if (at < kMaxContexts) {
    end_sampler(contexts[at]);
    contexts[at].device = device;
    contexts[at].context.store(context, std::memory_order_release);
    if (at == count) context_count.store(count + 1, std::memory_order_release);
    const bool is_wanted = settings.sample && !is_over.load() &&
                           (settings.place[0] == '\0' || std::strcmp(settings.place, place) == 0);
    if (is_wanted) contexts[at].sampler = Sampler::start(*cupti, settings, context, device, name);
    if (contexts[at].sampler != nullptr) sampler_count.fetch_add(1);
  } else if (settings.sample && !has_told_contexts.exchange(true)) {
    report_message("contexts are not sampled: there are more than 256 at a time", false);
  }
  pthread_mutex_unlock(&samplers_mutex);
}

void context_destroying(CUcontext context) {
  const bool is_locked = lock_samplers();
  if (!is_locked) {
    report_message("the last samples of a context are lost: CUPTI kept the agent waiting", false);
    report_lost_samples(device_of(context), UINT64_MAX);
  }
  const uint32_t count = context_count.load(std::memory_order_relaxed);
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

// cupti_pcsampling.h: data must be read after every load of a module behind an unload, or places in
// the code are not told apart. Whoever has the lock reads just now.
void module_loading(CUcontext context) {
  if (!settings.sample || has_given_up() || pthread_mutex_trylock(&samplers_mutex) != 0) return;
  for_each_sampler([&](Sampler& sampler) {
    if (sampler.context() == context) sampler.read_flushed();
  });
  pthread_mutex_unlock(&samplers_mutex);
}

// A launch is about to be made: nothing waits for a lock here, as a thread that has it may be
// waiting for this one's launch.
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

// With `exact` each kernel's samples are read behind it, as cupti_pcsampling.h asks and NVIDIA's
// pc_sampling_continuous does.
void launch_ends(CUcontext context) {
  if (!settings.sample) return;
  launching[current_tid() % kLaunching].count.fetch_sub(1);
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
    if (is_over.load()) end_samplers();
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
  // not in a forked child, which has no such thread, and no CUDA
  if (!is_running || getpid() != process) return;
  is_running = false;
  pthread_mutex_lock(&worker_mutex);
  is_ending = true;
  pthread_cond_signal(&worker_wakes);
  pthread_mutex_unlock(&worker_mutex);
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kWaitSeconds;
  // it hangs in CUPTI: so would we
  if (pthread_timedjoin_np(thread, nullptr, &until) != 0) {
    tell_end_is_lost();
    return;
  }
  const uint64_t time = monotonic_ns();
  if (!lock_samplers()) {
    tell_end_is_lost();
    return;
  }
  end_samplers();
  pthread_mutex_unlock(&samplers_mutex);
  // behind the samplers' end: a forced flush has been seen to bring no kernel records while one is
  // at work
  read_kernel_times(true);
  report_drained(time);
}

}  // namespace aiflame::agent::cupti
