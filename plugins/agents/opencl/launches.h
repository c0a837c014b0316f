/* SPDX-License-Identifier: MIT
 *
 * Launches: a command that runs on the device is put into a queue.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/opencl/devices.h"
#include "plugins/agents/opencl/lower.h"

namespace aiflame::agent::opencl {

// Kept for the end of the launch: when it was made, for the check of clocks, and when its call
// returned.
void keep_launch_time(uint64_t instance, uint64_t time);
void keep_return_time(uint64_t instance);

// Callbacks for the completion of the launch `instance`. The second releases the event.
void CL_CALLBACK on_complete_of_program(cl_event event, cl_int status, void* instance);
void CL_CALLBACK on_complete_of_ours(cl_event event, cl_int status, void* instance);

// Reports a launch; `enqueue(event)` makes the program's call with that event argument. `blocks`:
// the call returns when the launch has ended.
template <typename Enqueue>
cl_int launch_reported(cl_command_queue queue, Launch report, cl_event* event, Enqueue enqueue,
                       bool blocks = false) {
  cl_command_queue_properties properties = 0;
  lower->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  report.queue = reinterpret_cast<uint64_t>(queue);
  report.device = device_number(device_of(queue));
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) report.flags = AGENT_OUT_OF_ORDER;
  // reports first: a sample of the kernel must never be older than its launch
  const Launched launched = report_launch(report);
  const uint64_t instance = launched.instance;
  if (instance == 0) return enqueue(event);
  if (launched.is_untimed) {
    const cl_int status = enqueue(event);
    if (status != CL_SUCCESS) retract_launch(launched);
    if (status == CL_SUCCESS && blocks) end_call({launched.stack, launched.time}, true);
    return status;
  }
  keep_launch_time(instance, launched.time);

  cl_event made = nullptr;
  const cl_int status = enqueue(&made);
  keep_return_time(instance);
  if (status == CL_SUCCESS && blocks) end_call({launched.stack, launched.time}, true);
  if (status != CL_SUCCESS || made == nullptr) {
    report_done(instance, 0, 0, status == CL_SUCCESS ? AGENT_NO_TIMES : AGENT_FAILED);
    return status;
  }
  auto* user = reinterpret_cast<void*>(instance);
  if (event != nullptr) {
    // sets the callback first: afterwards another thread may have released the program's event
    if (lower->clSetEventCallback(made, CL_COMPLETE, on_complete_of_program, user) != CL_SUCCESS)
      report_done(instance, 0, 0, AGENT_NO_TIMES);
    *event = made;
  } else if (lower->clSetEventCallback(made, CL_COMPLETE, on_complete_of_ours, user) !=
             CL_SUCCESS) {
    report_done(instance, 0, 0, AGENT_NO_TIMES);
    lower->clReleaseEvent(made);
  }
  return status;
}

}  // namespace aiflame::agent::opencl
