// SPDX-License-Identifier: MIT
// cuda_rate: launches a small kernel at a given rate, like a program that has other work
// too, and prints what that took:
//
//   $ cuda_rate --rate 10000 --seconds 2
//   device: NAME, compute capability 9.0, N multiprocessors, N MHz
//   launches 20000
//   wall_s N.NNNNNN           of the loop, until the device has done all work
//   loop_cpu_s N.NNNNNN       processor time of the thread that launches
//   process_cpu_s N.NNNNNN    processor time of all threads
//   longest_tick_s N.NNNNNN   of the loop's milliseconds, the longest that launching took
//
// Once a millisecond it makes the launches that are due, and sleeps in between. What a profiler
// adds to a launch shows as processor time, and as wall time where the loop cannot keep up. All
// launches are made, however long it takes.
#include <cuda_runtime.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/demo/cuda_check.h"
#include "tests/demo/numbers.h"

__global__ void count_up(unsigned* counters) {
  counters[threadIdx.x] += 1;
}

namespace {

constexpr unsigned kThreads = 32;

uint64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

void sleep_until(uint64_t monotonic) {
  const timespec until{static_cast<time_t>(monotonic / 1000000000u),
                       static_cast<long>(monotonic % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

}  // namespace

// Returns the nanoseconds of the longest tick.
[[gnu::noinline]] uint64_t launch_paced(unsigned* counters, uint64_t rate, uint64_t launches) {
  constexpr uint64_t kTick = 1000000;
  const uint64_t begin = nanoseconds(CLOCK_MONOTONIC);
  uint64_t done = 0, longest = 0;
  for (uint64_t tick = 1; done < launches; ++tick) {
    const uint64_t due = rate * tick / 1000 < launches ? rate * tick / 1000 : launches;
    const uint64_t woken = nanoseconds(CLOCK_MONOTONIC);
    for (; done < due; ++done) count_up<<<1, kThreads>>>(counters);
    cuda::check(cudaGetLastError(), "launch");
    const uint64_t took = nanoseconds(CLOCK_MONOTONIC) - woken;
    longest = took > longest ? took : longest;
    sleep_until(begin + tick * kTick);
  }
  cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return longest;
}

namespace {

void run(uint64_t rate, uint64_t launches) {
  std::printf("device: %s\n", cuda::device_text().c_str());
  unsigned* counters = nullptr;
  cuda::check(cudaMalloc(&counters, kThreads * sizeof *counters), "cudaMalloc");
  cuda::check(cudaMemset(counters, 0, kThreads * sizeof *counters), "cudaMemset");
  // loads the kernel
  count_up<<<1, kThreads>>>(counters);
  cuda::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

  const uint64_t wall = nanoseconds(CLOCK_MONOTONIC);
  const uint64_t thread = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const uint64_t process = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  const uint64_t longest = launch_paced(counters, rate, launches);
  const auto since = [](uint64_t begin, clockid_t clock) {
    return static_cast<double>(nanoseconds(clock) - begin) * 1e-9;
  };
  const double process_s = since(process, CLOCK_PROCESS_CPUTIME_ID);
  const double thread_s = since(thread, CLOCK_THREAD_CPUTIME_ID);
  const double wall_s = since(wall, CLOCK_MONOTONIC);

  unsigned counted = 0;
  cuda::check(cudaMemcpy(&counted, counters, sizeof counted, cudaMemcpyDeviceToHost), "cudaMemcpy");
  if (counted != launches + 1)
    throw std::runtime_error("the device ran " + std::to_string(counted) + " of " +
                             std::to_string(launches + 1) + " launches");
  std::printf(
      "launches %ju\nwall_s %.6f\nloop_cpu_s %.6f\nprocess_cpu_s %.6f\nlongest_tick_s %.6f\n",
      static_cast<uintmax_t>(launches), wall_s, thread_s, process_s,
      static_cast<double>(longest) * 1e-9);
}

constexpr const char* kHelp =
    "usage: cuda_rate [options]\n"
    "Launches a small CUDA kernel at a steady rate and prints what that took.\n"
    "  --rate N          launches a second (default: 10000)\n"
    "  --seconds S       for so long (default: 2)\n"
    "  --launches N      so many, instead of --seconds\n"
    "  --help            this text\n";

}  // namespace

int main(int argc, char** argv) {
  uint64_t rate = 10000, seconds = 2, launches = 0;
  try {
    if (argc == 2 && std::strcmp(argv[1], "--help") == 0) return std::fputs(kHelp, stdout) < 0;
    for (int i = 1; i < argc; i += 2) {
      const std::string_view option = argv[i];
      if (i + 1 == argc) throw std::invalid_argument(std::string(option) + " needs a number");
      if (option == "--rate")
        rate = demo::parse_number(option, argv[i + 1], 10000000);
      else if (option == "--seconds")
        seconds = demo::parse_number(option, argv[i + 1], 400);  // counters are of 32 bits
      else if (option == "--launches")
        launches = demo::parse_number(option, argv[i + 1], 4000000000);
      else
        throw std::invalid_argument("unexpected '" + std::string(option) + "'");
    }
    run(rate, launches > 0 ? launches : rate * seconds);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "cuda_rate: %s; try 'cuda_rate --help'\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_rate: %s\n", error.what());
    return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
