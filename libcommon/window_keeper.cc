// SPDX-License-Identifier: MIT
#include "libcommon/window_keeper.h"

#include <sys/mman.h>

#include <utility>

#include "libcommon/parallel.h"

namespace aiflame {
namespace {

constexpr size_t kMaxTasks = 16;  // windows that nobody reads are memory in use

}  // namespace

WindowKeeper::WindowKeeper() : thread_(thread_elsewhere([this] { run(); })) {}

WindowKeeper::~WindowKeeper() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void WindowKeeper::bring(const FileWindow& window) {
  if (thread_.joinable()) put({window.bytes(), window.size(), {}});
}

void WindowKeeper::drop(FileWindow&& window) {
  if (thread_.joinable())
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
#ifdef MADV_POPULATE_READ
      // where it fails, pages come as they are read
      if (task.size > 0) madvise(task.bytes, task.size, MADV_POPULATE_READ);
#endif
    }
    lock.lock();
  }
}

}  // namespace aiflame
