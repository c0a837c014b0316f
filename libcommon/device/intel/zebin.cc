// SPDX-License-Identifier: MIT
#include "libcommon/device/intel/zebin.h"

#include <elf.h>

#include <cstring>

namespace aiflame {
namespace {

// Types of notes by owner IntelGT. The description of each is four bytes.
constexpr uint32_t kProductFamily = 1, kCoreFamily = 2, kProductConfig = 6;

uint32_t word_at(std::string_view bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

// A GMD_ID is `architecture.release`, as linux/drivers/gpu/drm/xe/xe_pci.c lists them.
const char* platform_of_config(uint32_t architecture, uint32_t release) {
  switch (architecture) {
    case 12:
      if (release < 50) return "xe";                                           // Tiger Lake .. DG1
      if (release < 55) return "xehp";                                         // Xe-HP SDV
      if (release == 60 || release == 61) return "xehpc";                      // Ponte Vecchio
      return release < 60 || (release >= 70 && release <= 74) ? "xehpg" : "";  // DG2, Meteor Lake
    case 20:
      return "xe2";  // Battlemage, Lunar Lake
    case 30:
      return "xe3";  // Panther Lake
    case 35:
      return release == 11 ? "xe3pxpc" : "";  // Crescent Island
    default:
      return "";
  }
}

const char* platform_of_core(uint32_t family) {
  switch (family) {
    case 0x0c05:
      return "xehp";
    case 0x0c07:
      return "xehpg";
    case 0x0c08:
      return "xehpc";
    case 0x0c09:
      return "xe2";
    case 0x1e00:
      return "xe3";
    default:
      return "";
  }
}

const char* platform_of_product(uint32_t family) {
  switch (family) {
    case 33:    // Tiger Lake
    case 35:    // Rocket Lake
    case 36:    // Alder Lake S
    case 37:    // Alder Lake P
    case 38:    // Alder Lake N
    case 1210:  // DG1
      return "xe";
    case 1250:  // Xe-HP SDV
      return "xehp";
    case 1270:  // DG2
    case 1272:  // Meteor Lake
    case 1273:  // Arrow Lake
      return "xehpg";
    case 1271:  // Ponte Vecchio
      return "xehpc";
    case 1274:  // Battlemage
    case 1275:  // Lunar Lake
      return "xe2";
    case 1300:  // Panther Lake
      return "xe3";
    default:
      return "";
  }
}

}  // namespace

ZebinTarget read_zebin_notes(std::string_view notes) {
  // Three words: the owner's length with its NUL, the description's length, the type. Then owner
  // and description, each padded to a word:
  //   08 00 00 00 04 00 00 00 06 00 00 00 "IntelGT\0" 07 00 0f 03
  constexpr std::string_view kOwner("IntelGT\0", 8);
  ZebinTarget out;
  for (size_t at = 0; notes.size() - at >= 12;) {
    const uint64_t owner_size = word_at(notes, at), size = word_at(notes, at + 4);
    const uint32_t type = word_at(notes, at + 8);
    const uint64_t owner = at + 12, description = owner + (owner_size + 3) / 4 * 4;
    const uint64_t end = description + (size + 3) / 4 * 4;
    if (description + size > notes.size()) break;
    if (notes.substr(owner, owner_size) == kOwner && size == 4) {
      const uint32_t value = word_at(notes, description);
      if (type == kProductFamily) out.product_family = value;
      if (type == kCoreFamily) out.core_family = value;
      if (type == kProductConfig) out.product_config = value;
    }
    if (end >= notes.size()) break;
    at = end;
  }
  return out;
}

std::string iga_platform(const ZebinTarget& target) {
  std::string out;
  // bits 31..22 architecture, 21..14 release, 5..0 revision: 0x030f0007 is 12.60, Ponte Vecchio
  if (target.product_config)
    out = platform_of_config(*target.product_config >> 22, *target.product_config >> 14 & 0xff);
  // older compilers write 0 here
  if (out.empty() && target.core_family) out = platform_of_core(*target.core_family);
  if (out.empty() && target.product_family) out = platform_of_product(*target.product_family);
  return out;
}

Zebin::Zebin(const ElfFile& file) {
  if (file.machine() != EM_INTELGT) return;
  kernels_ = KernelTable(file);
  for (const ElfSection& section : file.sections())
    if (section.name == ".note.intelgt.compat")
      platform_ = iga_platform(read_zebin_notes(file.bytes_of(section)));
}

}  // namespace aiflame
