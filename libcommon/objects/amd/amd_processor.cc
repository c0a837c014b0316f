// SPDX-License-Identifier: MIT
#include "libcommon/objects/amd/amd_processor.h"

#include <algorithm>
#include <iterator>

namespace aiflame {
namespace {

constexpr uint32_t kMachine = 0xff;  // EF_AMDGPU_MACH

// LLVM's EF_AMDGPU_MACH_AMDGCN_…, from the first that ROCm supports. gfx940 was the prototype of
// gfx942: LLVM 15 as gfx940 prints for all code of two genuine objects what LLVM 19 prints.
constexpr struct {
  uint32_t machine;
  const char *processor, *same;
} kProcessors[] = {
    {0x2c, "gfx900", ""},          {0x2d, "gfx902", ""},        {0x2e, "gfx904", ""},
    {0x2f, "gfx906", ""},          {0x30, "gfx908", ""},        {0x31, "gfx909", ""},
    {0x32, "gfx90c", ""},          {0x33, "gfx1010", ""},       {0x34, "gfx1011", ""},
    {0x35, "gfx1012", ""},         {0x36, "gfx1030", ""},       {0x37, "gfx1031", ""},
    {0x38, "gfx1032", ""},         {0x39, "gfx1033", ""},       {0x3d, "gfx1035", ""},
    {0x3e, "gfx1034", ""},         {0x3f, "gfx90a", ""},        {0x40, "gfx940", "gfx942"},
    {0x41, "gfx1100", ""},         {0x42, "gfx1013", ""},       {0x43, "gfx1150", ""},
    {0x44, "gfx1103", ""},         {0x45, "gfx1036", ""},       {0x46, "gfx1101", ""},
    {0x47, "gfx1102", ""},         {0x48, "gfx1200", ""},       {0x4a, "gfx1151", ""},
    {0x4b, "gfx941", "gfx942"},    {0x4c, "gfx942", "gfx940"},  {0x4e, "gfx1201", ""},
    {0x4f, "gfx950", ""},          {0x51, "gfx9-generic", ""},  {0x52, "gfx10-1-generic", ""},
    {0x53, "gfx10-3-generic", ""}, {0x54, "gfx11-generic", ""}, {0x55, "gfx1152", ""},
    {0x58, "gfx1153", ""},         {0x59, "gfx12-generic", ""}, {0x5f, "gfx9-4-generic", ""},
};

}  // namespace

std::vector<std::string> amd_processors(uint32_t elf_flags) {
  const auto* found =
      std::find_if(std::begin(kProcessors), std::end(kProcessors),
                   [&](const auto& each) { return each.machine == (elf_flags & kMachine); });
  if (found == std::end(kProcessors)) return {};
  std::vector<std::string> out = {found->processor};
  if (*found->same != '\0') out.emplace_back(found->same);
  return out;
}

}  // namespace aiflame
