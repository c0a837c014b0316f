/* SPDX-License-Identifier: MIT */
#include "plugins/agents/opencl/memory.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/range_agent.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent::opencl {
namespace {

// By Allocates.
enum class Allocates : uint8_t {
  buffer,
  buffer_with_properties,
  image,
  image_with_properties,
  image_2d,
  image_3d,
  svm
};
constexpr const char* kNames[] = {"clCreateBuffer",  "clCreateBufferWithProperties",
                                  "clCreateImage",   "clCreateImageWithProperties",
                                  "clCreateImage2D", "clCreateImage3D",
                                  "clSVMAlloc"};
constexpr size_t kFunctions = sizeof kNames / sizeof *kNames;
const void* functions[kFunctions];  // libOpenCL's, as the program calls them

// All memory counts as the first device's: a context of several does not say in which one's memory
// a buffer is, and a buffer that is destroyed is asked for nothing more. Launches have their
// device.
constexpr uint32_t kDevice = 0;

// What is told to each recorder, once: the generation() of the last one.
std::atomic<uint32_t> sized_generation{UINT32_MAX};

// A context of several devices does not say in which one's memory a buffer is.
void report_size(cl_context context) {
  const uint32_t now = generation();
  if (sized_generation.load(std::memory_order_relaxed) == now) return;
  cl_uint count = 0;
  cl_device_id device = nullptr;
  cl_ulong bytes = 0;
  if (lower->clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr) !=
          CL_SUCCESS ||
      count != 1 ||
      lower->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(cl_device_id), &device,
                              nullptr) != CL_SUCCESS ||
      lower->clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr) !=
          CL_SUCCESS)
    return;
  if (report_memory_size(kDevice, bytes)) sized_generation.store(now, std::memory_order_relaxed);
}

void report(Allocates which, cl_context context, const void* address, size_t bytes) {
  if (!begin_memory_report()) return;
  report_size(context);
  Allocation made{};
  const OffStack<FrontText> front;
  const auto index = static_cast<size_t>(which);
  set_call(made, {kNames[index], functions[index]}, "[opencl]", front);
  made.device = kDevice;
  made.address = reinterpret_cast<uint64_t>(address);
  made.bytes = bytes;
  report_allocation(made);
}

void free_reported(const void* address, size_t bytes) {
  if (begin_memory_report()) report_free(kDevice, reinterpret_cast<uint64_t>(address), bytes);
}

// The platform calls it before the memory goes, perhaps in a thread of its own.
void CL_CALLBACK on_destroyed(cl_mem memory, void* bytes) {
  const int saved_errno = errno;
  free_reported(memory, reinterpret_cast<size_t>(bytes));
  errno = saved_errno;
}

// Returns `memory`. What the program itself has allocated is no memory of the device, and neither
// is a view of another object. Where a recorder may come later, the callback is set all the same:
// it tells of what was allocated before.
cl_mem noted(Allocates which, cl_context context, cl_mem_flags flags, cl_mem memory) {
  if (memory == nullptr || (flags & CL_MEM_USE_HOST_PTR) != 0) return memory;
  const int saved_errno = errno;
  size_t bytes = 0;
  cl_mem parent = nullptr;
  if (lower->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr) != CL_SUCCESS ||
      lower->clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &parent,
                                nullptr) != CL_SUCCESS)
    bytes = 0;
  if (parent == nullptr) {
    // an allocation whose end nobody would see is not recorded
    if (bytes == 0 || lower->clSetMemObjectDestructorCallback(
                          memory, on_destroyed, reinterpret_cast<void*>(bytes)) != CL_SUCCESS)
      count_lost_memory(1);
    else
      report(which, context, memory, bytes);
  }
  errno = saved_errno;
  return memory;
}

CL_API_ENTRY cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                                              void* host, cl_int* error) {
  return noted(Allocates::buffer, context, flags,
               lower->clCreateBuffer(context, flags, size, host, error));
}

CL_API_ENTRY cl_mem CL_API_CALL create_buffer_with_properties(cl_context context,
                                                              const cl_mem_properties* properties,
                                                              cl_mem_flags flags, size_t size,
                                                              void* host, cl_int* error) {
  return noted(Allocates::buffer_with_properties, context, flags,
               lower->clCreateBufferWithProperties(context, properties, flags, size, host, error));
}

CL_API_ENTRY cl_mem CL_API_CALL create_image(cl_context context, cl_mem_flags flags,
                                             const cl_image_format* format,
                                             const cl_image_desc* description, void* host,
                                             cl_int* error) {
  return noted(Allocates::image, context, flags,
               lower->clCreateImage(context, flags, format, description, host, error));
}

CL_API_ENTRY cl_mem CL_API_CALL create_image_with_properties(
    cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
    const cl_image_format* format, const cl_image_desc* description, void* host, cl_int* error) {
  return noted(Allocates::image_with_properties, context, flags,
               lower->clCreateImageWithProperties(context, properties, flags, format, description,
                                                  host, error));
}

CL_API_ENTRY cl_mem CL_API_CALL create_image_2d(cl_context context, cl_mem_flags flags,
                                                const cl_image_format* format, size_t width,
                                                size_t height, size_t pitch, void* host,
                                                cl_int* error) {
  return noted(Allocates::image_2d, context, flags,
               lower->clCreateImage2D(context, flags, format, width, height, pitch, host, error));
}

CL_API_ENTRY cl_mem CL_API_CALL create_image_3d(cl_context context, cl_mem_flags flags,
                                                const cl_image_format* format, size_t width,
                                                size_t height, size_t depth, size_t row_pitch,
                                                size_t slice_pitch, void* host, cl_int* error) {
  return noted(Allocates::image_3d, context, flags,
               lower->clCreateImage3D(context, flags, format, width, height, depth, row_pitch,
                                      slice_pitch, host, error));
}

// ---- shared virtual memory ----------------------------------------------------------------------

CL_API_ENTRY void* CL_API_CALL allocate_svm(cl_context context, cl_svm_mem_flags flags, size_t size,
                                            cl_uint alignment) {
  void* made = lower->clSVMAlloc(context, flags, size, alignment);
  const int saved_errno = errno;
  if (made != nullptr) report(Allocates::svm, context, made, size);
  errno = saved_errno;
  return made;
}

CL_API_ENTRY void CL_API_CALL free_svm(cl_context context, void* memory) {
  if (memory != nullptr) free_reported(memory, 0);
  lower->clSVMFree(context, memory);
}

// With a function of the program's, that frees, by calls that come here.
CL_API_ENTRY cl_int CL_API_CALL
enqueue_svm_free(cl_command_queue queue, cl_uint count, void* memory[],
                 void(CL_CALLBACK* free_them)(cl_command_queue, cl_uint, void*[], void*),
                 void* user, cl_uint wait_count, const cl_event* wait, cl_event* event) {
  for (cl_uint i = 0; free_them == nullptr && memory != nullptr && i < count; ++i)
    if (memory[i] != nullptr) free_reported(memory[i], 0);
  return lower->clEnqueueSVMFree(queue, count, memory, free_them, user, wait_count, wait, event);
}

}  // namespace

void find_memory_functions(const void* (*find)(const void* loader, const char* name),
                           const void* loader) {
  for (size_t i = 0; i < kFunctions; ++i) functions[i] = find(loader, kNames[i]);
}

void put_memory_functions(cl_icd_dispatch& layer) {
  layer.clCreateBuffer = create_buffer;
  layer.clCreateBufferWithProperties = create_buffer_with_properties;
  layer.clCreateImage = create_image;
  layer.clCreateImageWithProperties = create_image_with_properties;
  layer.clCreateImage2D = create_image_2d;
  layer.clCreateImage3D = create_image_3d;
  layer.clSVMAlloc = allocate_svm;
  layer.clSVMFree = free_svm;
  layer.clEnqueueSVMFree = enqueue_svm_free;
}

}  // namespace aiflame::agent::opencl
