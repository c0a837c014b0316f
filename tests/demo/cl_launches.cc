// SPDX-License-Identifier: MIT
// cl_launches MODE …: an OpenCL program that launches kernels of SPIR-V modules in files, on a
// device that compiles them; ze_launches' counterpart. They are the kernels of matmul.cl.
//
//   files BASIC LOCAL TILED [N]   N times the kernel of each, from a function of its own
//   shared FILE N                 N rounds: its kernel three times from run_thrice() and once from
//                                 run_once()
//   reload FILE N                 N times the program, one launch of its kernel, and the program
//                                 away
//
// With $CL_LAUNCHED it makes that file when all is launched, and stays for a second.
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

// the demos' header asks for less of OpenCL
#undef CL_TARGET_OPENCL_VERSION
#include "tests/demo/opencl.h"

namespace {

cl_device_id device;
opencl::Context context;
opencl::Queue queue;
opencl::Buffer memory;  // nothing is computed in it

// The kernel of a SPIR-V module in a file, with arguments to it. Its program goes when it does.
opencl::Kernel kernel_of(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::string il{std::istreambuf_iterator<char>(in), {}};
  cl_int status = CL_SUCCESS;
  const opencl::Program program(
      clCreateProgramWithIL(context.get(), il.data(), il.size(), &status));
  opencl::check(status, "clCreateProgramWithIL");
  // what the driver of Debian 12 needs for code in ELF files, which are the only kind since
  opencl::check(
      clBuildProgram(program.get(), 1, &device, "-g -cl-intel-allow-zebin", nullptr, nullptr),
      "clBuildProgram");
  opencl::Kernel kernel;
  opencl::check(clCreateKernelsInProgram(program.get(), 1, kernel.out(), nullptr),
                "clCreateKernelsInProgram");
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

// Functions that a profile tells apart.

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

void launched() {
  std::puts("done");
  std::fflush(stdout);
  if (const char* file = std::getenv("CL_LAUNCHED"); file != nullptr) {
    std::ofstream(file).close();
    sleep(1);
  }
}

uint64_t number(const char* text) {
  return std::strtoull(text, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  try {
    device = opencl::find_device("", "");
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
