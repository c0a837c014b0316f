// SPDX-License-Identifier: MIT
// Inflates compressed debug sections for libdw, in less time than libdw takes.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace aiflame {

class InflatedSections {
 public:
  // Call this before libdw opens the object's debug information. `elf` may be null; it must be
  // closed before this object ends. Inflates sections compressed by zlib or zstd (which libdw reads
  // from elfutils 0.189 on), several at a time. Empties compressed sections that nothing here
  // reads, including the line tables unless `lines`, since libdw would inflate them too. Also
  // empties sections that would inflate to more than a file has reason to hold. Leaves damaged
  // sections to libdw, which refuses them.
  void inflate(Elf* elf, bool lines);

 private:
  std::vector<std::unique_ptr<char[]>> bytes_;
};

}  // namespace aiflame
