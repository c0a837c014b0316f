// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/event_unit.h"

#include <gtest/gtest.h>

namespace aiflame::collapse {
namespace {

TEST(EventUnit, IsSaidByTheName) {
  for (const char* event : {"cpu-clock", "task-clock:u", "cpu-clock:ppp"})
    EXPECT_EQ(unit_of_cpu_event(event), "ns") << event;
  for (const char* event : {"cycles", "cpu-cycles:k", "ref-cycles", "cpu_core/cycles/u",
                            "cpu/cpu-cycles,period=1000/P"})
    EXPECT_EQ(unit_of_cpu_event(event), "cycles") << event;
  // bus-cycles are of another clock, and gpu-time is a device's event alone
  for (const char* event : {"", "instructions", "page-faults", "sched:sched_switch", "bus-cycles",
                            "stalled-cycles-frontend", "cycles_of:mine", "gpu-time", "/", ":"})
    EXPECT_EQ(unit_of_cpu_event(event), "events") << event;
  EXPECT_EQ(unit_of_device_event("gpu-stall"), "stalls");
  EXPECT_EQ(unit_of_device_event("gpu-clock"), "samples");
  EXPECT_EQ(unit_of_device_event("gpu-time"), "ns");
}

}  // namespace
}  // namespace aiflame::collapse
