/* SPDX-License-Identifier: MIT */
#include "plugins/agents/opencl/copies.h"

#include <tuple>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/opencl/launches.h"

namespace aiflame::agent::opencl {
namespace {

// A CPU copies without kernels.
bool is_of_gpu(cl_command_queue queue) {
  cl_device_id device = nullptr;
  cl_device_type type = 0;
  return lower->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device,
                                      nullptr) == CL_SUCCESS &&
         lower->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr) ==
             CL_SUCCESS &&
         (type & CL_DEVICE_TYPE_GPU) != 0;
}

// clEnqueue…(queue, …, wait_count, wait, event) of the table's entry `Member`.
template <auto Member>
struct Copy;

template <typename... Arguments,
          cl_int (CL_API_CALL* cl_icd_dispatch::*Member)(cl_command_queue, Arguments...)>
struct Copy<Member> {
  static inline const void* function = nullptr;  // libOpenCL's function, as the program calls it

  static CL_API_ENTRY cl_int CL_API_CALL enqueue(cl_command_queue queue, Arguments... arguments) {
    if (!begin_report() || !is_of_gpu(queue)) return (lower->*Member)(queue, arguments...);
    const auto passed = std::make_tuple(queue, arguments...);
    Launch report{};
    report.kernel_name = AGENT_DRIVER_KERNEL;
    report.kernel_name_bytes = sizeof AGENT_DRIVER_KERNEL - 1;
    report.api_function = function;
    constexpr size_t kEvent = sizeof...(Arguments);
    return launch_reported(queue, report, std::get<kEvent>(passed), [&passed](cl_event* made) {
      auto with_ours = passed;
      std::get<kEvent>(with_ours) = made;
      return std::apply(lower->*Member, with_ours);
    });
  }

  static void put(cl_icd_dispatch& layer) { layer.*Member = &enqueue; }
};

using Table = cl_icd_dispatch;

struct CopyFunction {
  const char* name;
  const void** function;
  void (*put)(Table& layer);
};

template <auto Member>
constexpr CopyFunction copy_function(const char* name) {
  return {name, &Copy<Member>::function, &Copy<Member>::put};
}

constexpr CopyFunction kCopyFunctions[] = {
    copy_function<&Table::clEnqueueReadBuffer>("clEnqueueReadBuffer"),
    copy_function<&Table::clEnqueueReadBufferRect>("clEnqueueReadBufferRect"),
    copy_function<&Table::clEnqueueWriteBuffer>("clEnqueueWriteBuffer"),
    copy_function<&Table::clEnqueueWriteBufferRect>("clEnqueueWriteBufferRect"),
    copy_function<&Table::clEnqueueFillBuffer>("clEnqueueFillBuffer"),
    copy_function<&Table::clEnqueueCopyBuffer>("clEnqueueCopyBuffer"),
    copy_function<&Table::clEnqueueCopyBufferRect>("clEnqueueCopyBufferRect"),
    copy_function<&Table::clEnqueueReadImage>("clEnqueueReadImage"),
    copy_function<&Table::clEnqueueWriteImage>("clEnqueueWriteImage"),
    copy_function<&Table::clEnqueueFillImage>("clEnqueueFillImage"),
    copy_function<&Table::clEnqueueCopyImage>("clEnqueueCopyImage"),
    copy_function<&Table::clEnqueueCopyImageToBuffer>("clEnqueueCopyImageToBuffer"),
    copy_function<&Table::clEnqueueCopyBufferToImage>("clEnqueueCopyBufferToImage"),
    copy_function<&Table::clEnqueueSVMMemcpy>("clEnqueueSVMMemcpy"),
    copy_function<&Table::clEnqueueSVMMemFill>("clEnqueueSVMMemFill"),
};

}  // namespace

void find_copy_functions(const void* (*find)(const void* loader, const char* name),
                         const void* loader) {
  for (const CopyFunction& each : kCopyFunctions) *each.function = find(loader, each.name);
}

void put_copy_functions(cl_icd_dispatch& layer) {
  for (const CopyFunction& each : kCopyFunctions) each.put(layer);
}

}  // namespace aiflame::agent::opencl
