// SPDX-License-Identifier: MIT
#include "libcommon/parallel/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "libcommon/parallel/processors.h"

namespace aiflame {
namespace {

// Keeps a thread that this one has just started off this one's processor, if there are others.
void keep_elsewhere(std::thread& thread) {
  cpu_set_t others = processor_set();
  const int here = sched_getcpu();
  if (here < 0) return;
  CPU_CLR(static_cast<size_t>(here), &others);
  if (CPU_COUNT(&others) > 0)
    pthread_setaffinity_np(thread.native_handle(), sizeof others, &others);
}

// Not joinable when no thread can be started.
template <typename Work>
std::thread start_thread(Work&& work) {
  std::thread thread;
  try {
    thread = std::thread(std::forward<Work>(work));
    keep_elsewhere(thread);
  } catch (const std::system_error&) {
    // the caller works without it
  }
  return thread;
}

void throw_first(const std::vector<std::exception_ptr>& thrown) {
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

}  // namespace

size_t workers(size_t most) {
  return std::clamp<size_t>(processors(), 1, most);
}

void in_threads(size_t count, const std::function<void(size_t)>& work) {
  std::vector<std::exception_ptr> thrown(std::max<size_t>(count, 1));
  const auto one = [&](size_t number) {
    try {
      work(number);
    } catch (...) {
      thrown[number] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (size_t number = 1; number < count; ++number) {
    std::thread other = start_thread([&one, number] { one(number); });
    if (!other.joinable()) break;
    others.push_back(std::move(other));
  }
  one(0);
  for (std::thread& other : others) other.join();
  throw_first(thrown);
}

void in_parallel(size_t count, const std::function<void(size_t)>& work, size_t worth) {
  std::vector<std::exception_ptr> thrown(count);
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  in_threads(std::min(workers(), count / worth), [&](size_t) {
    for (size_t number = next++; number < count && !failed; number = next++) {
      try {
        work(number);
      } catch (...) {
        thrown[number] = std::current_exception();
        failed = true;
      }
    }
  });
  // numbers are begun in order, so all numbers before the first that failed were begun
  throw_first(thrown);
}

void write_in_order(size_t count, const std::function<void(std::string_view)>& write,
                    const std::function<void(size_t, std::string&)>& make, size_t worth) {
  std::mutex mutex;
  std::condition_variable turn;
  size_t written = 0;
  bool failed = false;
  const auto one = [&](size_t number) {
    try {
      // Kept for the next text that this thread makes. New memory would cost more than filling it.
      thread_local std::string text;
      text.clear();
      make(number, text);
      std::unique_lock lock(mutex);
      turn.wait(lock, [&] { return written == number || failed; });
      if (failed) return;
      write(text);
      ++written;
    } catch (...) {
      const std::lock_guard lock(mutex);
      failed = true;
      turn.notify_all();
      throw;
    }
    turn.notify_all();
  };
  in_parallel(count, one, worth);
}

struct BackgroundThread::State {
  std::function<void()> work;
  std::exception_ptr thrown;
  std::thread thread;

  ~State() {
    if (thread.joinable()) thread.join();
  }
  void run() {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
};

BackgroundThread::BackgroundThread(std::function<void()> work) {
  if (processors() < 2) return;
  auto state = std::make_unique<State>();
  state->work = std::move(work);
  state->thread = start_thread([running = state.get()] { running->run(); });
  if (state->thread.joinable()) state_ = std::move(state);
}

BackgroundThread::BackgroundThread() = default;
BackgroundThread::~BackgroundThread() = default;
BackgroundThread::BackgroundThread(BackgroundThread&&) noexcept = default;
BackgroundThread& BackgroundThread::operator=(BackgroundThread&&) noexcept = default;

void BackgroundThread::join() {
  if (!running()) return;
  state_->thread.join();
  const std::unique_ptr<State> ended = std::move(state_);
  if (ended->thrown) std::rethrow_exception(ended->thrown);
}

}  // namespace aiflame
