// SPDX-License-Identifier: MIT
// forks: launches kernels, forks, and launches from both processes. It runs on the do-nothing
// platform of tests/fakes/opencl-null, which has no threads that a fork would lose. Prints
//   parent PID
//   child PID
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "tests/demo/opencl.h"

namespace {

void launch(cl_command_queue queue, cl_kernel kernel, int times) {
  const size_t items = 1;
  for (int i = 0; i < times; ++i)
    opencl::check(
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel");
  opencl::check(clFinish(queue), "clFinish");
}

}  // namespace

int main() {
  const cl_device_id device = opencl::find_device("", "");
  const opencl::Context context = opencl::make_context(device);
  const opencl::Program program = opencl::build_text(context, device, "");
  const opencl::Kernel kernel = opencl::make_kernel(program, "scale");
  const opencl::Queue queue = opencl::make_profiling_queue(context, device);
  launch(queue.get(), kernel.get(), 3);
  std::printf("parent %d\n", getpid());
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    launch(queue.get(), kernel.get(), 5);
    _exit(0);
  }
  std::printf("child %d\n", child);
  int child_status = 1;
  waitpid(child, &child_status, 0);
  launch(queue.get(), kernel.get(), 2);
  return child_status;
}
