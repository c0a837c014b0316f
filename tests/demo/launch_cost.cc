// SPDX-License-Identifier: MIT
// launch_cost: what one clEnqueueNDRangeKernel call costs the caller, from deep in a program that
// has no frame pointers. It is meant for a platform that does nothing (OCL_ICD_VENDORS), so that it
// measures only what stands between the program and the driver:
//
//   $ OCL_ICD_VENDORS=.../libopencl-null.so launch_cost
//   frames 34
//   threads 1
//   launches 1000000
//   median_ns 8.4
//   p99_ns 9.1
//
// The launches of a batch are timed together. The clFinish after each batch is not timed: there a
// profiler receives the ends of its launches.
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/demo/numbers.h"
#include "tests/demo/opencl.h"
#include "tests/demo/options.h"
#include "tests/fakes/opencl-null/opencl_null.h"

namespace {

constexpr size_t kMostFrames = 128;

struct Settings {
  uint64_t frames = 34;
  uint64_t threads = 1;
  uint64_t batches = 1000;
  uint64_t batch = 1000;
};

// One thread's launches, and what it measured.
struct Load {
  const Settings& settings;
  opencl::Queue queue;
  opencl::Kernel kernel;
  std::vector<double> ns_per_launch = {};  // by batch
  size_t frames = 0;                       // what backtrace(3) sees from the launching function
};

}  // namespace

// The innermost function: counts the frames above it, or times the batches.
[[gnu::noinline]] void launch_batches(Load& load, bool only_count) {
  std::array<void*, 2 * kMostFrames> stack{};
  load.frames = static_cast<size_t>(backtrace(stack.data(), static_cast<int>(stack.size())));
  if (only_count) return;
  const size_t global = 1;
  const cl_command_queue queue = load.queue.get();
  const cl_kernel kernel = load.kernel.get();
  load.ns_per_launch.reserve(load.settings.batches);
  for (uint64_t i = 0; i < load.settings.batches; ++i) {
    cl_int status = CL_SUCCESS;
    const auto start = std::chrono::steady_clock::now();
    for (uint64_t k = 0; k < load.settings.batch; ++k)
      status |=
          clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr);
    const std::chrono::duration<double, std::nano> passed =
        std::chrono::steady_clock::now() - start;
    load.ns_per_launch.push_back(passed.count() / static_cast<double>(load.settings.batch));
    opencl::check(status, "clEnqueueNDRangeKernel");
    opencl::check(clFinish(queue), "clFinish");
  }
}

// One distinct function for every level of the stack, so that a profiler's caches see many return
// addresses, as in a real program.
template <size_t level>
[[gnu::noinline]] void descend(Load& load, bool only_count) {
  if constexpr (level == 0)
    launch_batches(load, only_count);
  else
    descend<level - 1>(load, only_count);
  asm volatile("" ::: "memory");  // not a tail call: the frame stays
}

namespace {

using Descent = void (*)(Load&, bool);

template <size_t... levels>
constexpr std::array<Descent, sizeof...(levels)> descents(std::index_sequence<levels...>) {
  return {descend<levels>...};
}
constexpr auto kDescents = descents(std::make_index_sequence<kMostFrames>());

// Launches from as deep as the settings say, where depth is what a stack walk counts. It is never
// inlined, because its frame is counted too.
[[gnu::noinline]] void launch_from_depth(Load& load) {
  kDescents[0](load, true);
  const size_t least = load.frames;
  const size_t more = load.settings.frames > least ? load.settings.frames - least : 0;
  kDescents[std::min<size_t>(more, kMostFrames - 1)](load, false);
  asm volatile("" ::: "memory");  // not a tail call either
}

double percentile(const std::vector<double>& sorted, double fraction) {
  return sorted[static_cast<size_t>(fraction * static_cast<double>(sorted.size() - 1))];
}

void print_counts_of_null_platform(cl_device_id device) {
  cl_platform_id platform = nullptr;
  opencl::check(
      clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, nullptr),
      "clGetDeviceInfo");
  const auto counts = reinterpret_cast<opencl_null_counts_fn>(
      clGetExtensionFunctionAddressForPlatform(platform, "opencl_null_counts"));
  if (!counts) return;
  const OpenclNullCounts live = counts();
  std::printf(
      "null_contexts %jd\nnull_queues %jd\nnull_programs %jd\nnull_kernels %jd\n"
      "null_events %jd\nnull_launches %jd\nnull_callbacks %jd\n",
      live.contexts, live.queues, live.programs, live.kernels, live.events, live.launches,
      live.callbacks);
}

opencl::Queue make_queue(const opencl::Context& context, cl_device_id device) {
  cl_int status = CL_SUCCESS;
  opencl::Queue queue(clCreateCommandQueue(context.get(), device, 0, &status));
  opencl::check(status, "clCreateCommandQueue");
  return queue;
}

// Returns every thread's batches together, sorted.
std::vector<double> measure(const Settings& settings, cl_device_id device, size_t& frames) {
  const opencl::Context context = opencl::make_context(device);
  const opencl::Program program = opencl::build_text(context, device, "__kernel void empty() {}");

  std::vector<Load> loads;
  for (uint64_t i = 0; i < settings.threads; ++i)
    loads.push_back({settings, make_queue(context, device), opencl::make_kernel(program, "empty")});
  std::vector<std::exception_ptr> failures(loads.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < loads.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        launch_from_depth(loads[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);

  std::vector<double> all;
  for (const Load& load : loads)
    all.insert(all.end(), load.ns_per_launch.begin(), load.ns_per_launch.end());
  std::sort(all.begin(), all.end());
  frames = loads.front().frames;
  return all;
}

void report(const Settings& settings) {
  const cl_device_id device = opencl::find_device("", "");
  size_t frames = 0;
  const std::vector<double> sorted = measure(settings, device, frames);
  std::printf("frames %zu\nthreads %ju\nlaunches %ju\nmedian_ns %.1f\np99_ns %.1f\n", frames,
              static_cast<uintmax_t>(settings.threads),
              static_cast<uintmax_t>(settings.threads * settings.batches * settings.batch),
              percentile(sorted, 0.5), percentile(sorted, 0.99));
  print_counts_of_null_platform(device);
}

constexpr const char* kHelp =
    "usage: launch_cost [options]\n"
    "Measures what a clEnqueueNDRangeKernel call costs its caller.\n"
    "  --frames N    depth of the stack of the call (default: 34, at most 128)\n"
    "  --threads N   threads that launch at once, each into its own queue (default: 1)\n"
    "  --batches N   batches for each thread (default: 1000)\n"
    "  --batch N     launches timed together (default: 1000)\n"
    "  --help        this text\n";

// False when --help was asked for and printed.
bool parse_options(int argc, char** argv, Settings& settings) {
  static constexpr option kOptions[] = {
      {"frames", required_argument, nullptr, 'f'},  {"threads", required_argument, nullptr, 't'},
      {"batches", required_argument, nullptr, 'n'}, {"batch", required_argument, nullptr, 'b'},
      {"help", no_argument, nullptr, 'h'},          {nullptr, 0, nullptr, 0}};
  for (int choice; (choice = demo::next_option(argc, argv, kOptions, "launch_cost")) != -1;) {
    switch (choice) {
      case 'f':
        settings.frames = demo::parse_number("--frames", optarg, kMostFrames);
        break;
      case 't':
        settings.threads = demo::parse_number("--threads", optarg, 256);
        break;
      case 'n':
        settings.batches = demo::parse_number("--batches", optarg, 10000000);
        break;
      case 'b':
        settings.batch = demo::parse_number("--batch", optarg, 10000000);
        break;
      case 'h':
        std::fputs(kHelp, stdout);
        return false;
      default:
        std::abort();  // next_option() returns no other
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  try {
    if (!parse_options(argc, argv, settings)) return 0;
    report(settings);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "launch_cost: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "launch_cost: %s\n", error.what());
    return 1;
  }
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "launch_cost: write error: %s\n", std::strerror(errno));
    return 1;
  }
}
