// SPDX-License-Identifier: MIT
// On genuine code objects of an MI300, which are not part of the repository: see genuine_zebins.h.
#include "libcommon/objects/amd/hsaco_object.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "libcommon/objects/amd/amd_processor.h"
#include "libcommon/objects/amd/waitcnt.h"
#include "libcommon/objects/object_opener.h"

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

TEST(HsacoObject, ListingAndProducers) {
  if (!std::filesystem::exists(kObject)) GTEST_SKIP() << "no " << kObject;
  ObjectOpener opener;
  const std::unique_ptr<ObjectFile> object = opener.open(kObject);
  const CodeListing listing = object->listing_at(0x910);
  EXPECT_EQ(listing.symbol, "_Z8xcomputePKdS0_Pdii");
  EXPECT_EQ(listing.begin, 0x900u);
  EXPECT_EQ(listing.end, 0x900u + 0x12cu);
  EXPECT_EQ(object->function_start(0x910), 0x900u);
  if (listing.unnamed != Unnamed::no) GTEST_SKIP() << unnamed_phrase(listing.unnamed);
  uint64_t at = listing.begin;
  for (const ListedInstruction& each : listing.code) {
    EXPECT_EQ(each.offset, at);
    EXPECT_EQ(each.mnemonic, object->mnemonic_at(at).name);
    at += each.size;
  }
  EXPECT_EQ(at, listing.end);
  EXPECT_EQ(listing.code[2].mnemonic, "s_waitcnt");
  EXPECT_EQ(listing.code[2].operands, "lgkmcnt(0)");
  EXPECT_EQ(listing.code[11].mnemonic, "s_cbranch_execz");
  EXPECT_EQ(listing.code[11].operands, "0x128");
  EXPECT_EQ(object->producers_of(0x910), (std::vector<uint64_t>{0x900, 0x908}));
  EXPECT_TRUE(object->producers_of(0x900).empty());
  EXPECT_TRUE(object->listing_at(UINT64_MAX).empty());
  EXPECT_TRUE(object->producers_of(UINT64_MAX).empty());
}

// In what clang makes for gfx9 and gfx10, each wait has something that it waits for. (A fence may
// have nothing: the kernels have none.)
TEST(HsacoObject, EachWaitOfCompiledCodeHasAProducer) {
  namespace fs = std::filesystem;
  const fs::path out = fs::path(testing::TempDir()) / "hsaco_object_test.co";
  for (const char* processor : {"gfx906", "gfx90a", "gfx1030"}) {
    const std::string command = std::string("clang -x cl -cl-std=CL2.0 -target ") +
                                "amdgcn-amd-amdhsa -nogpulib -O2 -mcpu=" + processor + " -o '" +
                                out.string() + "' tests/data/hsaco/waits.cl > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no clang for AMD GPUs";
    ObjectOpener opener;
    const std::unique_ptr<ObjectFile> object = opener.open(out);
    const ElfFile elf(out.string());
    size_t waits = 0;
    for (const ElfFunction& function : elf.functions()) {
      const auto offset = elf.offset_of_vaddr(function.start);
      if (!offset) continue;
      const CodeListing listing = object->listing_at(*offset);
      if (listing.unnamed != Unnamed::no) GTEST_SKIP() << unnamed_phrase(listing.unnamed);
      for (const ListedInstruction& each : listing.code) {
        if (!amd_use(each.mnemonic, each.operands, amd_generation(processor)).waits()) continue;
        ++waits;
        EXPECT_FALSE(object->producers_of(each.offset).empty())
            << processor << " " << function.name << " " << each.offset << " " << each.operands;
      }
    }
    EXPECT_GT(waits, 15u) << processor;
    fs::remove(out);
  }
}

}  // namespace
}  // namespace aiflame
