// SPDX-License-Identifier: MIT
// All threads of the filters are started here, by one policy.
//
// How many: workers(), one for each processor that the program may run on, within a limit.
//
// When: starting a thread costs a tenth of a millisecond. Work that takes less than half a
// millisecond stays in one thread: the caller sees to that by `worth`, or by a size of its own
// below which it works alone.
//
// Where: a new thread is kept off the processor of the one that starts it. There it would wait
// until its starter sleeps. Some kernels leave it there for milliseconds, which may be the whole
// run, and put it back there when it wakes up.
//
// When no thread can be started (a limit of the system, one processor): fewer threads do the same
// work, down to the caller alone. That is no error and changes no output.
//
// Exceptions: what a thread throws is rethrown in the calling thread, after all threads have ended.
// When several throw, the first in the order of the numbers wins, whichever thread was faster.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace aiflame {

// The number of threads worth having, at least 1. `most` limits threads that cost more than their
// stack, such as a table each.
size_t workers(size_t most = 8);

// Calls work(0) … work(count - 1) at the same time, each in a thread; work(0) in this one. When no
// more threads can be started, the last numbers are left out. So the threads must share out the
// work among themselves, not by number.
void in_threads(size_t count, const std::function<void(size_t number)>& work);

// Calls work(0) … work(count - 1), several at a time, in at most one thread for each `worth` of
// them. After an exception no further number is begun.
void in_parallel(size_t count, const std::function<void(size_t number)>& work, size_t worth = 1);

// Writes the texts that make(0, text) … make(count - 1, text) append, in this order. Each thread
// holds one text at a time.
void write_in_order(size_t count, const std::function<void(std::string_view text)>& write,
                    const std::function<void(size_t number, std::string& text)>& make,
                    size_t worth = 1);

// A thread that runs beside the caller.
class BackgroundThread {
 public:
  // No thread.
  BackgroundThread();
  // Calls work(). running() is false when there is one processor or no thread can be started. Then
  // work() is never called, and the caller works without it.
  explicit BackgroundThread(std::function<void()> work);
  // Waits for work() to return. What it threw is lost.
  ~BackgroundThread();
  BackgroundThread(BackgroundThread&&) noexcept;
  BackgroundThread& operator=(BackgroundThread&&) noexcept;

  // From the constructor until join().
  bool running() const { return state_ != nullptr; }
  // Waits for work() to return, and throws what it threw.
  void join();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aiflame
