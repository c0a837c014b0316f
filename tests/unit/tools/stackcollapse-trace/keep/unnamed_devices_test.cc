// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/unnamed_devices.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

TEST(UnnamedDevices, ByTheNamesOfProcesses) {
  Trace trace;
  const uint32_t python = trace.threads.number("7", "1"), runtime = trace.threads.number("8", "1"),
                 alone = trace.threads.number("8", "2"), device = trace.threads.number("9", "3"),
                 old = trace.threads.number("CUDA functions", "0");
  trace.threads.process_name(trace.threads.process(python)) = "Python";
  trace.threads.process_name(trace.threads.process(runtime)) = "CANN";
  trace.threads.process_name(trace.threads.process(device)) = "Ascend Hardware";
  EXPECT_TRUE(is_unnamed_device(trace, device));
  EXPECT_TRUE(is_unnamed_device(trace, old));
  EXPECT_FALSE(is_unnamed_device(trace, runtime));
  const std::vector<uint32_t> threads = find_python_threads(trace);
  EXPECT_EQ(threads[runtime], python);
  EXPECT_EQ(threads[alone], alone);
  EXPECT_EQ(threads[python], python);
}

}  // namespace
}  // namespace aiflame::trace
