// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/zebin.h"

#include <elf.h>

#include "libcommon/symbols/elf_note.h"

namespace aiflame {
namespace {

// Types of notes by owner IntelGT. The description of each is four bytes.
constexpr uint32_t kProductFamily = 1, kCoreFamily = 2, kProductConfig = 6;

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
  ZebinTarget out;
  while (const std::optional<ElfNote> note = take_note(notes)) {
    if (note->owner != "IntelGT" || note->description.size() != sizeof(uint32_t)) continue;
    const uint32_t value = ByteCursor(note->description).u32();
    if (note->type == kProductFamily) out.product_family = value;
    if (note->type == kCoreFamily) out.core_family = value;
    if (note->type == kProductConfig) out.product_config = value;
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
