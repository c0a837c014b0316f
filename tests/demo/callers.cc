// SPDX-License-Identifier: MIT
// callers: launches one kernel from two host functions, one with three times the work of the other,
// and says how much device time each of them took:
//
//   $ callers threads
//   function   launches    device_s   share_%
//   run_heavy       150    2.251034     75.02
//   run_light       150    0.749512     24.98
//   overlapped 0.749 s
//   waited 0.012 s of 3.058 s for a core (0.39 %)
//
// `turn` launches from both in turn through one queue; `threads` from two threads at once, each
// with a queue of its own. A launch is one work-group, so that it keeps one core of a CPU device
// busy for exactly as long as its event says, also while another launch runs on another core.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/demo/core_time.h"
#include "tests/demo/opencl.h"

using Launches = std::vector<opencl::Interval>;

struct Work {
  opencl::Context context;
  opencl::Program program;
  opencl::Buffer out;
  cl_uint iterations = 0;  // of the light function
};

namespace {

constexpr size_t kItems = 64;
constexpr cl_uint kRatio = 3;
constexpr uint64_t kLaunches = 150;
constexpr double kLightSeconds = 0.005;  // half of the recorder's slice, so slices have both

opencl::Kernel make_kernel(const Work& work, cl_uint iterations) {
  opencl::Kernel kernel = opencl::make_kernel(work.program, "iterate");
  opencl::set_argument(kernel, 0, work.out.get());
  opencl::set_argument(kernel, 1, iterations);
  return kernel;
}

opencl::Interval finish(const opencl::Event& event) {
  const cl_event pending = event.get();
  opencl::check(clWaitForEvents(1, &pending), "clWaitForEvents");
  return opencl::device_interval(event);
}

}  // namespace

// The two callers. They differ only in their work, but they are two functions, because a profile
// has to tell them apart.

[[gnu::noinline]] void run_heavy(const Work& work, const opencl::Queue& queue, uint64_t times,
                                 Launches& launches) {
  const opencl::Kernel kernel = make_kernel(work, kRatio * work.iterations);
  for (uint64_t i = 0; i < times; ++i) {
    opencl::Event event;
    opencl::check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &kItems, &kItems, 0,
                                         nullptr, event.out()),
                  "clEnqueueNDRangeKernel");
    launches.push_back(finish(event));
  }
}

[[gnu::noinline]] void run_light(const Work& work, const opencl::Queue& queue, uint64_t times,
                                 Launches& launches) {
  const opencl::Kernel kernel = make_kernel(work, work.iterations);
  for (uint64_t i = 0; i < times; ++i) {
    opencl::Event event;
    opencl::check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &kItems, &kItems, 0,
                                         nullptr, event.out()),
                  "clEnqueueNDRangeKernel");
    launches.push_back(finish(event));
  }
}

namespace {

double seconds(const opencl::Interval& launch) {
  return static_cast<double>(launch.end - launch.start) * 1e-9;
}

double total(const Launches& launches) {
  double sum = 0;
  for (const opencl::Interval& launch : launches) sum += seconds(launch);
  return sum;
}

// How long launches of both lists ran at once. Within a list they are in order and do not overlap.
double overlap(const Launches& one, const Launches& other) {
  double sum = 0;
  for (size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const cl_ulong start = std::max(one[i].start, other[j].start);
    const cl_ulong end = std::min(one[i].end, other[j].end);
    if (end > start) sum += static_cast<double>(end - start) * 1e-9;
    one[i].end < other[j].end ? ++i : ++j;
  }
  return sum;
}

void print_row(const char* function, const Launches& launches, double all) {
  const double own = total(launches);
  std::printf("%-10s %8zu %11.6f %9.2f\n", function, launches.size(), own, 100 * own / all);
}

void call(std::string_view mode, const std::string& source, const std::string& options) {
  const cl_device_id device = opencl::find_device("", "");
  Work work;
  work.context = opencl::make_context(device);
  const opencl::Queue queue = opencl::make_profiling_queue(work.context, device);
  const opencl::Queue second = opencl::make_profiling_queue(work.context, device);
  work.program = opencl::build_program(work.context, device, source, options);
  cl_int status = CL_SUCCESS;
  work.out = opencl::Buffer(clCreateBuffer(work.context.get(), CL_MEM_WRITE_ONLY,
                                           kItems * sizeof(float), nullptr, &status));
  opencl::check(status, "clCreateBuffer");

  Launches heavy;
  Launches light;
  // The first launch loads the kernel. The second one's time gives the iterations for
  // kLightSeconds.
  work.iterations = 10000;
  run_light(work, queue, 2, light);
  work.iterations = static_cast<cl_uint>(
      std::clamp(10000 * kLightSeconds / std::max(seconds(light.back()), 1e-7), 100.0, 1e9));

  const demo::CoreTime before = demo::core_time();
  if (mode == "turn") {
    for (uint64_t i = 0; i < kLaunches; ++i) {
      run_heavy(work, queue, 1, heavy);
      run_light(work, queue, 1, light);
    }
  } else {
    std::exception_ptr failure;
    std::thread other([&] {
      try {
        run_light(work, second, kLaunches, light);
      } catch (...) {
        failure = std::current_exception();
      }
    });
    try {
      run_heavy(work, queue, kLaunches, heavy);
    } catch (...) {
      other.join();
      throw;
    }
    other.join();
    if (failure) std::rethrow_exception(failure);
  }
  const double all = total(heavy) + total(light);
  std::printf("%-10s %8s %11s %9s\n", "function", "launches", "device_s", "share_%");
  print_row("run_heavy", heavy, all);
  print_row("run_light", light, all);
  std::printf("overlapped %.3f s\n", overlap(heavy, light));
  demo::print_waited(before);
}

constexpr const char* kUsage = "usage: callers turn|threads [BUILD OPTIONS [SOURCE FILE]]\n";

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (argc > 4 || (mode != "turn" && mode != "threads")) {
    std::fputs(kUsage, mode == "--help" ? stdout : stderr);
    return mode == "--help" ? 0 : 2;
  }
  try {
    call(mode, argc > 3 ? argv[3] : opencl::beside_executable("callers.cl"),
         argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "callers: %s\n", error.what());
    return 1;
  }
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "callers: write error: %s\n", std::strerror(errno));
    return 1;
  }
}
