// SPDX-License-Identifier: MIT
// idle_causes [ROUNDS]: an OpenCL program whose device is idle for known times and reasons. In each
// round it runs kernels, and between them makes the device wait, in functions named after the
// cause. It prints, by its own clocks, how long each took in nanoseconds:
//
//   window 1412345678      from the begin of the first work to the end of the last
//   waits 240012345        …of which its thread waited in clWaitForEvents and nothing was queued
//   copies 240012345       …it was inside of a copy that waited
//   latency 240012345      …a kernel was queued and did not begin
//   runtime 180012345      …it compiled a kernel that is not launched
//   host 240012345         …it slept
//   kernels 123456789      the kernels ran, and copies of memory
//   copying 12345678
//
// Each cause lasts for kPause or a little longer: the program measures it.
//
// idle_causes --operations: does everything that a queue runs beside kernels, once.
// idle_causes --computes: between kernels the thread computes; `host` is how long.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

// the demos' header asks for an older version of OpenCL
#undef CL_TARGET_OPENCL_VERSION
#include "tests/demo/opencl.h"

namespace {

constexpr uint64_t kPause = 60000000;  // ns
constexpr size_t kBytes = size_t{64} << 20;
constexpr int kRounds = 4;

// A kernel that no cache has: `seed` is part of its code.
std::string source(uint64_t seed) {
  return "__kernel void work(__global float* out, uint rounds) {"
         "  float x = get_global_id(0);"
         "  for (uint i = 0; i < rounds; ++i) x = x * 0.999f + " +
         std::to_string(seed % 1000000) +
         ".5f;"
         "  out[get_global_id(0)] = x;"
         "}";
}

opencl::Context context;
opencl::Queue queue;
cl_device_id device;
opencl::Buffer memory;
std::vector<char> host(kBytes);
uint64_t waits, copies, latency, runtime, slept, kernels, copying;
uint64_t first, last;  // of the device's clock

uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

void sleep_for(uint64_t ns) {
  timespec time{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  while (nanosleep(&time, &time) != 0) {
  }
}

// When a finished command ran. It is part of the device's window.
opencl::Interval ran(const opencl::Event& event, uint64_t& sum) {
  const opencl::Interval interval = opencl::device_interval(event);
  if (first == 0) first = interval.start;
  last = interval.end;
  sum += interval.end - interval.start;
  return interval;
}

opencl::Event launch(const opencl::Kernel& kernel, cl_uint waited_for, const cl_event* events) {
  const size_t items = 256;
  opencl::Event event;
  opencl::check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &items, &items,
                                       waited_for, events, event.out()),
                "clEnqueueNDRangeKernel");
  return event;
}

void finish() {
  opencl::check(clFinish(queue.get()), "clFinish");
}

// An event that another thread completes after kPause.
class LateEvent {
 public:
  LateEvent() {
    cl_int status = CL_SUCCESS;
    event_ = opencl::Event(clCreateUserEvent(context.get(), &status));
    opencl::check(status, "clCreateUserEvent");
    completes_ = std::thread([this] {
      sleep_for(kPause);
      clSetUserEventStatus(event_.get(), CL_COMPLETE);
    });
  }
  ~LateEvent() { completes_.join(); }
  LateEvent(const LateEvent&) = delete;
  LateEvent& operator=(const LateEvent&) = delete;
  cl_event get() const { return event_.get(); }

 private:
  opencl::Event event_;
  std::thread completes_;
};

}  // namespace

// Functions that are distinct in a profile. Each is entered with an idle device.

__attribute__((noinline)) void run_kernel(const opencl::Kernel& kernel) {
  const opencl::Event event = launch(kernel, 0, nullptr);
  finish();
  ran(event, kernels);
}

__attribute__((noinline)) void sleeps() {
  const uint64_t begin = now();
  sleep_for(kPause);
  slept += now() - begin;
}

__attribute__((noinline)) void computes() {
  const uint64_t begin = now();
  while (now() - begin < kPause) {
  }
  slept += now() - begin;
}

__attribute__((noinline)) void waits_for_event() {
  const LateEvent late;
  const cl_event event = late.get();
  const uint64_t begin = now();
  opencl::check(clWaitForEvents(1, &event), "clWaitForEvents");
  waits += now() - begin;
}

// The copy does not begin before the event is complete.
__attribute__((noinline)) void copies_late() {
  const LateEvent late;
  const cl_event event = late.get();
  opencl::Event copied;
  const uint64_t begin = now();
  opencl::check(clEnqueueWriteBuffer(queue.get(), memory.get(), CL_TRUE, 0, kBytes, host.data(), 1,
                                     &event, copied.out()),
                "clEnqueueWriteBuffer");
  const uint64_t took = now() - begin;
  const opencl::Interval interval = ran(copied, copying);
  copies += took - (interval.end - interval.start);
}

__attribute__((noinline)) void compiles() {
  // some compilations, as one alone may be short
  for (const uint64_t until = now() + kPause; now() < until;) {
    const std::string text = source(now());
    const char* pointer = text.c_str();
    cl_int status = CL_SUCCESS;
    const opencl::Program program(
        clCreateProgramWithSource(context.get(), 1, &pointer, nullptr, &status));
    opencl::check(status, "clCreateProgramWithSource");
    const uint64_t begin = now();
    status = clBuildProgram(program.get(), 1, &device, "", nullptr, nullptr);
    runtime += now() - begin;
    opencl::check(status, "clBuildProgram");
  }
}

__attribute__((noinline)) void launches_late(const opencl::Kernel& kernel) {
  const LateEvent late;
  const cl_event event = late.get();
  const opencl::Event launched = launch(kernel, 1, &event);
  const uint64_t begin = now();
  finish();
  const uint64_t took = now() - begin;
  const opencl::Interval interval = ran(launched, kernels);
  latency += took - (interval.end - interval.start);
}

void operations() {
  cl_command_queue on = queue.get();
  std::vector<char> space(65536);
  char* const bytes = space.data();
  const size_t origin[3] = {}, region[] = {256, 256, 1};
  const auto check = [](cl_int status) { opencl::check(status, "an operation"); };
  check(clEnqueueWriteBuffer(on, memory.get(), CL_FALSE, 0, 65535, bytes, 0, nullptr, nullptr));
  check(clEnqueueFillBuffer(on, memory.get(), bytes, 4, 0, 4092, 0, nullptr, nullptr));
  check(clEnqueueCopyBuffer(on, memory.get(), memory.get(), 0, 4096, 64, 0, nullptr, nullptr));
  check(clEnqueueReadBufferRect(on, memory.get(), CL_FALSE, origin, origin, region, 256, 0, 256, 0,
                                bytes, 0, nullptr, nullptr));
  cl_int status = CL_SUCCESS;
  void* const mapped = clEnqueueMapBuffer(on, memory.get(), CL_FALSE, CL_MAP_READ, 0, 64, 0,
                                          nullptr, nullptr, &status);
  check(status);
  check(clEnqueueUnmapMemObject(on, memory.get(), mapped, 0, nullptr, nullptr));
  void* const shared = clSVMAlloc(context.get(), CL_MEM_READ_WRITE, 4096, 0);
  check(clEnqueueSVMMap(on, CL_FALSE, CL_MAP_WRITE, shared, 64, 0, nullptr, nullptr));
  check(clEnqueueSVMUnmap(on, shared, 0, nullptr, nullptr));
  check(clEnqueueSVMMemFill(on, shared, bytes, 4, 64, 0, nullptr, nullptr));
  check(clEnqueueSVMMemcpy(on, CL_FALSE, bytes, shared, 64, 0, nullptr, nullptr));
  finish();
  clSVMFree(context.get(), shared);
  check(clEnqueueReadBuffer(on, memory.get(), CL_TRUE, 0, 64, bytes, 0, nullptr, nullptr));
}

int main(int argc, char** argv) {
  try {
    const bool is_short = argc > 1 && std::string(argv[1]) == "--operations";
    const bool computes_only = argc > 1 && std::string(argv[1]) == "--computes";
    const int rounds = computes_only ? 0 : argc > 1 ? std::atoi(argv[1]) : kRounds;
    device = opencl::find_device("", "");
    context = opencl::make_context(device);
    queue = opencl::make_profiling_queue(context, device);
    cl_int status = CL_SUCCESS;
    memory =
        opencl::Buffer(clCreateBuffer(context.get(), CL_MEM_READ_WRITE, kBytes, nullptr, &status));
    opencl::check(status, "clCreateBuffer");
    if (is_short) {
      operations();
      return 0;
    }
    const opencl::Program program = opencl::build_text(context, device, source(1).c_str());
    const opencl::Kernel kernel = opencl::make_kernel(program, "work");
    opencl::set_argument(kernel, 0, memory.get());
    opencl::set_argument(kernel, 1, cl_uint{50000});
    run_kernel(kernel);
    for (int i = 0; computes_only && i < kRounds; ++i) {
      computes();
      run_kernel(kernel);
    }
    for (int i = 0; i < rounds; ++i) {
      sleeps();
      run_kernel(kernel);
      waits_for_event();
      run_kernel(kernel);
      copies_late();
      run_kernel(kernel);
      compiles();
      run_kernel(kernel);
      launches_late(kernel);
    }
    std::printf(
        "window %llu\nwaits %llu\ncopies %llu\nlatency %llu\nruntime %llu\nhost %llu\nkernels "
        "%llu\n"
        "copying %llu\n",
        static_cast<unsigned long long>(last - first), static_cast<unsigned long long>(waits),
        static_cast<unsigned long long>(copies), static_cast<unsigned long long>(latency),
        static_cast<unsigned long long>(runtime), static_cast<unsigned long long>(slept),
        static_cast<unsigned long long>(kernels), static_cast<unsigned long long>(copying));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "idle_causes: %s\n", error.what());
    return 1;
  }
}
