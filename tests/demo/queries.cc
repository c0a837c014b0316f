// SPDX-License-Identifier: MIT
// queries: asks OpenCL for all that a program can see of its queues and events, asks the system for
// what it can see of its files, and prints the answers. They must be the same with and without a
// recording: the recorder may turn profiling on, but the program must not notice.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

const char* const kSource = "__kernel void scale(__global float* a) { a[get_global_id(0)] *= 2; }";

void must(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "queries: %s: %d\n", what, status);
  std::exit(1);
}

void show_queue(const char* name, cl_command_queue queue) {
  cl_command_queue_properties properties = 0;
  cl_uint references = 0;
  size_t size = 99, references_size = 0;
  must(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, &size),
       "CL_QUEUE_PROPERTIES");
  // PoCL's threads release the last command some time after it is complete. The retries give a
  // reference that is being released the time to go, so only one that is kept shows.
  for (int tries = 0; tries < 200; ++tries) {
    must(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references,
                               &references_size),
         "CL_QUEUE_REFERENCE_COUNT");
    if (references == 1) break;
    usleep(10000);
  }
  std::printf("%s: properties %lu (%zu bytes), %u references\n", name,
              static_cast<unsigned long>(properties), size, references);
  size_t array_bytes = 99;
  const cl_int status =
      clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, nullptr, &array_bytes);
  std::printf("  array: status %d", status);
  if (status == CL_SUCCESS) {
    std::vector<cl_queue_properties> array(array_bytes / sizeof(cl_queue_properties));
    must(
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, array_bytes, array.data(), nullptr),
        "CL_QUEUE_PROPERTIES_ARRAY");
    std::printf(", %zu bytes:", array_bytes);
    for (const cl_queue_properties value : array)
      std::printf(" %lu", static_cast<unsigned long>(value));
    if (array_bytes > sizeof(cl_queue_properties)) {
      cl_queue_properties little = 0;
      std::printf("; too little room: %d", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY,
                                                                 sizeof little, &little, nullptr));
    }
  }
  std::printf("\n");
}

void show_times(const char* name, cl_event event) {
  cl_ulong begin = 0, end = 0;
  const cl_int first =
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr);
  const cl_int second =
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
  cl_uint references = 0;
  must(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, nullptr),
       "CL_EVENT_REFERENCE_COUNT");
  std::printf("%s: times %d %d, in order: %s\n", name, first, second,
              first != CL_SUCCESS ? "-"
              : begin <= end      ? "yes"
                                  : "no");
  if (references < 1) std::exit(1);
}

// The number that the next open(2) gives.
int next_descriptor() {
  const int fd = open("/dev/null", O_RDONLY);
  close(fd);
  return fd;
}

}  // namespace

int main() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  must(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  cl_int status = CL_SUCCESS;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  must(status, "clCreateContext");
  const char* source = kSource;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  must(status, "clCreateProgramWithSource");
  must(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "scale", &status);
  must(status, "clCreateKernel");
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, nullptr, &status);
  must(status, "clCreateBuffer");
  must(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer), "clSetKernelArg");

  struct {
    const char* name;
    cl_command_queue queue;
  } queues[6] = {};
  queues[0].name = "plain";
  queues[0].queue = clCreateCommandQueue(context, device, 0, &status);
  must(status, "clCreateCommandQueue");
  queues[1].name = "profiled";
  queues[1].queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  must(status, "clCreateCommandQueue");
  queues[2].name = "out of order";
  const cl_queue_properties out_of_order[] = {CL_QUEUE_PROPERTIES,
                                              CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  queues[2].queue = clCreateCommandQueueWithProperties(context, device, out_of_order, &status);
  must(status, "clCreateCommandQueueWithProperties");
  queues[3].name = "with no properties";
  queues[3].queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
  must(status, "clCreateCommandQueueWithProperties");
  queues[4].name = "with an empty list";
  const cl_queue_properties empty[] = {0};
  queues[4].queue = clCreateCommandQueueWithProperties(context, device, empty, &status);
  must(status, "clCreateCommandQueueWithProperties");
  queues[5].name = "profiled by list";
  const cl_queue_properties profiled[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  queues[5].queue = clCreateCommandQueueWithProperties(context, device, profiled, &status);
  must(status, "clCreateCommandQueueWithProperties");

  const size_t items = 1024, too_many = 1000000;
  for (const auto& [name, queue] : queues) {
    show_queue(name, queue);
    cl_event event = nullptr;
    must(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, &event),
         "clEnqueueNDRangeKernel");
    must(clWaitForEvents(1, &event), "clWaitForEvents");
    show_times(name, event);
    must(clReleaseEvent(event), "clReleaseEvent");
    must(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
         "clEnqueueNDRangeKernel");
    must(clEnqueueTask(queue, kernel, 0, nullptr, nullptr), "clEnqueueTask");
    must(clFinish(queue), "clFinish");
    // a wrong call still fails, and leaves the event argument untouched
    event = reinterpret_cast<cl_event>(0x5a);
    std::printf("  bad launch: %d", clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items,
                                                           &too_many, 0, nullptr, &event));
    std::printf(", event %s\n", event == reinterpret_cast<cl_event>(0x5a) ? "kept" : "written");
  }
  cl_event marker = nullptr;
  must(clEnqueueMarkerWithWaitList(queues[0].queue, 0, nullptr, &marker), "clEnqueueMarker");
  must(clWaitForEvents(1, &marker), "clWaitForEvents");
  show_times("marker", marker);
  must(clReleaseEvent(marker), "clReleaseEvent");
  std::printf("next descriptor %d\n", next_descriptor());

  // Retained once more, released twice. A recorder that forgot the queue's handle too early would
  // show the profiling that it turned on, in between.
  must(clRetainCommandQueue(queues[0].queue), "clRetainCommandQueue");
  must(clReleaseCommandQueue(queues[0].queue), "clReleaseCommandQueue");
  show_queue("plain again", queues[0].queue);
  for (const auto& [name, queue] : queues) must(clReleaseCommandQueue(queue), name);
  cl_command_queue reused =
      clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  must(status, "clCreateCommandQueue");
  show_queue("profiled, perhaps a handle used again", reused);
  must(clReleaseCommandQueue(reused), "clReleaseCommandQueue");
  must(clReleaseMemObject(buffer), "clReleaseMemObject");
  must(clReleaseKernel(kernel), "clReleaseKernel");
  must(clReleaseProgram(program), "clReleaseProgram");
  must(clReleaseContext(context), "clReleaseContext");
  return 0;
}
