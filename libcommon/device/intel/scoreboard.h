// SPDX-License-Identifier: MIT
// What a GPU instruction waits for (pure). Intel's GPUs leave it to the compiler to say which
// results an instruction needs: a send, a dpas or a math instruction takes a token ($4), and who
// needs its result names it ({$4.dst}; {$4.src} where its operands must have been read).
#pragma once

#include <cstdint>
#include <vector>

#include "libcommon/device/intel/iga_listing.h"

namespace aiflame {

// Searches backwards for the last instructions that took a token, on all ways that lead to an
// instruction.
class Scoreboard {
 public:
  explicit Scoreboard(const std::vector<IgaInstruction>& code);

  // Indices into the code, ascending: those that an instruction may wait for. Where it names no
  // token that it waits for but takes one, those that had it before: until they are done it is not
  // free. One that waits for all does not wait for those that were waited for on the way.
  std::vector<uint32_t> producers(uint32_t index) const;

 private:
  const std::vector<IgaInstruction>& code_;
  // Where jumps to an instruction come from: sources_[first_[i] .. first_[i + 1]).
  std::vector<uint32_t> first_, sources_;
};

}  // namespace aiflame
