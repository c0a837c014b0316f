// SPDX-License-Identifier: MIT
// The few parts of OpenCL's C API that the demo programs share: handles that release themselves,
// status codes that become exceptions, the choice of a device, a program built from a file.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <utility>

namespace opencl {

// Throws std::runtime_error("CALL: CL_OUT_OF_RESOURCES (-5)") unless the status is CL_SUCCESS.
void check(cl_int status, const char* call);

template <typename T, cl_int (*release)(T)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T value) : value_(value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Handle() {
    if (value_) release(value_);
  }
  T get() const { return value_; }
  T* out() { return &value_; }  // for calls that fill one in; the handle must be empty

 private:
  T value_ = nullptr;
};

using Context = Handle<cl_context, clReleaseContext>;
using Queue = Handle<cl_command_queue, clReleaseCommandQueue>;
using Program = Handle<cl_program, clReleaseProgram>;
using Kernel = Handle<cl_kernel, clReleaseKernel>;
using Buffer = Handle<cl_mem, clReleaseMemObject>;
using Event = Handle<cl_event, clReleaseEvent>;

// The first device whose platform's name contains `platform`, of kind `type`: "cpu", "gpu",
// "accelerator", "all", or "" for a CPU device if there is one and any other device if not.
cl_device_id find_device(const std::string& platform, const std::string& type);
std::string device_name(cl_device_id device);  // "PLATFORM, DEVICE"

Context make_context(cl_device_id device);
Queue make_profiling_queue(const Context& context, cl_device_id device);

// Builds the kernels of the file `path`. Puts a #line with the file's real path in front, so that
// compiler messages, debuggers and profilers name it; a build failure throws with the build log.
Program build_program(const Context& context, cl_device_id device, const std::string& path,
                      const std::string& options);
// Builds a text, without options; a failure throws with the status alone.
Program build_text(const Context& context, cl_device_id device, const char* source);
Kernel make_kernel(const Program& program, const char* name);

template <typename T>
void set_argument(const Kernel& kernel, cl_uint index, const T& value) {
  check(clSetKernelArg(kernel.get(), index, sizeof value, &value), "clSetKernelArg");
}

// START and END of a finished command, in the device's nanoseconds.
struct Interval {
  cl_ulong start = 0;
  cl_ulong end = 0;
};
Interval device_interval(const Event& event);

// "matmul.cl" beside the running executable.
std::string beside_executable(const char* name);

}  // namespace opencl
