// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-proton/fold.h"

#include <gtest/gtest.h>

#include "tests/unit/libcommon/import/damage.h"

namespace aiflame::proton {
namespace {

void expect_source(const char* name, const char* file, const char* function, uint64_t line) {
  const auto source = parse_source_frame(name);
  ASSERT_TRUE(source) << name;
  EXPECT_EQ(source->file, file) << name;
  EXPECT_EQ(source->function, function) << name;
  EXPECT_EQ(source->line, line) << name;
}

TEST(ProtonFold, NamesWithAPlaceInTheSource) {
  expect_source("/a/train.py:41@step", "/a/train.py", "step", 41);
  expect_source("/a/train.py:step@41", "/a/train.py", "step", 41);
  expect_source("/a@b:c/mm.py:7@void f<a::b>(x@3)", "/a@b:c/mm.py", "void f<a::b>(x@3)", 7);
  for (const char* name : {"", "@", "forward", "a@7", "a:b@c", "a:@b", "a:7"})
    EXPECT_FALSE(parse_source_frame(name)) << name;
}

// made by hand, with the keys in Proton's order
constexpr const char* kProfile =
    R"_([{"children": [{"children": [{"children": [{"children": [],
 "frame": {"name": "/s/mm.py:17@mm"}, "metrics": {"num_samples": 3, "stalled_wait": 2}}],
 "frame": {"name": "mm"}, "metrics": {"cycles": 9, "device_id": "0", "time (ns)": 204}}],
 "frame": {"name": "/a/train.py:41@step"}, "metrics": {"bytes": 1.5e3}}],
 "frame": {"name": "ROOT"}, "metrics": {}}, {"CUDA": {"0": {"arch": "90"}}}])_";

TEST(ProtonFold, Damaged) {
  for (const char* name : {"time", "stalled", "cycles"}) {
    const Metric metric(name);
    const auto read = [&](const std::string& path, ImportedStacks& stacks) {
      fold_tree(read_hatchet(path, metric), metric, {}, stacks);
    };
    EXPECT_EQ(import_bytes(kProfile, read), "");
    if (metric.is_stalled()) sweep_damage(kProfile, read);
  }
}

TEST(ProtonFold, DeepTreesAndManyKeys) {
  const Metric metric("time");
  const auto read = [&](const std::string& path, ImportedStacks& stacks) {
    fold_tree(read_hatchet(path, metric), metric, {}, stacks);
  };
  const auto with = [](const std::string& children) {
    return R"_({"children": [)_" + children +
           R"_(], "frame": {"name": "f"}, "metrics": {"time (ns)": 1}})_";
  };
  std::string deep;
  for (int i = 0; i < 490; ++i) deep = with(deep);
  EXPECT_EQ(import_bytes("[" + deep + "]", read), "");
  for (int i = 0; i < 20; ++i) deep = with(deep);
  EXPECT_NE(import_bytes("[" + deep + "]", read), "");
  std::string keys = R"_("k": 1)_";
  for (int i = 0; i < 100000; ++i) keys += ", \"k" + std::to_string(i) + "\": 1";
  EXPECT_NE(import_bytes(R"_([{"frame": {"name": "f"}, "metrics": {)_" + keys + "}}]", read), "");
}

}  // namespace
}  // namespace aiflame::proton
