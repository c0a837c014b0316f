// SPDX-License-Identifier: MIT
// On genuine code objects of an MI300, which are not part of the repository: see genuine_zebins.h.
#include "libcommon/device/amd/hsaco_object.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "libcommon/device/amd/amd_processor.h"
#include "libcommon/device/object_opener.h"

namespace aiflame {
namespace {

const std::string kObject = "../shared/data/hpctoolkit/amd/9f7f9be695af6f36f2b56450611127c6.gpubin";

TEST(AmdProcessor, ByTheFlags) {
  EXPECT_EQ(amd_processors(0x53f), std::vector<std::string>{"gfx90a"});
  EXPECT_EQ(amd_processors(0xe4c), (std::vector<std::string>{"gfx942", "gfx940"}));
  EXPECT_TRUE(amd_processors(0).empty());
  EXPECT_TRUE(amd_processors(0xff).empty());
}

TEST(HsacoObject, LinesAndMnemonics) {
  if (!std::filesystem::exists(kObject)) GTEST_SKIP() << "no " << kObject;
  ObjectOpener opener;
  const std::unique_ptr<ObjectFile> object = opener.open(kObject);
  EXPECT_TRUE(object->frames_at(0x900).back().declared.ends_with("hipgpu.hip.cpp"));
  const Mnemonic first = object->mnemonic_at(0x900);
  if (first.name.empty()) GTEST_SKIP() << unnamed_phrase(first.unnamed);
  EXPECT_EQ(first.name, "s_load_dword");
  EXPECT_EQ(object->mnemonic_at(0x910).name, "s_waitcnt");
  EXPECT_EQ(object->mnemonic_at(UINT64_MAX).unnamed, Unnamed::undecodable);
}

}  // namespace
}  // namespace aiflame
