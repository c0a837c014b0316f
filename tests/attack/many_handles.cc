// SPDX-License-Identifier: MIT
// many_handles KERNELS PROCESSES
//
// Waits for a line on standard input. Then it creates KERNELS kernels, which it never releases, and
// launches each once. Then it forks PROCESSES processes, which end at once. Probes see more than a
// recorder can keep. Prints "ready" when it waits, and "made COUNT", its launches, at the end.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const long kernels = std::atol(argv[1]), processes = std::atol(argv[2]);
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
    return 1;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  const char* source = "kernel void work(global float* a) {}";
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  clBuildProgram(program, 1, &device, "", nullptr, nullptr);
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 1;
  long made = 0;
  for (long i = 0; i < kernels; ++i) {
    cl_kernel kernel = clCreateKernel(program, "work", nullptr);
    const size_t items = 1;
    if (clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr) ==
        CL_SUCCESS)
      ++made;
    if (i % 1000 == 999) clFinish(queue);
  }
  for (long i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, nullptr, 0);
  }
  std::printf("made %ld\n", made);
  return 0;
}
