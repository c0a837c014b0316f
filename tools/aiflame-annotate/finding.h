// SPDX-License-Identifier: MIT
// A place in a kernel that is worth a look, and why.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/findings/gain.h"

namespace aiflame::annotate {

struct Finding {
  enum class Kind {
    feeds,   // others stall for its result
    stalls,  // it stalls by itself: a busy pipe, a barrier, or for what nobody knows
    takes,   // samples of time, that tell no reason: it has them
  };
  // An instruction of Annotation::code, and its part of the samples.
  struct Instruction {
    uint32_t index = 0;
    uint64_t samples = 0;
  };

  std::string id;  // the same for the same place in another run of the same code
  Kind kind = Kind::feeds;
  // "load"; the mnemonic where the kind of instruction is not known. Empty where samples of time
  // tell the line alone.
  std::string cause;
  uint32_t line = 0;    // in Annotation::lines; may be the unknown one
  uint32_t column = 0;  // in that line, from 1; 0: not known, or several
  std::string operand;  // the expression there; empty: not known
  uint64_t samples = 0;
  uint64_t of = 0;         // all samples of the kernel that such findings are made of
  bool of_time = false;    // these are samples of time, and not of stalls
  bool exposed = false;    // only exposed stalls are counted
  bool estimated = false;  // how many follows from the code, not from the samples alone
  // Of those that stall by themselves: the reason of most samples, and their number.
  std::pair<std::string, uint64_t> reason;
  Gain gain;
  std::vector<Instruction> causes, evidence;  // those with most samples first
};

// "feeds"
const char* kind_name(Finding::Kind kind);

}  // namespace aiflame::annotate
