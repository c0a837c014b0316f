// SPDX-License-Identifier: MIT
#include "libcommon/objects/kernel_table.h"

#include <elf.h>

#include <algorithm>
#include <string_view>

namespace aiflame {

KernelTable::KernelTable(const ElfFile& file) {
  constexpr std::string_view kCode = ".text.";
  for (const ElfSection& section : file.sections()) {
    if (section.type != SHT_PROGBITS || section.size == 0 || !section.name.starts_with(kCode))
      continue;
    if (section.size > UINT64_MAX - section.offset) continue;
    all_.push_back({section.name.substr(kCode.size()), section.offset, section.size});
  }
  std::stable_sort(all_.begin(), all_.end(),
                   [](const KernelCode& a, const KernelCode& b) { return a.offset < b.offset; });
}

const KernelCode* KernelTable::at(uint64_t file_offset) const {
  auto next = std::upper_bound(all_.begin(), all_.end(), file_offset,
                               [](uint64_t at, const KernelCode& c) { return at < c.offset; });
  if (next == all_.begin()) return nullptr;
  --next;
  return file_offset - next->offset < next->size ? &*next : nullptr;
}

}  // namespace aiflame
