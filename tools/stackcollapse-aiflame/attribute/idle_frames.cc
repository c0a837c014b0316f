// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/idle_frames.h"

#include "libcommon/timeline/idle_causes.h"

namespace aiflame::collapse {
namespace {

std::string idle_under(IdleCause cause) {
  return std::string(kGpuIdle) + ";" + std::string(idle_frame(cause));
}

// What ran on the CPU is not recorded: the stack is that of the launch that came next.
std::string of_next_launch(std::string frames, bool has_stack) {
  if (has_stack) frames.append(";").append(kNextLaunch);
  return frames;
}

}  // namespace

std::string idle_frames(IdleKind kind, bool has_stack) {
  switch (kind) {
    case IdleKind::waits:
      return idle_under(IdleCause::host_waits);
    case IdleKind::copies:
      return idle_under(IdleCause::host_copies);
    case IdleKind::latency:
      return idle_under(IdleCause::launch_latency);
    case IdleKind::runtime:
      return idle_under(IdleCause::runtime);
    case IdleKind::host:
      return of_next_launch(idle_under(IdleCause::host_busy), has_stack);
    case IdleKind::function:
      return idle_under(IdleCause::host_function);
    case IdleKind::before:
      return of_next_launch(std::string(kBeforeTheFirst), has_stack);
    case IdleKind::after:
      return std::string(kAfterTheLast);
    case IdleKind::untraced:
    case IdleKind::unplaced:
      break;
  }
  return of_next_launch(idle_under(IdleCause::untraced), has_stack);
}

}  // namespace aiflame::collapse
