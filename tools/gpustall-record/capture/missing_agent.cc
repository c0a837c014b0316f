// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/missing_agent.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>

#include "libcommon/process/find_program.h"

namespace aiflame::record {
namespace {

template <typename T>
bool read_at(std::ifstream& file, uint64_t offset, T& to) {
  file.seekg(static_cast<std::streamoff>(offset & INT64_MAX));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&to), sizeof to));
}

}  // namespace

bool is_statically_linked(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum == 0)
    return false;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read_at(file, header.e_phoff + i * sizeof part, part) || part.p_type == PT_INTERP)
      return false;
  }
  return true;
}

std::string why_no_agent(const std::vector<std::string>& command) {
  const std::string path = command.empty() ? std::string() : find_program(command.front());
  if (!path.empty() && is_statically_linked(path))
    return "no program loaded an agent: '" + path +
           "' is statically linked, so nothing can be loaded into it";
  return "no program loaded an agent: none of the processes used OpenCL, Level Zero or CUDA";
}

}  // namespace aiflame::record
