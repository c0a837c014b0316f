// SPDX-License-Identifier: MIT
// A launch of an empty kernel through OpenCL, Level Zero or CUDA, on the tests' platforms and
// drivers that do nothing. The libraries are opened at run time, so that each attack is one program
// for all of them. Nothing here allocates, locks or uses much stack in launch().
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace attack {

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "attack: %s\n", what);
  std::exit(1);
}

class Launcher {
 public:
  // "opencl", "level-zero" or "cuda"; the last one launches `scale` of the cubin $CUBIN.
  void open(const std::string& api) {
    if (api == "opencl")
      open_opencl();
    else if (api == "level-zero")
      open_level_zero();
    else if (api == "cuda")
      open_cuda();
    else
      fail("no such API");
  }

  // One launch. True when the API accepted it.
  bool launch() const {
    if (enqueue_ != nullptr) {
      const size_t global = 1;
      return enqueue_(queue_, kernel_, 1, nullptr, &global, nullptr, 0, nullptr, nullptr) == 0;
    }
    if (append_ != nullptr) {
      const ze_group_count_t one{1, 1, 1};
      return append_(list_, ze_kernel_, &one, nullptr, 0, nullptr) == ZE_RESULT_SUCCESS;
    }
    return cuda_launch_(function_, 0, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 0;
  }

  // Ends all launches: their ends are reported now.
  void wait() const {
    if (finish_ != nullptr) finish_(queue_);
  }

 private:
  template <typename Function>
  Function find(const char* name) const {
    void* found = dlsym(library_, name);
    if (found == nullptr) fail(name);
    return reinterpret_cast<Function>(found);
  }
#define ATTACK_FIND(name) find<decltype(&name)>(#name)

  void open_library(const char* name) {
    library_ = dlopen(name, RTLD_NOW);
    if (library_ == nullptr) fail(dlerror());
  }

  void open_opencl() {
    open_library("libOpenCL.so.1");
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int status = CL_SUCCESS;
    if (ATTACK_FIND(clGetPlatformIDs)(1, &platform, nullptr) != 0 ||
        ATTACK_FIND(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != 0)
      fail("no OpenCL device");
    auto* const context =
        ATTACK_FIND(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &status);
    const char* text = "__kernel void empty() {}";
    auto* const program =
        ATTACK_FIND(clCreateProgramWithSource)(context, 1, &text, nullptr, &status);
    ATTACK_FIND(clBuildProgram)(program, 1, &device, nullptr, nullptr, nullptr);
    queue_ = ATTACK_FIND(clCreateCommandQueue)(context, device, 0, &status);
    kernel_ = ATTACK_FIND(clCreateKernel)(program, "empty", &status);
    finish_ = ATTACK_FIND(clFinish);
    enqueue_ = ATTACK_FIND(clEnqueueNDRangeKernel);
    if (queue_ == nullptr || kernel_ == nullptr) fail("no OpenCL queue or kernel");
  }

  void open_level_zero() {
    open_library("libze_loader.so.1");
    if (ATTACK_FIND(zeInit)(0) != ZE_RESULT_SUCCESS) fail("zeInit");
    uint32_t count = 1;
    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    ze_context_desc_t with{};
    ATTACK_FIND(zeDriverGet)(&count, &driver);
    ATTACK_FIND(zeDeviceGet)(driver, &count, &device);
    if (ATTACK_FIND(zeContextCreate)(driver, &with, &context) != ZE_RESULT_SUCCESS)
      fail("zeContextCreate");
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_NATIVE;
    const char content[] = "empty\n";
    description.pInputModule = reinterpret_cast<const uint8_t*>(content);
    description.inputSize = sizeof content - 1;
    ze_module_handle_t module = nullptr;
    ATTACK_FIND(zeModuleCreate)(context, device, &description, &module, nullptr);
    ze_kernel_desc_t named{};
    named.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
    named.pKernelName = "empty";
    ze_command_queue_desc_t queue{};
    queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    if (ATTACK_FIND(zeKernelCreate)(module, &named, &ze_kernel_) != ZE_RESULT_SUCCESS ||
        ATTACK_FIND(zeCommandListCreateImmediate)(context, device, &queue, &list_) !=
            ZE_RESULT_SUCCESS)
      fail("no Level Zero list or kernel");
    append_ = ATTACK_FIND(zeCommandListAppendLaunchKernel);
  }

  void open_cuda() {
    open_library("libcuda.so.1");
    const char* path = std::getenv("CUBIN");
    std::ifstream file(path == nullptr ? "" : path, std::ios::binary);
    const std::string cubin{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    void* context = nullptr;
    void* module = nullptr;
    find<int (*)(unsigned)>("cuInit")(0);
    find<int (*)(void**, unsigned)>("fake_context_create")(&context, 0);
    find<void (*)(void*)>("fake_context_set")(context);
    find<int (*)(void**, const void*, size_t)>("fake_module_load")(&module, cubin.data(),
                                                                   cubin.size());
    if (find<int (*)(void**, void*, const char*)>("cuModuleGetFunction")(&function_, module,
                                                                         "scale") != 0)
      fail("no function scale in $CUBIN");
    cuda_launch_ = find<CudaLaunch>("cuLaunchKernel");
  }
#undef ATTACK_FIND

  using CudaLaunch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, void*, void**, void**);

  void* library_ = nullptr;
  decltype(&clEnqueueNDRangeKernel) enqueue_ = nullptr;
  decltype(&clFinish) finish_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_kernel kernel_ = nullptr;
  decltype(&zeCommandListAppendLaunchKernel) append_ = nullptr;
  ze_command_list_handle_t list_ = nullptr;
  ze_kernel_handle_t ze_kernel_ = nullptr;
  CudaLaunch cuda_launch_ = nullptr;
  void* function_ = nullptr;
};

}  // namespace attack
