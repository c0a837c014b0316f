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
#include <vector>

#include "libcommon/base/processors.h"

namespace aiflame {
namespace {

// A thread that this one has just made, where there are other processors.
void keep_elsewhere(std::thread::native_handle_type thread) {
  cpu_set_t others = processor_set();
  const int here = sched_getcpu();
  if (here < 0) return;
  CPU_CLR(static_cast<size_t>(here), &others);
  if (CPU_COUNT(&others) > 0) pthread_setaffinity_np(thread, sizeof others, &others);
}

}  // namespace

size_t workers() {
  // beyond this the one that writes, or memory, is what all wait for
  constexpr size_t kMost = 8;
  return std::clamp<size_t>(processors(), 1, kMost);
}

std::thread thread_elsewhere(const std::function<void()>& work) {
  std::thread thread;
  if (processors() < 2) return thread;
  try {
    thread = std::thread(work);
    keep_elsewhere(thread.native_handle());
  } catch (const std::system_error&) {
    // none is to be had
  }
  return thread;
}

void in_threads(size_t count, const std::function<void(size_t)>& work) {
  std::vector<std::jthread> others;
  try {
    for (size_t number = 1; number < count; ++number)
      keep_elsewhere(others.emplace_back(work, number).native_handle());
  } catch (const std::system_error&) {
    // fewer do it
  }
  work(0);
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
  // numbers are begun in order, so nothing before the first that failed was left out
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
}

void write_in_order(size_t count, const std::function<void(std::string_view)>& write,
                    const std::function<void(size_t, std::string&)>& make, size_t worth) {
  std::mutex mutex;
  std::condition_variable turn;
  size_t written = 0;
  bool failed = false;
  const auto one = [&](size_t number) {
    try {
      // kept for the next text that this thread makes: new memory would cost more than filling it
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

}  // namespace aiflame
