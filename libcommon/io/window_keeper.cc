// SPDX-License-Identifier: MIT
#include "libcommon/io/window_keeper.h"

#include <utility>

namespace aiflame {
namespace {

// A page fault brings in this many bytes around it (Linux's fault_around_bytes by default).
// Touching each page takes 10 % more processor time (`make bench`, data, dwarf). Faults take a
// third less time than MADV_POPULATE_READ, which visits each page again, and holds the lock that
// other threads need to map anything.
constexpr size_t kAround = size_t{64} << 10;
// Windows that wait to be read take memory. 1 instead of 16 costs 4 % or more (`make bench`, data).
constexpr size_t kMaxTasks = 16;

}  // namespace

WindowKeeper::WindowKeeper() : thread_([this] { run(); }) {}

WindowKeeper::~WindowKeeper() {
  if (!thread_.running()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void WindowKeeper::bring(const FileWindow& window) {
  if (thread_.running()) put({window.bytes(), window.size(), {}});
}

void WindowKeeper::drop(FileWindow&& window) {
  if (thread_.running())
    put({nullptr, 0, std::move(window)});
  else
    window = FileWindow();
}

void WindowKeeper::put(Task&& task) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return tasks_.size() < kMaxTasks; });
  const bool idle = tasks_.empty();
  tasks_.push_back(std::move(task));
  if (idle) asked_.notify_one();
}

void WindowKeeper::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    asked_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
    if (stop_) return;
    {
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      done_.notify_one();
      for (size_t at = 0; at < task.size; at += kAround)
        static_cast<void>(*static_cast<const volatile char*>(task.bytes + at));
    }
    lock.lock();
  }
}

}  // namespace aiflame
