// SPDX-License-Identifier: MIT
// Finds the causes of stalls: which instructions a stalled one waits for, how much of its stalls
// each of them has to answer for, and the chain from it back to where its value comes from (pure).
//
//   0x3f8   add        r12  r8  r4        address arithmetic
//   0x408   send.ugm   r37  r12           a load: the cause
//   0x448   mov        r55  r37           261 437 stalls; the chain is 0x448 <- 0x408 <- 0x3f8
//
// As LEO (arXiv 2604.20032) and GPA (Zhou et al., CGO 2021, arXiv 2009.04061) do:
//
//  1. What an instruction depends on: the definitions that reach it (reaching_definitions.h), and
//     what the code says that it waits for (DeviceSymbolizer::producers_of).
//  2. Pruning, for each reason by which it stalled:
//      - operation: those whose kind does not fit the reason (awaited_operations.h);
//      - barrier: an asynchronous one that the code does not wait for here, since then an
//        instruction before has waited for it;
//      - latency: arithmetic of fixed time that is kArithmeticLatency steps away on all ways.
//  3. Blame. Of those that are left, number i gets the share w(i) / sum of all w, where
//
//       w(i) = (issued(i) + 1) / distance(i)
//
//     issued(i): the samples in which it was issued; distance(i): steps to the stalled one. LEO
//     also weighs by the share of active lanes, which no sample tells. Stalls for which nothing is
//     left are the instruction's own: a busy pipe, a full queue, a barrier.
//  4. The chain follows the largest share. Where the stalls of an instruction further up are mostly
//     its own, or it has none, it follows the largest weight among all that this one depends on.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "libcommon/code/awaited_operations.h"
#include "libcommon/code/code_flow.h"

namespace aiflame {

struct Stalls {
  // What they wait for; 0: not for a result.
  Operations awaited = 0;
  // Nobody knows the reason, only that it took time: a sample of a CPU. The causes are then an
  // estimate: the nearest asynchronous instructions, also those before arithmetic that it reads,
  // but none before the loop that it is in.
  bool estimated = false;
  uint64_t samples = 0;
};

// What was sampled at an instruction.
struct InstructionStalls {
  uint32_t index = 0;   // in the CodeFlow
  uint64_t issued = 0;  // samples in which it was issued
  std::vector<Stalls> stalls;
};

struct StallCause {
  uint32_t index = 0;
  double share = 0;  // of the stalls of the instruction
  // Some of it follows from weights, as others could be the cause too, or from the code alone.
  bool estimated = false;
};

enum class ChainEnd : uint8_t {
  root,     // its last instruction depends on none in the code
  loop,     // on one that the chain already has
  unknown,  // its registers, or the ways to it, are not known
  limit,    // the chain has kMaxChain instructions
};
const char* chain_end_name(ChainEnd end);

struct CausesOfStalls {
  uint32_t index = 0;
  uint64_t stalls = 0;  // all samples of its stalls
  // The largest share first; the sum of all is 1. One may be the instruction itself.
  std::vector<StallCause> causes;
  // From the instruction, which is its first, upwards.
  std::vector<uint32_t> chain;
  ChainEnd end = ChainEnd::root;
};

// Stalls of others, and its own, that an instruction has to answer for.
struct StallRoot {
  struct Victim {
    uint32_t index = 0;
    uint64_t samples = 0;
  };
  uint32_t index = 0;
  uint64_t samples = 0;
  std::vector<Victim> victims;  // the largest first; their sum is `samples`
};

// Of how many instructions with stalls that wait for a result it is known which one that is:
// "single dependency coverage" in GPA.
struct StallCoverage {
  struct Count {
    uint64_t instructions = 0, samples = 0;
  };
  Count waiting;        // all that wait for a result
  Count single_before;  // that depend on just one instruction before pruning,
  Count single;         // and after it
  Count none;           // of which pruning leaves nothing
  Count unknown;        // of which not all registers and ways are known

  void add(const StallCoverage& other);
};

struct StallCauses {
  std::vector<CausesOfStalls> instructions;  // those with stalls, by index
  std::vector<StallRoot> roots;              // the largest first; their sum is that of all stalls
  StallCoverage coverage;
  uint64_t steps = 0;  // that the search took
};

// Steps after which the result of arithmetic of fixed time is ready, for all GPUs: NVIDIA needs 4
// to 6 cycles for most, AMD 4 to 8; Intel's compiler counts 15 for 64 bits (IGC, SWSB_G4IR.h). A
// step takes a cycle or more.
inline constexpr uint32_t kArithmeticLatency = 16;

inline constexpr size_t kMaxChain = 16;

// `sampled`: by index, each one once. `awaited`: the indices, ascending, of what an instruction
// waits for, as the code says; it is asked for those with stalls and those on chains. After
// `max_steps` the search finds no more dependencies.
StallCauses find_stall_causes(const CodeFlow& code, const std::vector<InstructionStalls>& sampled,
                              const std::function<std::vector<uint32_t>(uint32_t)>& awaited,
                              uint64_t max_steps = UINT64_MAX);

}  // namespace aiflame
