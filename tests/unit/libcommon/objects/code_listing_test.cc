// SPDX-License-Identifier: MIT
#include "libcommon/objects/code_listing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/device/device_symbolizer.h"
#include "libcommon/symbols/elf.h"
#include "tests/unit/genuine_zebins.h"

namespace aiflame {
namespace {

// "offset+size" of each instruction, named ones with their mnemonic.
std::string shape(const CodeListing& listing) {
  std::string out;
  for (const ListedInstruction& each : listing.code)
    out += std::to_string(each.offset) + "+" + std::to_string(each.size) + each.mnemonic + " ";
  return out;
}

// Each byte belongs to exactly one instruction.
void expect_whole(const CodeListing& listing) {
  uint64_t at = listing.begin;
  for (const ListedInstruction& each : listing.code) {
    ASSERT_EQ(each.offset, at);
    ASSERT_GT(each.size, 0u);
    at += each.size;
  }
  EXPECT_EQ(at, listing.end);
}

TEST(CodeListing, CoverFillsGaps) {
  CodeListing listing;
  listing.begin = 100;
  listing.end = 172;
  for (const uint64_t at : std::initializer_list<uint64_t>{100, 108, 140, 180})
    listing.code.push_back({at, 0, "x", "", ""});
  cover(listing, 16);
  EXPECT_EQ(shape(listing), "100+8x 108+16x 124+16 140+16x 156+16 ");
  expect_whole(listing);
  listing.code.clear();
  cover(listing, 64);
  EXPECT_EQ(shape(listing), "100+64 164+8 ");
}

TEST(CodeListing, SingleSpaced) {
  EXPECT_EQ(single_spaced("  r1 \t r2   {$4}  "), "r1 r2 {$4}");
  EXPECT_EQ(single_spaced(" \t"), "");
}

TEST(CodeListing, OfACubin) {
  DeviceSymbolizer symbolizer;
  const std::string path = "tests/data/cubin/kernels.sm_90.cubin";
  const KernelTable kernels{ElfFile(path)};
  for (const KernelCode& kernel : kernels.all()) {
    const CodeListing listing = symbolizer.listing_at({path, kernel.offset + 0x18});
    EXPECT_EQ(listing.symbol, kernel.name);
    EXPECT_EQ(listing.code.size(), kernel.size / 16);
    expect_whole(listing);
    // with a disassembler or without
    EXPECT_EQ(listing.code.front().mnemonic, symbolizer.mnemonic_at({path, kernel.offset}).name);
  }
  EXPECT_TRUE(symbolizer.listing_at({path, 0}).empty());
}

TEST(CodeListing, OfZebins) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  size_t instructions = 0, operands = 0, guards = 0;
  for (const std::string& generation : genuine::generations()) {
    const std::string path = genuine::zebin(generation);
    DeviceSymbolizer symbolizer;
    const KernelTable kernels{ElfFile(path)};
    for (const KernelCode& kernel : kernels.all()) {
      const CodeListing listing = symbolizer.listing_at({path, kernel.offset});
      if (listing.unnamed == Unnamed::no_disassembler) GTEST_SKIP() << "no IGA";
      if (listing.empty()) continue;
      expect_whole(listing);
      for (const ListedInstruction& each : listing.code) {
        ASSERT_TRUE(each.size == 8 || each.size == 16);
        ASSERT_EQ(each.mnemonic, symbolizer.mnemonic_at({path, each.offset}).name);
        ++instructions;
        operands += !each.operands.empty();
        guards += !each.guard.empty();
      }
    }
  }
  EXPECT_GT(operands, instructions / 2);
  EXPECT_GT(guards, 0u);
}

// A function of this program stands for a kernel of a CPU device.
extern "C" [[gnu::noinline]] int code_listing_test_function(const int* values, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i] ^ sum;
  return sum;
}

TEST(CodeListing, OfACpu) {
  const int values[] = {1, 2, 3};
  ASSERT_NE(code_listing_test_function(values, 3), 7777);
#ifdef __x86_64__
  DeviceSymbolizer symbolizer;
  const std::string path = "/proc/self/exe";
  const ElfFile elf(path);
  const auto functions = elf.functions();
  const auto found = std::find_if(functions.begin(), functions.end(), [](const ElfFunction& each) {
    return each.name == "code_listing_test_function";
  });
  ASSERT_NE(found, functions.end());
  const uint64_t begin = elf.offset_of_vaddr(found->start).value();
  const CodeListing listing = symbolizer.listing_at({path, begin + 1});
  if (listing.unnamed == Unnamed::no_disassembler) GTEST_SKIP() << "no Capstone";
  EXPECT_EQ(listing.symbol, "code_listing_test_function");
  EXPECT_EQ(listing.begin, begin);
  EXPECT_EQ(listing.end - listing.begin, found->size);
  expect_whole(listing);
  bool jumps_inside = false;
  for (const ListedInstruction& each : listing.code) {
    EXPECT_EQ(each.mnemonic, symbolizer.mnemonic_at({path, each.offset}).name);
    for (const ListedInstruction& target : listing.code)
      jumps_inside |=
          each.mnemonic.starts_with('j') &&
          each.operands == format("0x%llx", static_cast<unsigned long long>(target.offset - begin));
  }
  EXPECT_TRUE(jumps_inside) << "targets are relative to the function";
#endif
}

}  // namespace
}  // namespace aiflame
