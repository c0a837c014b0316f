// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/event_pattern.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(EventPattern, Names) {
  const char* cases[][4] = {
      {"cycles", "", "cycles", ""},
      {"cycles:u", "", "cycles", "u"},
      {"cpu-clock:ppp", "", "cpu-clock", "ppp"},
      {"sched:sched_switch", "", "sched:sched_switch", ""},
      {"cpu_core/cycles/Pu", "cpu_core", "cycles", "Pu"},
      {"cpu_core/cycles/", "cpu_core", "cycles", ""},
      {"cpu_atom/cycles:Pu/", "cpu_atom", "cycles", "Pu"},
      {"cpu/event=0x3c,umask=0/u", "cpu", "event=0x3c,umask=0", "u"},
      {"a/b", "", "a/b", ""},
      {"", "", "", ""},
  };
  for (const auto& [name, pmu, event, modifiers] : cases) {
    const PerfEventName parsed = parse_event_name(name);
    EXPECT_EQ(parsed.pmu, pmu) << name;
    EXPECT_EQ(parsed.event, event) << name;
    EXPECT_EQ(parsed.modifiers, modifiers) << name;
  }
}

TEST(EventPattern, OneEventOfSeveralPmus) {
  EXPECT_EQ(event_of_pmus("cpu_atom/cycles/Pu"), event_of_pmus("cpu_core/cycles/u"));
  EXPECT_EQ(event_of_pmus("cpu_atom/cycles:Pu/"), event_of_pmus("cpu_core/cycles/u"));
  EXPECT_NE(event_of_pmus("cpu_atom/cycles/u"), event_of_pmus("cpu_core/cycles/k"));
  EXPECT_NE(event_of_pmus("cpu_atom/cycles/"), event_of_pmus("cpu_core/instructions/"));
  EXPECT_EQ(event_of_pmus("cycles:u"), "");
}

TEST(EventPattern, TheWholeNameFitsBest) {
  const EventPatterns one("cycles");
  EXPECT_LT(one.rank("cycles"), one.rank("cycles:u"));
  EXPECT_LT(one.rank("cycles:u"), one.rank("cpu_core/cycles/u"));
  EXPECT_EQ(one.rank("cycles:u"), one.rank("cycles:k"));
  for (const char* other : {"cycle", "instructions", "sched:cycles", "ref-cycles", ""})
    EXPECT_EQ(one.rank(other), kFitsNot) << other;
  const EventPatterns list("cpu/event=0x3c,umask=0/,cpu_*/cycles/,*clock*");
  EXPECT_EQ(list.rank("cycles"), kFitsNot);
  EXPECT_LT(list.rank("cpu/event=0x3c,umask=0/u"), list.rank("cpu_core/cycles/"));
  EXPECT_LT(list.rank("cpu_core/cycles/Pu"), list.rank("cpu-clock:u"));
  EXPECT_TRUE(EventPatterns(",,").empty());
  EXPECT_TRUE(EventPatterns::is_whole_name(list.rank("cpu-clock")));
  EXPECT_FALSE(EventPatterns::is_whole_name(kFitsNot));
}

}  // namespace
}  // namespace aiflame
