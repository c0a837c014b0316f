// SPDX-License-Identifier: MIT
// What a profile of a device says at first glance, above its picture:
//
//   [ 32% waits for memory | 31% issues work | 15% ready, others ran | … ]
//   sgemm_128x64_8x5_nt takes 18.7% of the samples: waits for memory 24% (short_scoreboard);
//   launched by mm look first: short_scoreboard in gemm_tn_64x64x8: at most 1.22 times faster, all
//   kernels 1.04
//
// Where a device was idle for longer than any kernel ran, that comes first:
//
//   Idle 86% of the time (host busy 63%); nvjet_tst takes 3.7% of the time; launched by linear
//
// The bounds are those of aiflame-report (libcommon/findings). Of a profile of the CPU:
//
//   push_to_top_level takes 5.8% of the time itself; called by instantiate_decl (98% of it)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/aiflame-svg/colour/colour.h"
#include "tools/aiflame-svg/colour/reason_names.h"
#include "tools/aiflame-svg/draw/drawing.h"

namespace aiflame::svg {

struct Verdict {
  // A kind of reason, and its part of all samples. What has no reason is no part of any.
  struct Kind {
    std::string name;  // as the page calls it: "memory", "hidden"
    std::string words;
    Colour colour;
    double share = 0;  // of 1
  };
  struct Lead {
    std::string kernel, reason;  // names in the tree
    std::string text;
  };
  std::vector<Kind> kinds;  // the largest first; empty without reasons
  // Names in the tree; launcher: empty if there is none.
  std::string costliest, launcher;
  bool is_kernel = false;  // the costliest is; else it is a function of the CPU
  // The sentence: idle, costliest, takes, why, "; launched by", launcher, launched.
  std::string idle, takes, why, launched;
  std::vector<Lead> leads;  // the largest stalls first

  bool is_empty() const { return costliest.empty(); }
};

// Empty of a differential, of a tree that is merged from the leaves, with --classic, and of an AI
// profile without kernels.
Verdict make_verdict(const FlameTree& tree, const ReasonNames& reasons, const Drawing& drawing);

double verdict_height(const Verdict& verdict, const Drawing& drawing);
// `top` is its upper edge. Where it has no room in the picture, the page shows it all the same.
std::string verdict_svg(const Verdict& verdict, const Drawing& drawing, double top);

}  // namespace aiflame::svg
