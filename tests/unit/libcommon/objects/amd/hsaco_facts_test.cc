// SPDX-License-Identifier: MIT
#include "libcommon/objects/amd/hsaco_facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "libcommon/objects/object_opener.h"

namespace aiflame {
namespace {

std::string text(const std::string& value) {
  return "\xd9" + std::string(1, static_cast<char>(value.size())) + value;
}

std::string kernel(const std::string& name, const std::string& vgprs) {
  return "\x86" + text(".args") + "\x91\x81" + text(".size") + "\x08" +  // a list of a map
         text(".name") + text(name) + text(".vgpr_count") + vgprs + text(".vgpr_spill_count") +
         "\x03" + text(".group_segment_fixed_size") + std::string("\xcd\x10\x00", 3) +
         text(".private_segment_fixed_size") + std::string("\xce\x00\x00\x01\x00", 5);
}

std::string metadata() {
  return "\x82" + text("amdhsa.version") + "\x92\x01\x02" + text("amdhsa.kernels") + "\x92" +
         kernel("first", "\x14") + kernel("second", "\xcc\x80");
}

TEST(HsacoFacts, OfAKernel) {
  EXPECT_EQ(hsaco_facts(metadata(), "first"), (KernelFacts{20, 4096, 256, 12}));
  EXPECT_EQ(hsaco_facts(metadata(), "second"), (KernelFacts{128, 4096, 256, 12}));
  EXPECT_EQ(hsaco_facts(metadata(), "third"), KernelFacts());
}

TEST(HsacoFacts, FromNotes) {
  const std::string content = metadata();
  std::string notes(
      "\x07\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00"
      "AMDGPU\x00\x00",
      20);
  notes[4] = static_cast<char>(content.size() & 0xff);
  notes[5] = static_cast<char>(content.size() >> 8);
  EXPECT_EQ(amd_metadata(notes + content), content);
  EXPECT_EQ(amd_metadata(notes), "");
  EXPECT_EQ(amd_metadata(std::string(200, '\xff')), "");
  EXPECT_EQ(amd_metadata(std::string(20000, '\0')), "");
}

TEST(HsacoFacts, DamagedMetadata) {
  const std::string content = metadata();
  for (size_t size = 0; size < content.size(); ++size) {
    hsaco_facts(content.substr(0, size), "second");
    std::string changed = content;
    changed[size] = '\xdf';  // a map of what follows, up to four milliards
    hsaco_facts(changed, "second");
  }
  EXPECT_EQ(hsaco_facts(std::string(100000, '\x91'), "k"), KernelFacts());  // lists in lists
  EXPECT_EQ(hsaco_facts(std::string("\x81") + std::string(100000, '\x81'), "k"), KernelFacts());
}

TEST(HsacoFacts, OfAGenuineObject) {
  const std::string path = "../shared/data/hpctoolkit/amd/9f7f9be695af6f36f2b56450611127c6.gpubin";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  ObjectOpener opener;
  const std::unique_ptr<ObjectFile> object = opener.open(path);
  const KernelFacts facts = object->kernel_facts_at(0x900);
  EXPECT_EQ(facts, (KernelFacts{20, 0, 0, 0}));
  const LaunchSize size{{1 << 20, 1, 1}, {256, 1, 1}, 0};
  EXPECT_EQ(object->occupancy_at(0x900, facts, size).percent, 100u);
}

}  // namespace
}  // namespace aiflame
