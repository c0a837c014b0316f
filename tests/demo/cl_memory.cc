// SPDX-License-Identifier: MIT
// cl_memory: plants allocations of device memory, and says what they are:
//
//   $ cl_memory
//   step 0 5012.004000123 5065577
//   …
//   peak 13786732
//   end 5310777
//   allocations 65
//   frees 44
//
// keep_weights() is there from the start to the end. Each of 20 steps has its activations, which a
// command still uses as the program releases them, and leaks a buffer; step 10 has a peak in its
// middle. What is no allocation must not count: views, references, memory of the program's own.
//
// With $CL_MEMORY, a FIFO, it prints "ready" once it has its weights, waits for that FIFO's end
// before the first step, and frees the weights at its own end. A buffer that it frees at once lets
// the agent look for a recorder, which it does ten times a second at most.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <vector>

// the demos' header asks for an older version of OpenCL
#undef CL_TARGET_OPENCL_VERSION
#include "tests/demo/opencl.h"
#include "tests/demo/planted_memory.h"

namespace {

constexpr uint64_t kSteps = 20, kPeakStep = 10;

demo::PlantedMemory planted;
opencl::Context context;
opencl::Queue queue;

cl_mem allocate(size_t bytes) {
  cl_int status = CL_SUCCESS;
  cl_mem made = clCreateBuffer(context.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status);
  opencl::check(status, "clCreateBuffer");
  planted.allocated(bytes);
  return made;
}

void release(cl_mem memory, size_t bytes) {
  opencl::check(clReleaseMemObject(memory), "clReleaseMemObject");
  planted.freed(bytes);
}

std::atomic<bool> is_gone{false};

void CL_CALLBACK note_end(cl_mem, void*) {
  is_gone = true;
  is_gone.notify_one();
}

void wait_for_end_of(const char* fifo) {
  std::puts("ready");
  std::fflush(stdout);
  std::ifstream(fifo).ignore(std::numeric_limits<std::streamsize>::max());
  const timespec moment{0, 200000000};
  nanosleep(&moment, nullptr);
  release(allocate(1), 1);
}

}  // namespace

// Functions that are distinct in a profile.

[[gnu::noinline]] cl_mem keep_weights() {
  cl_mem made = allocate(demo::kWeights);
  asm volatile("");
  return made;
}

[[gnu::noinline]] void leak_a_buffer() {
  (void)allocate(demo::kLeak);  // nobody has it any more
  asm volatile("");
}

[[gnu::noinline]] void use_activations() {
  cl_mem made = allocate(demo::kActivations);
  const cl_uchar zero = 0;
  opencl::check(clEnqueueFillBuffer(queue.get(), made, &zero, sizeof zero, 0, demo::kActivations, 0,
                                    nullptr, nullptr),
                "clEnqueueFillBuffer");
  is_gone = false;
  opencl::check(clSetMemObjectDestructorCallback(made, note_end, nullptr),
                "clSetMemObjectDestructorCallback");
  opencl::check(clRetainMemObject(made), "clRetainMemObject");
  opencl::check(clReleaseMemObject(made), "clReleaseMemObject");  // not the last reference
  release(made, demo::kActivations);
  opencl::check(clFinish(queue.get()), "clFinish");
  // the platform's threads may still refer to it for some time
  is_gone.wait(false);
  demo::PlantedMemory::pause();
  asm volatile("");
}

[[gnu::noinline]] void have_a_peak() {
  cl_mem made = allocate(demo::kPeak);
  const cl_buffer_region region = {0, 4096};
  cl_int status = CL_SUCCESS;
  cl_mem view =
      clCreateSubBuffer(made, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  opencl::check(status, "clCreateSubBuffer");
  opencl::check(clReleaseMemObject(view), "clReleaseMemObject");
  release(made, demo::kPeak);
  asm volatile("");
}

// Shared virtual memory and an image, each freed at once, below the peak.
[[gnu::noinline]] void have_others() {
  constexpr size_t kShared = 30011, kSide = 64;
  void* shared = clSVMAlloc(context.get(), CL_MEM_READ_WRITE, kShared, 0);
  if (shared == nullptr) throw std::runtime_error("clSVMAlloc failed");
  planted.allocated(kShared);
  clSVMFree(context.get(), shared);
  planted.freed(kShared);
  std::vector<unsigned char> own(4096);
  cl_int status = CL_SUCCESS;
  cl_mem view = clCreateBuffer(context.get(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, own.size(),
                               own.data(), &status);
  opencl::check(status, "clCreateBuffer");
  opencl::check(clReleaseMemObject(view), "clReleaseMemObject");
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = kSide;
  cl_mem image =
      clCreateImage(context.get(), CL_MEM_READ_WRITE, &format, &description, nullptr, &status);
  opencl::check(status, "clCreateImage");
  planted.allocated(kSide * kSide * 4);
  release(image, kSide * kSide * 4);
  asm volatile("");
}

int main() {
  try {
    const cl_device_id device = opencl::find_device("", "");
    context = opencl::make_context(device);
    queue = opencl::make_profiling_queue(context, device);
    cl_mem weights = keep_weights();
    const char* fifo = std::getenv("CL_MEMORY");
    if (fifo != nullptr) wait_for_end_of(fifo);
    for (uint64_t step = 0; step < kSteps; ++step) {
      use_activations();
      if (step == kPeakStep) have_a_peak();
      have_others();
      leak_a_buffer();
      planted.step(step);
    }
    if (fifo != nullptr) release(weights, demo::kWeights);
    planted.print();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cl_memory: %s\n", error.what());
    return 1;
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
