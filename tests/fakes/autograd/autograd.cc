// SPDX-License-Identifier: MIT
// Stands in for PyTorch's engine of backward passes: a thread of its own, which lasts, launches a
// kernel for the thread that calls, and that one waits meanwhile. Used by
// tests/demo/python_launches.py.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace {

class Worker {
 public:
  explicit Worker(const std::string& name) : thread_([this] { work(); }) {
    pthread_setname_np(thread_.native_handle(), name.c_str());
    thread_.detach();
  }

  void run(std::function<void()> task) {
    std::unique_lock lock(mutex_);
    task_ = std::move(task);
    is_done_ = false;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_done_; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return task_ != nullptr; });
      lock.unlock();
      task_();
      lock.lock();
      task_ = nullptr;
      is_done_ = true;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;
  bool is_done_ = false;
  std::thread thread_;  // the last member: it uses the others
};

Worker& worker_of(const std::string& name) {
  // never destroyed: its thread lasts
  static auto& workers = *new std::map<std::string, std::unique_ptr<Worker>>;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  auto& made = workers[name];
  if (made == nullptr) made = std::make_unique<Worker>(name);
  return *made;
}

std::atomic<int> begun{0}, ended{0};

}  // namespace

// The thread of this name launches three times. It begins when `callers` calls wait, and they all
// end together.
extern "C" __attribute__((visibility("default"))) void run_backward(const char* name, int callers,
                                                                    cl_command_queue queue,
                                                                    cl_kernel kernel) {
  worker_of(name).run([=] {
    const int before = begun.fetch_add(1) / callers * callers;
    while (begun.load() < before + callers) std::this_thread::yield();
    const size_t size = 1;
    for (int i = 0; i < 3; ++i)
      clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr);
    ended.fetch_add(1);
    while (ended.load() < before + callers) std::this_thread::yield();
  });
}

// The thread of this name calls `hook`, as it does for functions of autograd that are in Python.
extern "C" __attribute__((visibility("default"))) void run_hook(const char* name, void (*hook)()) {
  worker_of(name).run(hook);
}
