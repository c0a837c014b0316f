/* SPDX-License-Identifier: MIT
 *
 * The OpenCL agent: a layer that the ICD loader puts between the program and its platforms
 * (OPENCL_LAYERS; the interface is Khronos's, in <CL/cl_layer.h>). It reports each kernel launch
 * with its CPU stack, when the device ran it, and the code on the device where the platform gives
 * that out (programs.h).
 *
 * For the times of launches it needs events and profiled queues:
 *   - queues are created with profiling, and the program's queries of a queue and of an event's
 *     times answer as if they were not, where the program did not ask for it;
 *   - where the program passes no event to a launch, one of ours is made and released when the
 *     launch is complete.
 * If anything fails here, the program's call is made unchanged.
 */
#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/lock.h"
#include "plugins/agents/common/range_agent.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/opencl/calls.h"
#include "plugins/agents/opencl/copies.h"
#include "plugins/agents/opencl/launches.h"
#include "plugins/agents/opencl/memory.h"
#include "plugins/agents/opencl/programs.h"

namespace aiflame::agent::opencl {

const cl_icd_dispatch* lower;

namespace {

cl_icd_dispatch layer;  // what the loader calls; it fills in null entries
// Functions of libOpenCL's, as the program calls them.
ApiFunction enqueue_nd_range_kernel{"clEnqueueNDRangeKernel", nullptr};
ApiFunction enqueue_task{"clEnqueueTask", nullptr};

// ---- queues that are profiled without the program's request -------------------------------------

// What the program must still see of such a queue.
struct HiddenQueue {
  cl_command_queue queue;
  cl_queue_properties* asked;  // as given to clCreateCommandQueueWithProperties, or null
  size_t asked_count;          // with the ending 0
  HiddenQueue* next;
};

// A list under a mutex, as queues are made and queried rarely. No launch takes it.
pthread_mutex_t queues_mutex = PTHREAD_MUTEX_INITIALIZER;
HiddenQueue* hidden_queues;

void forget(cl_command_queue queue) {
  for (HiddenQueue** link = &hidden_queues; *link != nullptr; link = &(*link)->next) {
    if ((*link)->queue != queue) continue;
    HiddenQueue* gone = *link;
    *link = gone->next;
    free(gone->asked);
    free(gone);
    return;
  }
}

HiddenQueue* find_hidden(cl_command_queue queue) {
  HiddenQueue* at = hidden_queues;
  while (at != nullptr && at->queue != queue) at = at->next;
  return at;
}

bool is_hidden(cl_command_queue queue) {
  const Lock lock(queues_mutex);
  return find_hidden(queue) != nullptr;
}

// False without memory: then the queue must not be used, as its profiling would show.
bool hide(cl_command_queue queue, const cl_queue_properties* asked, size_t count) {
  auto* made = static_cast<HiddenQueue*>(calloc(1, sizeof(HiddenQueue)));
  if (made == nullptr) return false;
  if (asked != nullptr) {
    made->asked = static_cast<cl_queue_properties*>(malloc(count * sizeof *asked));
    if (made->asked == nullptr) {
      free(made);
      return false;
    }
    std::memcpy(made->asked, asked, count * sizeof *asked);
    made->asked_count = count;
  }
  made->queue = queue;
  const Lock lock(queues_mutex);
  forget(queue);  // left over from a queue that had this handle
  made->next = hidden_queues;
  hidden_queues = made;
  return true;
}

void not_hidden(cl_command_queue queue) {
  const Lock lock(queues_mutex);
  forget(queue);
}

CL_API_ENTRY cl_command_queue CL_API_CALL
create_command_queue(cl_context context, cl_device_id device,
                     cl_command_queue_properties properties, cl_int* error) {
  if ((begin_report() || awaits_recorder()) && (properties & CL_QUEUE_PROFILING_ENABLE) == 0) {
    cl_int ours = CL_SUCCESS;
    cl_command_queue queue =
        lower->clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE, &ours);
    if (queue != nullptr && hide(queue, nullptr, 0)) {
      if (error != nullptr) *error = CL_SUCCESS;
      return queue;
    }
    if (queue != nullptr) lower->clReleaseCommandQueue(queue);
  }
  cl_command_queue queue = lower->clCreateCommandQueue(context, device, properties, error);
  if (queue != nullptr) not_hidden(queue);
  return queue;
}

// Properties come as pairs of key and value, ended by 0. No implementation knows more keys.
constexpr size_t kMaxProperties = 64;

CL_API_ENTRY cl_command_queue CL_API_CALL create_command_queue_with_properties(
    cl_context context, cl_device_id device, const cl_queue_properties* properties, cl_int* error) {
  size_t count = 0;  // without the ending 0
  size_t flags_at = SIZE_MAX;
  while (properties != nullptr && count + 1 < kMaxProperties && properties[count] != 0) {
    if (properties[count] == CL_QUEUE_PROPERTIES) flags_at = count + 1;
    count += 2;
  }
  const cl_queue_properties flags = flags_at == SIZE_MAX ? 0 : properties[flags_at];
  const bool ours = (begin_report() || awaits_recorder()) && count + 3 < kMaxProperties &&
                    (flags & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE)) == 0;
  if (ours) {
    cl_queue_properties changed[kMaxProperties];
    if (count > 0) std::memcpy(changed, properties, count * sizeof *properties);
    size_t changed_count = count;
    if (flags_at == SIZE_MAX) {
      changed[changed_count] = CL_QUEUE_PROPERTIES;
      flags_at = changed_count + 1;
      changed_count += 2;
    }
    changed[flags_at] = flags | CL_QUEUE_PROFILING_ENABLE;
    changed[changed_count] = 0;
    cl_int status = CL_SUCCESS;
    cl_command_queue queue =
        lower->clCreateCommandQueueWithProperties(context, device, changed, &status);
    if (queue != nullptr && hide(queue, properties, properties == nullptr ? 0 : count + 1)) {
      if (error != nullptr) *error = CL_SUCCESS;
      return queue;
    }
    if (queue != nullptr) lower->clReleaseCommandQueue(queue);
  }
  cl_command_queue queue =
      lower->clCreateCommandQueueWithProperties(context, device, properties, error);
  if (queue != nullptr) not_hidden(queue);
  return queue;
}

CL_API_ENTRY cl_int CL_API_CALL get_command_queue_info(cl_command_queue queue,
                                                       cl_command_queue_info name, size_t size,
                                                       void* value, size_t* size_needed) {
  if (name == CL_QUEUE_PROPERTIES_ARRAY) {
    const Lock lock(queues_mutex);
    const HiddenQueue* hidden = find_hidden(queue);
    if (hidden != nullptr) {
      const size_t bytes = hidden->asked_count * sizeof(cl_queue_properties);
      cl_int status = CL_SUCCESS;
      if (value != nullptr && size < bytes)
        status = CL_INVALID_VALUE;
      else if (value != nullptr && bytes > 0)
        std::memcpy(value, hidden->asked, bytes);
      if (status == CL_SUCCESS && size_needed != nullptr) *size_needed = bytes;
      return status;
    }
  }
  const cl_int status = lower->clGetCommandQueueInfo(queue, name, size, value, size_needed);
  if (status == CL_SUCCESS && name == CL_QUEUE_PROPERTIES && value != nullptr && is_hidden(queue)) {
    cl_command_queue_properties properties = 0;
    std::memcpy(&properties, value, sizeof properties);
    properties &= ~static_cast<cl_command_queue_properties>(CL_QUEUE_PROFILING_ENABLE);
    std::memcpy(value, &properties, sizeof properties);
  }
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL release_command_queue(cl_command_queue queue) {
  // the last reference takes our note with it; otherwise the handle lives on, and so does the note
  cl_uint references = 0;
  const bool last = lower->clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references,
                                                 &references, nullptr) == CL_SUCCESS &&
                    references == 1;
  HiddenQueue* kept = nullptr;
  if (last) {
    // forgets it before the release: afterwards another thread may get the same handle for a new
    // queue
    const Lock lock(queues_mutex);
    kept = find_hidden(queue);
    if (kept != nullptr) {
      HiddenQueue** link = &hidden_queues;
      while (*link != kept) link = &(*link)->next;
      *link = kept->next;
    }
  }
  const cl_int status = lower->clReleaseCommandQueue(queue);
  if (kept != nullptr) {
    free(kept->asked);
    free(kept);
  }
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL get_event_profiling_info(cl_event event, cl_profiling_info name,
                                                         size_t size, void* value,
                                                         size_t* size_needed) {
  cl_command_queue queue = nullptr;
  if (lower->clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(cl_command_queue), &queue,
                            nullptr) == CL_SUCCESS &&
      queue != nullptr && is_hidden(queue))
    return CL_PROFILING_INFO_NOT_AVAILABLE;
  return lower->clGetEventProfilingInfo(event, name, size, value, size_needed);
}

// ---- launches -----------------------------------------------------------------------------------

// As the program passes it: `global` may be null in OpenCL 2.1, `local` when the platform chooses
// the work-group. More dimensions than three are an error, which the platform finds.
LaunchExtent size_of(cl_uint dimensions, const size_t* global, const size_t* local) {
  LaunchExtent size{};
  if (dimensions == 0 || dimensions > 3) return size;
  for (cl_uint i = 0; i < 3; ++i) {
    if (global != nullptr) size.items[i] = i < dimensions ? global[i] : 1;
    if (local != nullptr) size.group[i] = i < dimensions ? static_cast<uint32_t>(local[i]) : 1;
  }
  return size;
}

template <typename Enqueue>
cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_event* event,
              const ApiFunction& function, const LaunchExtent& size, Enqueue enqueue) {
  if (!begin_report()) return enqueue(event);
  // asks the platform each time, because handles are reused
  struct Name {
    char text[AGENT_MAX_NAME];
  };
  const OffStack<Name> name;
  if (!name) {
    count_lost_launches(1);
    return enqueue(event);
  }
  size_t name_bytes = 0;
  if (lower->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name->text, name->text,
                             &name_bytes) != CL_SUCCESS ||
      name_bytes == 0)
    return enqueue(event);  // not a kernel: the platform says so to the program
  Launch report{};
  report.kernel_name = name->text;
  report.kernel_name_bytes = static_cast<uint32_t>(name_bytes - 1);
  const OffStack<FrontText> front;
  set_call(report, function, "[opencl]", front);
  report.object = object_of(kernel, queue);
  report.size = size;
  return launch_reported(queue, report, event, enqueue);
}

CL_API_ENTRY cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel,
                                               cl_uint dimensions, const size_t* offset,
                                               const size_t* global, const size_t* local,
                                               cl_uint wait_count, const cl_event* wait,
                                               cl_event* event) {
  return launch(queue, kernel, event, enqueue_nd_range_kernel, size_of(dimensions, global, local),
                [&](cl_event* made) {
                  return lower->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                       local, wait_count, wait, made);
                });
}

CL_API_ENTRY cl_int CL_API_CALL enqueue_one_task(cl_command_queue queue, cl_kernel kernel,
                                                 cl_uint wait_count, const cl_event* wait,
                                                 cl_event* event) {
  const LaunchExtent one = {{1, 1, 1}, {1, 1, 1}, 0};
  return launch(queue, kernel, event, enqueue_task, one, [&](cl_event* made) {
    return lower->clEnqueueTask(queue, kernel, wait_count, wait, made);
  });
}

// The loader's function of that name, which the program called. Keeps the loader mapped from here
// on, as `lower` and the callbacks of pending launches lead into it, and a program may unload it.
const void* function_of_loader(const void* inside_loader, const char* name) {
  Dl_info info{};
  if (dladdr(inside_loader, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  void* loader = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (loader == nullptr) return nullptr;
  const void* function = dlsym(loader, name);
  dlclose(loader);
  return function;
}

}  // namespace
}  // namespace aiflame::agent::opencl

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                           size_t* size_needed) {
  if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (value != nullptr && size < sizeof version) return CL_INVALID_VALUE;
  if (value != nullptr) std::memcpy(value, &version, sizeof version);
  if (size_needed != nullptr) *size_needed = sizeof version;
  return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target,
                                        cl_uint* entries_out, const cl_icd_dispatch** out) {
  using namespace aiflame::agent;
  using namespace aiflame::agent::opencl;
  if (target == nullptr || entries_out == nullptr || out == nullptr ||
      entries < sizeof(cl_icd_dispatch) / sizeof(void*))
    return CL_INVALID_VALUE;
  lower = target;
  const int saved_errno = errno;
  const void* caller = __builtin_return_address(0);
  for (ApiFunction* one : {&enqueue_nd_range_kernel, &enqueue_task})
    one->address = function_of_loader(caller, one->name);
  find_copy_functions(function_of_loader, caller);
  find_call_functions(function_of_loader, caller);
  find_memory_functions(function_of_loader, caller);
  errno = saved_errno;
  // without a recorder the layer stays empty, and the loader fills it with the platform's functions
  if (enqueue_nd_range_kernel.address != nullptr &&
      connect("opencl", enqueue_nd_range_kernel.address, Absent::may_come)) {
    layer.clCreateCommandQueue = create_command_queue;
    layer.clCreateCommandQueueWithProperties = create_command_queue_with_properties;
    layer.clGetCommandQueueInfo = get_command_queue_info;
    layer.clReleaseCommandQueue = release_command_queue;
    layer.clGetEventProfilingInfo = get_event_profiling_info;
    layer.clEnqueueNDRangeKernel = enqueue_kernel;
    layer.clEnqueueTask = enqueue_one_task;
    put_program_functions(layer);
    put_copy_functions(layer);
    put_call_functions(layer);
    if (is_memory_wanted()) put_memory_functions(layer);
  }
  *entries_out = sizeof layer / sizeof(void*);
  *out = &layer;
  return CL_SUCCESS;
}
