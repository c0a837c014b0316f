/* SPDX-License-Identifier: MIT */
#include "plugins/agents/opencl/programs.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/handle_map.h"
#include "plugins/agents/common/loader.h"
#include "plugins/agents/opencl/calls.h"
#include "plugins/agents/opencl/devices.h"

namespace aiflame::agent::opencl {
namespace {

// Intel's, from the driver's cl_ext_private.h; seen to work with driver 22.43. They give the debug
// information for each device of a program, and its sizes: the ELF file of Level Zero's
// zetModuleGetDebugInfo(), which has the code's device addresses even without -g.
constexpr cl_program_info kDebugInfo = 0x4100, kDebugInfoSizes = 0x4101;

// Code for more devices than this is not reported.
constexpr cl_uint kMaxDevices = 16;

struct Program {
  cl_uint count;
  cl_device_id devices[kMaxDevices];
  uint64_t objects[kMaxDevices];  // 0 = none for this device
};
HandleMap programs;  // -> Program
std::atomic<uint64_t> known{
    0};  // programs in the map; while there are none, platforms are not queried
std::atomic<uint32_t> reported_generation{0};

template <typename T>
bool ask(cl_program program, cl_program_info what, T* to, size_t count = 1) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): handles are pointers
  const size_t bytes = count * sizeof(T);
  return lower->clGetProgramInfo(program, what, bytes, to, nullptr) == CL_SUCCESS;
}

bool is_elf(const unsigned char* content, size_t bytes) {
  return bytes > 4 && std::memcmp(content, "\177ELF", 4) == 0;
}

// Reports the program's code on each device, under the numbers it has, or new ones. False when no
// code with addresses was found. Without a recorder the code is left where it is: report_again()
// reads it when one comes.
bool report_code(cl_program program, Program& of, bool is_recorded) {
  size_t sizes[kMaxDevices] = {};
  unsigned char* contents[kMaxDevices] = {};
  if (!ask(program, CL_PROGRAM_NUM_DEVICES, &of.count) || of.count == 0 || of.count > kMaxDevices ||
      !ask(program, CL_PROGRAM_DEVICES, of.devices, of.count) ||
      !ask(program, kDebugInfoSizes, sizes, of.count))
    return false;
  if (!is_recorded)
    return std::any_of(sizes, sizes + of.count, [](size_t bytes) { return bytes > 0; });
  for (cl_uint i = 0; i < of.count; ++i)
    if (sizes[i] > 0 && sizes[i] <= AGENT_MAX_OBJECT)
      contents[i] = static_cast<unsigned char*>(calloc(1, sizes[i]));
  bool any = false;
  if (ask(program, kDebugInfo, contents, of.count))
    for (cl_uint i = 0; i < of.count; ++i)
      if (contents[i] != nullptr && is_elf(contents[i], sizes[i])) {
        of.objects[i] =
            report_load(contents[i], sizes[i], device_number(of.devices[i]), of.objects[i]);
        any = any || of.objects[i] != 0;
      }
  for (unsigned char* content : contents) free(content);
  return any;
}

// To be called when a kernel is made of the program: now it is built, and its code has its
// addresses.
void remember(cl_program program) {
  const bool is_recorded = begin_report();
  if (!is_recorded && !awaits_recorder()) return;
  {
    const HandleMap::Locked at(programs, program);
    if (at.value() != nullptr) return;
  }
  auto* made = static_cast<Program*>(calloc(1, sizeof(Program)));
  if (made == nullptr) return;
  bool kept = false;
  if (report_code(program, *made, is_recorded)) {
    HandleMap::Locked at(programs, program);
    auto* before = static_cast<Program*>(at.set(made, kept));
    if (kept && before == nullptr) known.fetch_add(1);
    free(before);  // from another thread at the same time
  }
  if (!kept) free(made);
}

// The program is built anew, or going away, or its handle was reused.
void forget(cl_program program) {
  if (known.load(std::memory_order_relaxed) == 0) return;
  Program* gone = nullptr;
  {
    HandleMap::Locked at(programs, program);
    gone = static_cast<Program*>(at.remove());
  }
  if (gone == nullptr) return;
  known.fetch_sub(1);
  for (const uint64_t object : gone->objects)
    if (object != 0) report_unload(object);
  free(gone);
}

// Whether the caller holds the only reference; each kernel of a program holds one too.
bool is_last_of(cl_program program) {
  cl_uint references = 0;
  return ask(program, CL_PROGRAM_REFERENCE_COUNT, &references) && references == 1;
}

cl_program program_of(cl_kernel kernel) {
  cl_program program = nullptr;
  if (lower->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program), &program, nullptr) !=
      CL_SUCCESS)
    return nullptr;
  return program;
}

// ---- what the program calls ---------------------------------------------------------------------

cl_program fresh(cl_program program) {
  if (program != nullptr) forget(program);
  return program;
}

CL_API_ENTRY cl_program CL_API_CALL with_source(cl_context context, cl_uint count,
                                                const char** texts, const size_t* sizes,
                                                cl_int* error) {
  return fresh(lower->clCreateProgramWithSource(context, count, texts, sizes, error));
}

CL_API_ENTRY cl_program CL_API_CALL with_binary(cl_context context, cl_uint count,
                                                const cl_device_id* devices, const size_t* sizes,
                                                const unsigned char** binaries, cl_int* statuses,
                                                cl_int* error) {
  return fresh(
      lower->clCreateProgramWithBinary(context, count, devices, sizes, binaries, statuses, error));
}

CL_API_ENTRY cl_program CL_API_CALL with_il(cl_context context, const void* il, size_t bytes,
                                            cl_int* error) {
  return fresh(lower->clCreateProgramWithIL(context, il, bytes, error));
}

CL_API_ENTRY cl_int CL_API_CALL build(cl_program program, cl_uint count,
                                      const cl_device_id* devices, const char* options,
                                      void(CL_CALLBACK* notify)(cl_program, void*), void* user) {
  forget(program);
  const ReportedCall call(Calls::build);
  return lower->clBuildProgram(program, count, devices, options, notify, user);
}

CL_API_ENTRY cl_program CL_API_CALL link(cl_context context, cl_uint device_count,
                                         const cl_device_id* devices, const char* options,
                                         cl_uint count, const cl_program* inputs,
                                         void(CL_CALLBACK* notify)(cl_program, void*), void* user,
                                         cl_int* error) {
  const ReportedCall call(Calls::link);
  return fresh(lower->clLinkProgram(context, device_count, devices, options, count, inputs, notify,
                                    user, error));
}

CL_API_ENTRY cl_int CL_API_CALL release_program(cl_program program) {
  if (known.load(std::memory_order_relaxed) != 0 && is_last_of(program)) forget(program);
  return lower->clReleaseProgram(program);
}

CL_API_ENTRY cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name,
                                                 cl_int* error) {
  cl_kernel kernel = lower->clCreateKernel(program, name, error);
  if (kernel != nullptr) remember(program);
  return kernel;
}

CL_API_ENTRY cl_int CL_API_CALL create_kernels(cl_program program, cl_uint room, cl_kernel* kernels,
                                               cl_uint* count) {
  const cl_int status = lower->clCreateKernelsInProgram(program, room, kernels, count);
  if (status == CL_SUCCESS && kernels != nullptr) remember(program);
  return status;
}

CL_API_ENTRY cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  if (known.load(std::memory_order_relaxed) != 0) {
    cl_uint references = 0;
    cl_program program = program_of(kernel);
    if (program != nullptr &&
        lower->clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references,
                               nullptr) == CL_SUCCESS &&
        references == 1 && is_last_of(program))
      forget(program);
  }
  return lower->clReleaseKernel(kernel);
}

void report_again() {
  programs.for_each([](const void* handle, void* value) {
    report_code(static_cast<cl_program>(const_cast<void*>(handle)), *static_cast<Program*>(value),
                true);
  });
}

// In the order in which report_again() takes them.
void before_fork() {
  programs.lock_all();
  lock_devices();
}

void after_fork() {
  unlock_devices();
  programs.unlock_all();
}

}  // namespace

void put_program_functions(cl_icd_dispatch& layer) {
  if (!at_fork(before_fork, after_fork, after_fork)) return;
  reported_generation.store(generation());
  layer.clCreateProgramWithSource = with_source;
  layer.clCreateProgramWithBinary = with_binary;
  layer.clCreateProgramWithIL = with_il;
  layer.clBuildProgram = build;
  layer.clLinkProgram = link;
  layer.clReleaseProgram = release_program;
  layer.clCreateKernel = create_kernel;
  layer.clCreateKernelsInProgram = create_kernels;
  layer.clReleaseKernel = release_kernel;
}

uint64_t object_of(cl_kernel kernel, cl_command_queue queue) {
  if (known.load(std::memory_order_relaxed) == 0) return 0;
  const uint32_t now = generation();
  uint32_t reported = reported_generation.load(std::memory_order_relaxed);
  if (reported != now && reported_generation.compare_exchange_strong(reported, now)) report_again();
  cl_program program = program_of(kernel);
  if (program == nullptr) return 0;
  const HandleMap::Locked at(programs, program);
  const auto* found = static_cast<const Program*>(at.value());
  if (found == nullptr) return 0;
  const cl_device_id device = found->count == 1 ? found->devices[0] : device_of(queue);
  const cl_device_id* its = std::find(found->devices, found->devices + found->count, device);
  return its == found->devices + found->count ? 0 : found->objects[its - found->devices];
}

}  // namespace aiflame::agent::opencl
