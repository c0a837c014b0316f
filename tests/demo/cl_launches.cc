// SPDX-License-Identifier: MIT
// cl_launches MODE …: an OpenCL program that launches kernels of SPIR-V modules, read from files,
// on a device that compiles them. It is the counterpart of ze_launches. The kernels are
// matmul.cl's.
//
//   files BASIC LOCAL TILED [N]   launches each of the three kernels N times, each from a function
//                                 of its own
//   shared FILE N                 N rounds: the file's kernel three times from run_thrice() and
//                                 once from run_once()
//   hot FILE BITS SECONDS         run_hot() launches the kernel of hot.cl, source or SPIR-V, on a
//                                 table of 2^BITS entries, once and then for SECONDS
//   reload FILE N                 N times: makes the program, launches its kernel once, and
//                                 releases the program
//
// With $CL_LAUNCHED, a FIFO, it waits for that FIFO's end after the last launch.
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/demo/hot_table.h"

// the demos' header asks for an older version of OpenCL
#undef CL_TARGET_OPENCL_VERSION
#include "tests/demo/opencl.h"

namespace {

cl_device_id device;
opencl::Context context;
opencl::Queue queue;
opencl::Buffer memory;  // nothing is computed in it

// The kernel of a SPIR-V module in a file. It owns its program.
opencl::Kernel kernel_in(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::string il{std::istreambuf_iterator<char>(in), {}};
  cl_int status = CL_SUCCESS;
  const opencl::Program program(
      clCreateProgramWithIL(context.get(), il.data(), il.size(), &status));
  opencl::check(status, "clCreateProgramWithIL");
  // Debian 12's driver needs these options to emit ELF code, the only kind that newer drivers emit
  opencl::check(
      clBuildProgram(program.get(), 1, &device, "-g -cl-intel-allow-zebin", nullptr, nullptr),
      "clBuildProgram");
  opencl::Kernel kernel;
  opencl::check(clCreateKernelsInProgram(program.get(), 1, kernel.out(), nullptr),
                "clCreateKernelsInProgram");
  return kernel;
}

// The same kernel, with its arguments set.
opencl::Kernel kernel_of(const char* path) {
  opencl::Kernel kernel = kernel_in(path);
  for (cl_uint i = 0; i < 3; ++i) opencl::set_argument(kernel, i, memory.get());
  opencl::set_argument(kernel, 3, cl_uint{16});
  return kernel;
}

void launch(const opencl::Kernel& kernel) {
  const size_t items[] = {16, 16};
  opencl::check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 2, nullptr, items, items, 0,
                                       nullptr, nullptr),
                "clEnqueueNDRangeKernel");
}

}  // namespace

// Functions that are distinct in a profile.

[[gnu::noinline]] void run_basic(const opencl::Kernel& kernel) {
  launch(kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_local(const opencl::Kernel& kernel) {
  launch(kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_tiled(const opencl::Kernel& kernel) {
  launch(kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_hot(const opencl::Kernel& kernel) {
  const size_t items = demo::kHotItems, group = 32;
  opencl::check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &items, &group, 0,
                                       nullptr, nullptr),
                "clEnqueueNDRangeKernel");
  asm volatile("");
}

[[gnu::noinline]] void run_thrice(const opencl::Kernel& kernel) {
  for (int i = 0; i < 3; ++i) launch(kernel);
  asm volatile("");
}

[[gnu::noinline]] void run_once(const opencl::Kernel& kernel) {
  launch(kernel);
  asm volatile("");
}

namespace {

void files(const char* basic, const char* local, const char* tiled, uint64_t times) {
  const opencl::Kernel kernels[] = {kernel_of(basic), kernel_of(local), kernel_of(tiled)};
  for (uint64_t i = 0; i < times; ++i) {
    run_basic(kernels[0]);
    run_local(kernels[1]);
    run_tiled(kernels[2]);
  }
  opencl::check(clFinish(queue.get()), "clFinish");
}

void shared(const char* path, uint64_t rounds) {
  const opencl::Kernel kernel = kernel_of(path);
  for (uint64_t i = 0; i < rounds; ++i) {
    run_thrice(kernel);
    run_once(kernel);
  }
  opencl::check(clFinish(queue.get()), "clFinish");
}

void reload(const char* path, uint64_t times) {
  for (uint64_t i = 0; i < times; ++i) {
    const opencl::Kernel kernel = kernel_of(path);
    run_once(kernel);
    opencl::check(clFinish(queue.get()), "clFinish");
  }
}

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void hot(const std::string& path, unsigned bits, double seconds) {
  opencl::Kernel kernel;
  if (path.ends_with(".cl"))
    kernel = opencl::make_kernel(opencl::build_program(context, device, path, "-g"), "hot");
  else
    kernel = kernel_in(path.c_str());
  std::vector<cl_uint> table(size_t{1} << bits);
  demo::fill_hot_table(table.data(), 1u << bits);
  cl_int status = CL_SUCCESS;
  const opencl::Buffer next(clCreateBuffer(context.get(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                           table.size() * sizeof(cl_uint), table.data(), &status));
  opencl::check(status, "clCreateBuffer");
  const opencl::Buffer out(clCreateBuffer(context.get(), CL_MEM_WRITE_ONLY,
                                          demo::kHotItems * sizeof(cl_uint), nullptr, &status));
  opencl::check(status, "clCreateBuffer");
  opencl::set_argument(kernel, 0, next.get());
  opencl::set_argument(kernel, 1, out.get());
  opencl::set_argument(kernel, 2, cl_uint{demo::kHotSteps});
  const double end = now() + seconds;
  do {
    run_hot(kernel);
    opencl::check(clFinish(queue.get()), "clFinish");
  } while (now() < end);
}

void launched() {
  std::puts("done");
  std::fflush(stdout);
  if (const char* fifo = std::getenv("CL_LAUNCHED"); fifo != nullptr)
    std::ifstream(fifo).ignore(std::numeric_limits<std::streamsize>::max());
}

uint64_t number(const char* text) {
  return std::strtoull(text, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    device = opencl::find_device("", mode == "hot" ? "gpu" : "");
    context = opencl::make_context(device);
    queue = opencl::make_profiling_queue(context, device);
    cl_int status = CL_SUCCESS;
    memory =
        opencl::Buffer(clCreateBuffer(context.get(), CL_MEM_READ_WRITE, 1024, nullptr, &status));
    opencl::check(status, "clCreateBuffer");
    if (mode == "files" && argc > 4)
      files(argv[2], argv[3], argv[4], argc > 5 ? number(argv[5]) : 1);
    else if (mode == "shared" && argc > 3)
      shared(argv[2], number(argv[3]));
    else if (mode == "hot" && argc > 4)
      hot(argv[2], static_cast<unsigned>(number(argv[3])), std::strtod(argv[4], nullptr));
    else if (mode == "reload" && argc > 3)
      reload(argv[2], number(argv[3]));
    else
      return 2;
    launched();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cl_launches: %s\n", error.what());
    return 1;
  }
}
