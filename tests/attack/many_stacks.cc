// SPDX-License-Identifier: MIT
// many_stacks BITS [PROCESSES]
//
// An ordinary OpenCL program that launches from 2^BITS different call paths, and then a dozen times
// a kernel that takes a while: the samples are of these. With PROCESSES it does so in as many
// processes at the same time. Prints "made COUNT", the launches of all of them.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr unsigned kLong = 12;

// Small kernels on paths, then large ones.
class Device {
 public:
  void open() {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr));
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context, device, 0, nullptr);
    const char* source =
        "kernel void work(global float* a, int rounds) { float f = a[get_global_id(0)];"
        "  for (int i = 0; i < rounds; ++i) f = f * 1.0001f + 0.5f; a[get_global_id(0)] = f; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr));
    kernel_ = clCreateKernel(program, "work", nullptr);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, nullptr, nullptr);
    check(clSetKernelArg(kernel_, 0, sizeof memory, &memory));
    set_rounds(10);
  }
  void set_rounds(cl_int rounds) { check(clSetKernelArg(kernel_, 1, sizeof rounds, &rounds)); }
  void launch() {
    const size_t items = 64;
    check(
        clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &items, nullptr, 0, nullptr, nullptr));
  }
  void wait() { check(clFinish(queue_)); }

 private:
  static void check(cl_int status) {
    if (status == CL_SUCCESS) return;
    std::fprintf(stderr, "many_stacks: OpenCL status %d\n", status);
    _exit(1);
  }
  cl_command_queue queue_ = nullptr;
  cl_kernel kernel_ = nullptr;
};

Device device;
volatile int sink;

// A bit of the path chooses the function: there are as many stacks as paths.
[[gnu::noinline]] void right(unsigned depth, unsigned path);
[[gnu::noinline]] void left(unsigned depth, unsigned path) {
  if (depth == 0)
    device.launch();
  else if (path % 2 != 0)
    right(depth - 1, path >> 1);
  else
    left(depth - 1, path >> 1);
  sink = 1;  // no tail call
}
void right(unsigned depth, unsigned path) {
  if (depth == 0)
    device.launch();
  else if (path % 2 != 0)
    right(depth - 1, path >> 1);
  else
    left(depth - 1, path >> 1);
  sink = 2;
}

void work(unsigned bits) {
  device.open();
  for (unsigned path = 0; path < 1U << bits; ++path) {
    left(bits, path);
    if (path % 64 == 63) {
      device.wait();
      usleep(2000);
    }
  }
  device.wait();
  device.set_rounds(300000);
  for (unsigned i = 0; i < kLong; ++i) device.launch();
  device.wait();
}

}  // namespace

int main(int argc, char** argv) {
  const auto bits = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 10);
  const int processes = argc > 2 ? std::atoi(argv[2]) : 1;
  for (int i = 1; i < processes; ++i)
    if (fork() == 0) {
      work(bits);
      _exit(0);
    }
  work(bits);
  int status = 0;
  while (wait(&status) > 0)
    if (status != 0) return 1;
  std::printf("made %u\n", ((1U << bits) + kLong) * static_cast<unsigned>(processes));
  return 0;
}
