// SPDX-License-Identifier: MIT
// How much faster a kernel could get if it did not stall for one reason: bounds, by the formulas of
// GPA (Zhou, Meng, Mellor-Crummey: "GPA: A GPU Performance Advisor Based on Instruction Sampling",
// CGO 2021, section 5). With T samples of the kernel, M of them stalls for the reason, and A of
// them at which an instruction was issued:
//
//   removed      T / (T - M)            the stalls are gone (Amdahl's law)
//   overlapped   T / (T - min(A, M))    they happen while other instructions are issued, of which
//                                       there are no more than A
//
// The whole, all kernels with D samples, gets D / (D - M) times faster where the stalls are
// removed. Stalls that other threads hide already cost nothing: where a profile tells which are
// exposed, M is of these alone. Where it does not, the bounds are larger than they could be. (pure)
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace aiflame {

struct Gain {
  // How many times faster. Infinite where nothing else is left.
  double removed = 1;
  std::optional<double> overlapped;  // nothing where the profile has no samples of issued work
  double whole = 1;
};

struct KernelSamples {
  uint64_t all = 0;     // T
  uint64_t issued = 0;  // A
};

// `stalls`: M, of the kernel. `device`: D. `tells_issued`: the profile has samples of issued work.
Gain bound_of_gain(uint64_t stalls, const KernelSamples& kernel, uint64_t device,
                   bool tells_issued);

// "2.10": never less than it is, so that "at most" stays true. Of finite ones.
std::string times_text(double times);

// `{"removed": 2.1, "overlapped": 1.4, "whole": 1.2}`: null where there is no limit; `overlapped`
// is null where it is not known.
std::string gain_json(const Gain& gain);

}  // namespace aiflame
