// SPDX-License-Identifier: MIT
#include "tests/fakes/opencl-null/opencl_null.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <time.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

// Every object starts with the dispatch table, through which the loader finds the platform's
// functions.
struct Object {
  const cl_icd_dispatch* dispatch;
  std::atomic<cl_uint> references{1};
};

struct _cl_platform_id {
  const cl_icd_dispatch* dispatch;
};
struct _cl_device_id {
  const cl_icd_dispatch* dispatch;
};
struct _cl_context : Object {};
struct _cl_program : Object {
  cl_context context;
};
struct _cl_kernel : Object {
  cl_program program;
  std::string name;
};

struct _cl_command_queue : Object {
  cl_context context;
  cl_device_id device;
  cl_command_queue_properties properties;
  std::vector<cl_queue_properties> properties_array;
  std::atomic<int64_t> launches{0};
  std::mutex mutex;               // guards what follows
  std::vector<cl_event> pending;  // each entry is a reference
};

struct Callback {
  void(CL_CALLBACK* function)(cl_event, cl_int, void*);
  void* data;
  cl_int status;
};

struct _cl_event : Object {
  cl_command_queue queue;
  cl_ulong queued;
  std::mutex mutex;  // guards what follows
  cl_ulong ended = 0;
  std::vector<Callback> callbacks;
};

namespace {

extern cl_icd_dispatch dispatch_table;
_cl_platform_id the_platform = {&dispatch_table};
_cl_device_id the_device = {&dispatch_table};
_cl_device_id second_device = {&dispatch_table};

// With $OPENCL_NULL_DEVICES=2 there are two devices, and both have a place.
bool has_two_devices() {
  const char* count = std::getenv("OPENCL_NULL_DEVICES");
  return count != nullptr && std::strcmp(count, "2") == 0;
}

struct Counters {
  std::atomic<int64_t> contexts, queues, programs, kernels, events, launches, callbacks;
} counters;

OpenclNullCounts opencl_null_counts() {
  return {counters.contexts, counters.queues,   counters.programs, counters.kernels,
          counters.events,   counters.launches, counters.callbacks};
}

template <typename T>
T* make(std::atomic<int64_t>& counter) {
  T* object = new (std::nothrow) T;
  if (!object) return nullptr;
  object->dispatch = &dispatch_table;
  ++counter;
  return object;
}

template <typename T>
cl_int CL_API_CALL retain(T* object) {
  ++object->references;
  return CL_SUCCESS;
}

cl_int CL_API_CALL release_context(cl_context context) {
  if (--context->references > 0) return CL_SUCCESS;
  delete context;
  --counters.contexts;
  return CL_SUCCESS;
}

cl_int CL_API_CALL release_program(cl_program program) {
  if (--program->references > 0) return CL_SUCCESS;
  release_context(program->context);
  delete program;
  --counters.programs;
  return CL_SUCCESS;
}

cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  if (--kernel->references > 0) return CL_SUCCESS;
  release_program(kernel->program);
  delete kernel;
  --counters.kernels;
  return CL_SUCCESS;
}

// Frees a queue without references. It has no pending events, because each would hold a reference.
void destroy(cl_command_queue queue) {
  counters.launches += queue->launches;
  release_context(queue->context);
  delete queue;
  --counters.queues;
}

cl_int CL_API_CALL release_event(cl_event event) {
  if (--event->references > 0) return CL_SUCCESS;
  if (--event->queue->references == 0) destroy(event->queue);
  delete event;
  --counters.events;
  return CL_SUCCESS;
}

cl_ulong now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<cl_ulong>(time.tv_sec) * 1000000000 + static_cast<cl_ulong>(time.tv_nsec);
}

void complete(cl_event event) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(event->mutex);
    event->ended = now();
    callbacks.swap(event->callbacks);
  }
  for (const Callback& callback : callbacks) {
    ++counters.callbacks;
    callback.function(event, callback.status, callback.data);
  }
  release_event(event);
}

cl_int CL_API_CALL finish(cl_command_queue queue) {
  std::vector<cl_event> ready;
  {
    const std::lock_guard lock(queue->mutex);
    ready.swap(queue->pending);
  }
  for (cl_event event : ready) complete(event);
  return CL_SUCCESS;
}

cl_int CL_API_CALL flush(cl_command_queue) {
  return CL_SUCCESS;
}

cl_int CL_API_CALL release_queue(cl_command_queue queue) {
  finish(queue);
  if (--queue->references == 0) destroy(queue);
  return CL_SUCCESS;
}

// ---- queries -----------------------------------------------------------------------------------

// The answer to a clGet…Info: `size` bytes from `data`.
cl_int answer(const void* data, size_t size, size_t room, void* out, size_t* out_size) {
  if (out_size) *out_size = size;
  if (!out) return CL_SUCCESS;
  if (room < size) return CL_INVALID_VALUE;
  if (size > 0) std::memcpy(out, data, size);
  return CL_SUCCESS;
}

struct Request {
  size_t room;
  void* out;
  size_t* out_size;

  cl_int text(const std::string& value) const {
    return answer(value.c_str(), value.size() + 1, room, out, out_size);
  }
  template <typename T>
  cl_int value(const T& value) const {
    return answer(&value, sizeof(T), room, out, out_size);  // NOLINT(bugprone-sizeof-expression)
  }
};

cl_int CL_API_CALL get_platform_ids(cl_uint room, cl_platform_id* out, cl_uint* count) {
  if (count) *count = 1;
  if (out && room > 0) out[0] = &the_platform;
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_platform_info(cl_platform_id, cl_platform_info what, size_t room, void* out,
                                     size_t* out_size) {
  const Request request{room, out, out_size};
  switch (what) {
    case CL_PLATFORM_PROFILE:
      return request.text("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
      return request.text("OpenCL 3.0 null");
    case CL_PLATFORM_NAME:
      return request.text("Null platform");
    case CL_PLATFORM_VENDOR:
      return request.text("aiflame tests");
    case CL_PLATFORM_EXTENSIONS:
      return request.text("cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return request.text("NULL");
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_device_ids(cl_platform_id, cl_device_type type, cl_uint room,
                                  cl_device_id* out, cl_uint* count) {
  // an accelerator, and also the default device, for programs that ask for no particular type
  if (!(type & (CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_DEFAULT))) return CL_DEVICE_NOT_FOUND;
  if (count) *count = has_two_devices() ? 2 : 1;
  if (out && room > 0) out[0] = &the_device;
  if (out && room > 1 && has_two_devices()) out[1] = &second_device;
  return CL_SUCCESS;
}

cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t room, void* out,
                                   size_t* out_size) {
  const Request request{room, out, out_size};
  switch (what) {
    case CL_DEVICE_PCI_BUS_INFO_KHR:
      if (!has_two_devices()) return CL_INVALID_VALUE;
      return request.value<cl_device_pci_bus_info_khr>(
          {0, device == &the_device ? 0x3au : 0x8bu, 0, 0});
    case CL_DEVICE_TYPE:
      return request.value<cl_device_type>(CL_DEVICE_TYPE_ACCELERATOR);
    case CL_DEVICE_PLATFORM:
      return request.value<cl_platform_id>(&the_platform);
    case CL_DEVICE_NAME:
      return request.text("Null device");
    case CL_DEVICE_VENDOR:
      return request.text("aiflame tests");
    case CL_DEVICE_VERSION:
      return request.text("OpenCL 3.0 null");
    case CL_DRIVER_VERSION:
      return request.text("1");
    case CL_DEVICE_EXTENSIONS:
      return request.text("");
    case CL_DEVICE_AVAILABLE:
      return request.value<cl_bool>(CL_TRUE);
    case CL_DEVICE_COMPILER_AVAILABLE:
      return request.value<cl_bool>(CL_TRUE);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return request.value<cl_uint>(1);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return request.value<size_t>(1024);
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
      return request.value<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_context_info(cl_context context, cl_context_info what, size_t room,
                                    void* out, size_t* out_size) {
  const Request request{room, out, out_size};
  switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
      return request.value<cl_uint>(context->references);
    case CL_CONTEXT_NUM_DEVICES:
      return request.value<cl_uint>(1);
    case CL_CONTEXT_DEVICES:
      return request.value<cl_device_id>(&the_device);
    case CL_CONTEXT_PROPERTIES:
      return answer(nullptr, 0, room, out, out_size);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_queue_info(cl_command_queue queue, cl_command_queue_info what, size_t room,
                                  void* out, size_t* out_size) {
  const Request request{room, out, out_size};
  switch (what) {
    case CL_QUEUE_CONTEXT:
      return request.value(queue->context);
    case CL_QUEUE_DEVICE:
      return request.value(queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
      return request.value<cl_uint>(queue->references);
    case CL_QUEUE_PROPERTIES:
      return request.value(queue->properties);
    case CL_QUEUE_PROPERTIES_ARRAY:
      return answer(queue->properties_array.data(),
                    queue->properties_array.size() * sizeof(cl_queue_properties), room, out,
                    out_size);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_program_info(cl_program program, cl_program_info what, size_t room,
                                    void* out, size_t* out_size) {
  const Request request{room, out, out_size};
  switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
      return request.value<cl_uint>(program->references);
    case CL_PROGRAM_CONTEXT:
      return request.value(program->context);
    case CL_PROGRAM_NUM_DEVICES:
      return request.value<cl_uint>(1);
    case CL_PROGRAM_DEVICES:
      return request.value<cl_device_id>(&the_device);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_program_build_info(cl_program, cl_device_id, cl_program_build_info what,
                                          size_t room, void* out, size_t* out_size) {
  const Request request{room, out, out_size};
  switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
      return request.value<cl_build_status>(CL_BUILD_SUCCESS);
    case CL_PROGRAM_BUILD_OPTIONS:
      return request.text("");
    case CL_PROGRAM_BUILD_LOG:
      return request.text("");
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_kernel_info(cl_kernel kernel, cl_kernel_info what, size_t room, void* out,
                                   size_t* out_size) {
  const Request request{room, out, out_size};
  switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
      return request.text(kernel->name);
    case CL_KERNEL_NUM_ARGS:
      return request.value<cl_uint>(0);
    case CL_KERNEL_REFERENCE_COUNT:
      return request.value<cl_uint>(kernel->references);
    case CL_KERNEL_CONTEXT:
      return request.value(kernel->program->context);
    case CL_KERNEL_PROGRAM:
      return request.value(kernel->program);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info what, size_t room, void* out,
                                  size_t* out_size) {
  const Request request{room, out, out_size};
  const std::lock_guard lock(event->mutex);
  switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
      return request.value(event->queue);
    case CL_EVENT_CONTEXT:
      return request.value(event->queue->context);
    case CL_EVENT_COMMAND_TYPE:
      return request.value<cl_command_type>(CL_COMMAND_NDRANGE_KERNEL);
    case CL_EVENT_REFERENCE_COUNT:
      return request.value<cl_uint>(event->references);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
      return request.value<cl_int>(event->ended ? CL_COMPLETE : CL_SUBMITTED);
    default:
      return CL_INVALID_VALUE;
  }
}

cl_int CL_API_CALL get_event_profiling_info(cl_event event, cl_profiling_info what, size_t room,
                                            void* out, size_t* out_size) {
  const Request request{room, out, out_size};
  const std::lock_guard lock(event->mutex);
  if (!(event->queue->properties & CL_QUEUE_PROFILING_ENABLE) || !event->ended)
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  switch (what) {
    case CL_PROFILING_COMMAND_QUEUED:
    case CL_PROFILING_COMMAND_SUBMIT:
    case CL_PROFILING_COMMAND_START:
      return request.value(event->queued);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:
      return request.value(event->ended);
    default:
      return CL_INVALID_VALUE;
  }
}

// ---- objects -----------------------------------------------------------------------------------

// Stores `status` where the caller wants it, and returns the object.
template <typename T>
T* made(T* object, cl_int* status) {
  if (status) *status = object ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  return object;
}

cl_context CL_API_CALL create_context(const cl_context_properties*, cl_uint, const cl_device_id*,
                                      void(CL_CALLBACK*)(const char*, const void*, size_t, void*),
                                      void*, cl_int* status) {
  return made(make<_cl_context>(counters.contexts), status);
}

cl_command_queue CL_API_CALL create_queue_with_properties(cl_context context, cl_device_id device,
                                                          const cl_queue_properties* properties,
                                                          cl_int* status) {
  auto* queue = make<_cl_command_queue>(counters.queues);
  if (!queue) return made(queue, status);
  retain(context);
  queue->context = context;
  queue->device = device;
  queue->properties = 0;
  for (const cl_queue_properties* p = properties; p && *p; p += 2) {
    queue->properties_array.insert(queue->properties_array.end(), {p[0], p[1]});
    if (p[0] == CL_QUEUE_PROPERTIES) queue->properties = p[1];
  }
  if (properties) queue->properties_array.push_back(0);
  return made(queue, status);
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int* status) {
  cl_command_queue queue = create_queue_with_properties(context, device, nullptr, status);
  if (queue) queue->properties = properties;
  return queue;
}

cl_program CL_API_CALL create_program(cl_context context, cl_uint, const char**, const size_t*,
                                      cl_int* status) {
  auto* program = make<_cl_program>(counters.programs);
  if (program) {
    retain(context);
    program->context = context;
  }
  return made(program, status);
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint, const cl_device_id*, const char*,
                                 void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  if (notify) notify(program, data);
  return CL_SUCCESS;
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* status) {
  auto* kernel = make<_cl_kernel>(counters.kernels);
  if (kernel) {
    retain(program);
    kernel->program = program;
    kernel->name = name;
  }
  return made(kernel, status);
}

cl_int CL_API_CALL set_kernel_arg(cl_kernel, cl_uint, size_t, const void*) {
  return CL_SUCCESS;
}

// ---- launches and events -----------------------------------------------------------------------

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel, cl_uint, const size_t*,
                                  const size_t*, const size_t*, cl_uint, const cl_event*,
                                  cl_event* out) {
  queue->launches.fetch_add(1, std::memory_order_relaxed);
  if (!out) return CL_SUCCESS;
  auto* event = make<_cl_event>(counters.events);
  if (!event) return CL_OUT_OF_HOST_MEMORY;
  event->references = 2;  // the program's, and the one in `pending`
  retain(queue);
  event->queue = queue;
  event->queued = now();
  const std::lock_guard lock(queue->mutex);
  queue->pending.push_back(event);
  *out = event;
  return CL_SUCCESS;
}

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  for (cl_uint i = 0; i < count; ++i) finish(events[i]->queue);
  return CL_SUCCESS;
}

cl_int CL_API_CALL set_event_callback(cl_event event, cl_int status,
                                      void(CL_CALLBACK* function)(cl_event, cl_int, void*),
                                      void* data) {
  {
    const std::lock_guard lock(event->mutex);
    if (!event->ended) {
      event->callbacks.push_back({function, data, status});
      return CL_SUCCESS;
    }
  }
  ++counters.callbacks;
  function(event, status, data);
  return CL_SUCCESS;
}

void* extension_function(const char* name);

void* CL_API_CALL get_extension_function(cl_platform_id, const char* name) {
  return extension_function(name);
}

cl_icd_dispatch make_dispatch_table() {
  cl_icd_dispatch table{};
  table.clGetPlatformIDs = get_platform_ids;
  table.clGetPlatformInfo = get_platform_info;
  table.clGetDeviceIDs = get_device_ids;
  table.clGetDeviceInfo = get_device_info;
  table.clCreateContext = create_context;
  table.clRetainContext = retain<_cl_context>;
  table.clReleaseContext = release_context;
  table.clGetContextInfo = get_context_info;
  table.clCreateCommandQueue = create_queue;
  table.clCreateCommandQueueWithProperties = create_queue_with_properties;
  table.clRetainCommandQueue = retain<_cl_command_queue>;
  table.clReleaseCommandQueue = release_queue;
  table.clGetCommandQueueInfo = get_queue_info;
  table.clCreateProgramWithSource = create_program;
  table.clRetainProgram = retain<_cl_program>;
  table.clReleaseProgram = release_program;
  table.clBuildProgram = build_program;
  table.clGetProgramInfo = get_program_info;
  table.clGetProgramBuildInfo = get_program_build_info;
  table.clCreateKernel = create_kernel;
  table.clRetainKernel = retain<_cl_kernel>;
  table.clReleaseKernel = release_kernel;
  table.clSetKernelArg = set_kernel_arg;
  table.clGetKernelInfo = get_kernel_info;
  table.clEnqueueNDRangeKernel = enqueue_kernel;
  table.clWaitForEvents = wait_for_events;
  table.clGetEventInfo = get_event_info;
  table.clRetainEvent = retain<_cl_event>;
  table.clReleaseEvent = release_event;
  table.clGetEventProfilingInfo = get_event_profiling_info;
  table.clSetEventCallback = set_event_callback;
  table.clFlush = flush;
  table.clFinish = finish;
  table.clGetExtensionFunctionAddressForPlatform = get_extension_function;
  return table;
}
cl_icd_dispatch dispatch_table = make_dispatch_table();

void* extension_function(const char* name) {
  const std::pair<const char*, void*> functions[] = {
      {"clIcdGetPlatformIDsKHR", reinterpret_cast<void*>(get_platform_ids)},
      {"clGetPlatformInfo", reinterpret_cast<void*>(get_platform_info)},
      {"opencl_null_counts", reinterpret_cast<void*>(opencl_null_counts)}};
  for (const auto& [known, function] : functions)
    if (std::strcmp(name, known) == 0) return function;
  return nullptr;
}

}  // namespace

// The symbols that a loader looks up by name.
extern "C" [[gnu::visibility("default")]] CL_API_ENTRY void* CL_API_CALL
clGetExtensionFunctionAddress(const char* name) {
  return extension_function(name);
}
