/* SPDX-License-Identifier: MIT */
#include "plugins/opencl/copies.h"

#include <tuple>

#include "plugins/agent/channel.h"
#include "plugins/agent_channel.h"
#include "plugins/opencl/launches.h"

namespace aiflame::agent {
namespace {

// A CPU copies by itself.
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
  static inline const void* function = nullptr;  // as the program calls it, in libOpenCL

  static CL_API_ENTRY cl_int CL_API_CALL enqueue(cl_command_queue queue, Arguments... arguments) {
    if (!active() || !is_of_gpu(queue)) return (lower->*Member)(queue, arguments...);
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
};

using ReadBuffer = Copy<&cl_icd_dispatch::clEnqueueReadBuffer>;
using ReadBufferRect = Copy<&cl_icd_dispatch::clEnqueueReadBufferRect>;
using WriteBuffer = Copy<&cl_icd_dispatch::clEnqueueWriteBuffer>;
using WriteBufferRect = Copy<&cl_icd_dispatch::clEnqueueWriteBufferRect>;
using FillBuffer = Copy<&cl_icd_dispatch::clEnqueueFillBuffer>;
using CopyBuffer = Copy<&cl_icd_dispatch::clEnqueueCopyBuffer>;
using CopyBufferRect = Copy<&cl_icd_dispatch::clEnqueueCopyBufferRect>;
using ReadImage = Copy<&cl_icd_dispatch::clEnqueueReadImage>;
using WriteImage = Copy<&cl_icd_dispatch::clEnqueueWriteImage>;
using FillImage = Copy<&cl_icd_dispatch::clEnqueueFillImage>;
using CopyImage = Copy<&cl_icd_dispatch::clEnqueueCopyImage>;
using CopyImageToBuffer = Copy<&cl_icd_dispatch::clEnqueueCopyImageToBuffer>;
using CopyBufferToImage = Copy<&cl_icd_dispatch::clEnqueueCopyBufferToImage>;
using SVMMemcpy = Copy<&cl_icd_dispatch::clEnqueueSVMMemcpy>;
using SVMMemFill = Copy<&cl_icd_dispatch::clEnqueueSVMMemFill>;

}  // namespace

void find_copy_functions(const void* (*find)(const void* loader, const char* name),
                         const void* loader) {
  ReadBuffer::function = find(loader, "clEnqueueReadBuffer");
  ReadBufferRect::function = find(loader, "clEnqueueReadBufferRect");
  WriteBuffer::function = find(loader, "clEnqueueWriteBuffer");
  WriteBufferRect::function = find(loader, "clEnqueueWriteBufferRect");
  FillBuffer::function = find(loader, "clEnqueueFillBuffer");
  CopyBuffer::function = find(loader, "clEnqueueCopyBuffer");
  CopyBufferRect::function = find(loader, "clEnqueueCopyBufferRect");
  ReadImage::function = find(loader, "clEnqueueReadImage");
  WriteImage::function = find(loader, "clEnqueueWriteImage");
  FillImage::function = find(loader, "clEnqueueFillImage");
  CopyImage::function = find(loader, "clEnqueueCopyImage");
  CopyImageToBuffer::function = find(loader, "clEnqueueCopyImageToBuffer");
  CopyBufferToImage::function = find(loader, "clEnqueueCopyBufferToImage");
  SVMMemcpy::function = find(loader, "clEnqueueSVMMemcpy");
  SVMMemFill::function = find(loader, "clEnqueueSVMMemFill");
}

void put_copy_functions(cl_icd_dispatch& layer) {
  layer.clEnqueueReadBuffer = ReadBuffer::enqueue;
  layer.clEnqueueReadBufferRect = ReadBufferRect::enqueue;
  layer.clEnqueueWriteBuffer = WriteBuffer::enqueue;
  layer.clEnqueueWriteBufferRect = WriteBufferRect::enqueue;
  layer.clEnqueueFillBuffer = FillBuffer::enqueue;
  layer.clEnqueueCopyBuffer = CopyBuffer::enqueue;
  layer.clEnqueueCopyBufferRect = CopyBufferRect::enqueue;
  layer.clEnqueueReadImage = ReadImage::enqueue;
  layer.clEnqueueWriteImage = WriteImage::enqueue;
  layer.clEnqueueFillImage = FillImage::enqueue;
  layer.clEnqueueCopyImage = CopyImage::enqueue;
  layer.clEnqueueCopyImageToBuffer = CopyImageToBuffer::enqueue;
  layer.clEnqueueCopyBufferToImage = CopyBufferToImage::enqueue;
  layer.clEnqueueSVMMemcpy = SVMMemcpy::enqueue;
  layer.clEnqueueSVMMemFill = SVMMemFill::enqueue;
}

}  // namespace aiflame::agent
