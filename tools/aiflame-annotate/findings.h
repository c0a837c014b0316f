// SPDX-License-Identifier: MIT
// What to look at first in a kernel: which line and operand its stalls come from, and how much
// faster it could get at most without them.
//
//   load of b[k * n + col] at matmul.cl:10 feeds 71.00% of multiply_basic's exposed stalls;
//   at most 2.10 times faster
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/aiflame-annotate/annotation.h"
#include "tools/aiflame-annotate/sampled_code_table.h"
#include "tools/aiflame-annotate/source_texts.h"

namespace aiflame::annotate {

// The sentence above, on one line. `full_path`: of the file.
std::string finding_text(const Finding& finding, const Annotation& annotation, bool full_path);

class FindingMaker {
 public:
  // All samples of the event, and of its exposed stalls; null where no recording tells them.
  FindingMaker(const EventSamples& samples, const EventSamples* exposed);

  // Of a function, the largest first. Those with less than 1 % of the kernel's stalls are left out.
  std::vector<Finding> find(const FunctionKey& key, const Annotation& annotation,
                            SourceTexts& sources);

  // Of all functions of its kernel.
  uint64_t kernel_samples(const FunctionKey& key) const;

 private:
  struct Totals {
    KernelSamples samples;
    uint64_t stalls = 0;
    bool tells_exposed = false;
  };
  struct Group;

  static std::pair<std::string, uint64_t> main_reason(const Group& group,
                                                      const Annotation& annotation);
  std::vector<Group> groups_of(const Annotation& annotation) const;

  bool has_reasons_ = false, tells_issued_ = false;
  uint64_t device_ = 0;                                            // samples of all kernels
  std::map<std::pair<std::string, std::string>, Totals> kernels_;  // by symbol and object
  std::map<std::string, unsigned> ids_;
};

}  // namespace aiflame::annotate
