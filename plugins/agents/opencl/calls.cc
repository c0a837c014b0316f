/* SPDX-License-Identifier: MIT */
#include "plugins/agents/opencl/calls.h"

namespace aiflame::agent::opencl {
namespace {

// By Calls.
constexpr const char* kNames[] = {"clFinish", "clWaitForEvents", "clBuildProgram",
                                  "clCompileProgram", "clLinkProgram"};
constexpr size_t kCalls = sizeof kNames / sizeof *kNames;
const void* functions[kCalls];  // libOpenCL's, as the program calls them

CL_API_ENTRY cl_int CL_API_CALL finish(cl_command_queue queue) {
  const ReportedCall call(Calls::finish);
  return lower->clFinish(queue);
}

CL_API_ENTRY cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  const ReportedCall call(Calls::wait_for_events);
  return lower->clWaitForEvents(count, events);
}

CL_API_ENTRY cl_int CL_API_CALL compile(cl_program program, cl_uint device_count,
                                        const cl_device_id* devices, const char* options,
                                        cl_uint header_count, const cl_program* headers,
                                        const char** names,
                                        void(CL_CALLBACK* notify)(cl_program, void*), void* user) {
  const ReportedCall call(Calls::compile);
  return lower->clCompileProgram(program, device_count, devices, options, header_count, headers,
                                 names, notify, user);
}

}  // namespace

ReportedCall::ReportedCall(Calls which)
    : waits_(which == Calls::finish || which == Calls::wait_for_events) {
  if (begin_call_report()) call_ = begin_call(functions[static_cast<size_t>(which)]);
}

void find_call_functions(const void* (*find)(const void* loader, const char* name),
                         const void* loader) {
  for (size_t i = 0; i < kCalls; ++i) functions[i] = find(loader, kNames[i]);
}

void put_call_functions(cl_icd_dispatch& layer) {
  layer.clFinish = finish;
  layer.clWaitForEvents = wait_for_events;
  layer.clCompileProgram = compile;
}

}  // namespace aiflame::agent::opencl
