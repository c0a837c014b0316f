/* SPDX-License-Identifier: MIT
 *
 * Calls that launch nothing and keep the program's thread: those that wait for the device, clFinish
 * and clWaitForEvents, and those that compile.
 */
#pragma once

#include "plugins/agents/common/channel.h"
#include "plugins/agents/opencl/lower.h"

namespace aiflame::agent::opencl {

enum class Calls : uint8_t { finish, wait_for_events, build, compile, link };

// `find` returns the loader's function of a name.
void find_call_functions(const void* (*find)(const void* loader, const char* name),
                         const void* loader);
// Puts our functions for waits, and for compilations that programs.h does not need, into `layer`.
// Once.
void put_call_functions(cl_icd_dispatch& layer);

// Reports a call from here to the end of the scope.
class ReportedCall {
 public:
  explicit ReportedCall(Calls which);
  ~ReportedCall() {
    if (call_.stack != 0) end_call(call_, waits_);
  }
  ReportedCall(const ReportedCall&) = delete;
  ReportedCall& operator=(const ReportedCall&) = delete;

 private:
  Call call_{};
  const bool waits_;
};

}  // namespace aiflame::agent::opencl
