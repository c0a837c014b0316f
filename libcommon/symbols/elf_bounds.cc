// SPDX-License-Identifier: MIT
#include "libcommon/symbols/elf_bounds.h"

#include <byteswap.h>
#include <elf.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libcommon/io/holes.h"

namespace aiflame {
namespace {

// libelf allocates 260 bytes for a section: 70 MB. A relocatable object with a section for each
// function may have some ten thousand.
constexpr uint64_t kMaxSections = uint64_t{1} << 18;

// A field of a header, in the byte order of the object.
template <typename Number>
uint64_t number_at(const unsigned char* bytes, bool swapped) {
  Number number = 0;
  std::memcpy(&number, bytes, sizeof number);
  if (!swapped) return number;
  if constexpr (sizeof number == 2) return bswap_16(number);
  if constexpr (sizeof number == 4) return bswap_32(number);
  return bswap_64(number);
}

// When the header has no number of sections, the first section's size is the number.
bool has_excess_sections(int fd) {
  unsigned char header[sizeof(Elf64_Ehdr)] = {}, section[sizeof(Elf64_Shdr)] = {};
  if (::pread(fd, header, sizeof header, 0) < static_cast<ssize_t>(sizeof(Elf32_Ehdr)) ||
      std::memcmp(header, ELFMAG, SELFMAG) != 0)
    return false;
  const bool wide = header[EI_CLASS] == ELFCLASS64;
  const bool swapped =
      (header[EI_DATA] == ELFDATA2MSB) != (std::endian::native == std::endian::big);
  const size_t count_at = wide ? offsetof(Elf64_Ehdr, e_shnum) : offsetof(Elf32_Ehdr, e_shnum);
  if (number_at<uint16_t>(header + count_at, swapped) != 0) return false;
  const uint64_t table = wide
                             ? number_at<uint64_t>(header + offsetof(Elf64_Ehdr, e_shoff), swapped)
                             : number_at<uint32_t>(header + offsetof(Elf32_Ehdr, e_shoff), swapped);
  if (table == 0 || table > INT64_MAX ||
      ::pread(fd, section, sizeof section, static_cast<off_t>(table)) <
          static_cast<ssize_t>(sizeof(Elf32_Shdr)))
    return false;
  return (wide ? number_at<uint64_t>(section + offsetof(Elf64_Shdr, sh_size), swapped)
               : number_at<uint32_t>(section + offsetof(Elf32_Shdr, sh_size), swapped)) >
         kMaxSections;
}

}  // namespace

const char* excess_of_elf(int fd) {
  if (is_mostly_hole(fd)) return "most of it is a hole";
  return has_excess_sections(fd) ? "more than 262144 sections" : nullptr;
}

}  // namespace aiflame
