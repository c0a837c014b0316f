// SPDX-License-Identifier: MIT
// A thread that brings the pages of file windows in before they are read, and gives them back
// afterwards: for who reads a file once, from beginning to end, that is a fifth of the time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

#include "libcommon/io/file_window.h"

namespace aiflame {

class WindowKeeper {
 public:
  // Where no thread is to be had, pages come as they are read.
  WindowKeeper();
  ~WindowKeeper();
  WindowKeeper(const WindowKeeper&) = delete;
  WindowKeeper& operator=(const WindowKeeper&) = delete;

  // A window, which goes through drop() later, or outlives this.
  void bring(const FileWindow& window);
  // Waits where too many have not yet been given back.
  void drop(FileWindow&& window);

 private:
  struct Task {
    char* bytes = nullptr;  // to be brought
    size_t size = 0;
    FileWindow dropped;
  };
  void put(Task&& task);
  void run();

  std::mutex mutex_;
  std::condition_variable asked_, done_;
  std::deque<Task> tasks_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace aiflame
