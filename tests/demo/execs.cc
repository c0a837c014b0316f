// SPDX-License-Identifier: MIT
// execs N [PROGRAM [ARGUMENT…]]: launches a kernel N times on the first OpenCL device, each for
// some tens of milliseconds, and executes PROGRAM in its own place.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "tests/demo/opencl.h"

namespace {

constexpr const char* kSource =
    "kernel void spin(global uint* out, uint rounds) {\n"
    "  uint sum = get_global_id(0);\n"
    "  for (uint i = 0; i < rounds; ++i) sum = sum * 1664525u + 1013904223u;\n"
    "  out[get_global_id(0)] = sum;\n"
    "}\n";
constexpr size_t kItems = 64;

void launch(int count) {
  cl_device_id device = opencl::find_device("", "");
  const opencl::Context context = opencl::make_context(device);
  const opencl::Queue queue = opencl::make_profiling_queue(context, device);
  const opencl::Kernel kernel =
      opencl::make_kernel(opencl::build_text(context, device, kSource), "spin");
  cl_int status = CL_SUCCESS;
  const opencl::Buffer out(
      clCreateBuffer(context.get(), CL_MEM_WRITE_ONLY, kItems * sizeof(cl_uint), nullptr, &status));
  opencl::check(status, "clCreateBuffer");
  opencl::set_argument(kernel, 0, out.get());
  opencl::set_argument(kernel, 1, cl_uint{100000});
  for (int i = 0; i < count; ++i) {
    opencl::check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &kItems, nullptr, 0,
                                         nullptr, nullptr),
                  "clEnqueueNDRangeKernel");
    opencl::check(clFinish(queue.get()), "clFinish");
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) return 2;
    launch(std::atoi(argv[1]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "execs: %s\n", error.what());
    return 1;
  }
  if (argc == 2) return 0;
  execv(argv[2], argv + 2);
  std::perror("execs");
  return 1;
}
