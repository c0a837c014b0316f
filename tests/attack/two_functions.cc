// SPDX-License-Identifier: MIT
// two_functions early | late | all SECONDS
//
// An OpenCL program in which each of two functions launches one kernel: forces() launches `forces`,
// which takes three quarters of the time, and integrate() launches `integrate`. Nothing waits
// between the launches, so that several are queued. When the device is ready it prints "ready" and
// waits for a line on standard input. The kernels are created
//
//   early   before that: who comes later cannot know their names
//   late    after that, by clCreateKernel
//   all     after that, by clCreateKernelsInProgram, which tells no names: it asks for them
//
// Prints "made COUNT", its launches, at the end.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

cl_command_queue queue;
cl_program program;
cl_mem memory;
cl_kernel forces_kernel, integrate_kernel;
unsigned long made = 0;

void check(cl_int status) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "two_functions: OpenCL status %d\n", status);
  std::exit(1);
}

void set_arguments(cl_kernel kernel, cl_int rounds) {
  check(clSetKernelArg(kernel, 0, sizeof memory, &memory));
  check(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
}

void create_kernels(bool all) {
  if (!all) {
    forces_kernel = clCreateKernel(program, "forces", nullptr);
    integrate_kernel = clCreateKernel(program, "integrate", nullptr);
  } else {
    cl_kernel kernels[2] = {};
    check(clCreateKernelsInProgram(program, 2, kernels, nullptr));
    for (cl_kernel kernel : kernels) {
      char name[64] = "";
      check(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr));
      (std::strcmp(name, "forces") == 0 ? forces_kernel : integrate_kernel) = kernel;
    }
  }
  set_arguments(forces_kernel, 300000);
  set_arguments(integrate_kernel, 100000);
}

[[gnu::always_inline]] inline void launch(cl_kernel kernel) {
  const size_t items = 64;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  ++made;
}

[[gnu::noinline]] void forces() {
  launch(forces_kernel);
  asm volatile("# forces" ::: "memory");
}
[[gnu::noinline]] void integrate() {
  launch(integrate_kernel);
  asm volatile("# integrate" ::: "memory");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string when = argv[1];
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  check(clGetPlatformIDs(1, &platform, nullptr));
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  queue = clCreateCommandQueue(context, device, 0, nullptr);
  const char* source =
      "kernel void forces(global float* a, int rounds) { float f = a[get_global_id(0)];"
      "  for (int i = 0; i < rounds; ++i) f = f * 1.0001f + 0.5f; a[get_global_id(0)] = f; }"
      "kernel void integrate(global float* a, int rounds) { float f = a[get_global_id(0)];"
      "  for (int i = 0; i < rounds; ++i) f = f * 1.0001f + 0.5f; a[get_global_id(0)] = f; }";
  program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  check(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
  memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, nullptr, nullptr);
  if (when == "early") create_kernels(false);
  std::puts("ready");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 1;
  if (when != "early") create_kernels(when == "all");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 8; ++i) {
      forces();
      integrate();
    }
    check(clFinish(queue));
  }
  std::printf("made %lu\n", made);
  return 0;
}
