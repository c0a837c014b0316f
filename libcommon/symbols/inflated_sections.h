// SPDX-License-Identifier: MIT
// Compressed debug sections, inflated for libdw in less time than it takes for that itself.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace aiflame {

class InflatedSections {
 public:
  // To be called before libdw is asked for the object's debug information; `elf`, which may be
  // null, is to be closed while this lives. Sections compressed by zlib or zstd (which libdw does
  // not read before elfutils 0.189) are inflated, several at a time; those in which nobody here
  // looks anything up, tables of lines among them where nobody asks for `lines`, become empty,
  // since libdw would inflate them too, and so does what would come to more than a file has reason
  // to hold. What is damaged is left to libdw, which does not take it.
  void inflate(Elf* elf, bool lines);

 private:
  std::vector<std::unique_ptr<char[]>> bytes_;
};

}  // namespace aiflame
