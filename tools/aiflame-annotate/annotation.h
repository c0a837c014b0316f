// SPDX-License-Identifier: MIT
// A function with samples, instruction by instruction: what text, JSON and HTML show.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/code/code_flow.h"
#include "libcommon/code/stall_causes.h"
#include "libcommon/device/device_symbolizer.h"
#include "tools/aiflame-annotate/finding.h"
#include "tools/aiflame-annotate/sampled_code_table.h"

namespace aiflame::annotate {

// A line of source, of the innermost function that is inlined there.
struct SourceLine {
  std::string file;  // empty: not known
  uint32_t number = 0;
  uint64_t samples = 0;
};

// With their samples, the largest first.
using Reasons = std::vector<std::pair<std::string, uint64_t>>;
Reasons sorted_reasons(Reasons reasons);

// An instruction that has to answer for stalls of another one, or for its own.
struct Cause {
  uint64_t offset = 0;     // from the start of the function
  double share = 0;        // of the stalls
  bool estimated = false;  // as StallCause
};

struct AnnotatedInstruction {
  uint64_t offset = 0;  // from the start of the function
  uint32_t size = 0;    // in bytes; 0: not known
  std::string guard, mnemonic, operands;
  Operation operation = Operation::unknown;
  uint32_t line = 0;    // in Annotation::lines
  uint32_t column = 0;  // in that line, from 1; 0: not known
  uint64_t samples = 0;
  Reasons reasons;
  Reasons exposed;  // of these, the samples in which nothing else was issued, if that is known
  // Of an instruction with samples: offsets of those whose results it waits for. And the other way
  // round: of those with samples that wait for this one. Ascending.
  std::vector<uint64_t> producers, consumers;
  // As CausesOfStalls; by offsets from the start of the function. The chain begins here.
  uint64_t stalls = 0;
  std::vector<Cause> causes;
  std::vector<uint64_t> chain;
  ChainEnd chain_end = ChainEnd::root;

  // `@!P0 LDG.E R2, [R2]`; `-` where nobody can name it
  std::string text() const;
};

// As StallRoot: the stalls that an instruction has to answer for.
struct Root {
  uint64_t offset = 0, samples = 0;
  std::vector<std::pair<uint64_t, uint64_t>> victims;  // offset and samples
};

// The innermost loop around the hottest instruction: from its first to its last instruction, with
// the samples of those that belong to it.
struct HotLoop {
  uint64_t first = 0, last = 0;  // offsets
  uint64_t samples = 0;
};

struct Annotation {
  std::string kernel, function;  // display names; function: as FunctionKey
  std::string symbol;            // of the kernel
  std::string object;            // as FunctionKey
  // How much greater the recording's offsets are, and so those in a flame graph: PoCL's kernels are
  // of several functions, and it counts from the first one. Modulo 2^64.
  uint64_t recorded_more = 0;
  uint64_t samples = 0;
  uint64_t kernel_samples = 0;  // also those of the other functions of the kernel
  bool whole = false;           // all instructions are here, not just those with samples
  bool tells_exposed = false;   // the recording tells which stalls are exposed
  Unnamed unnamed = Unnamed::no;
  std::vector<SourceLine> lines;  // by file and number; the first one may be unknown
  std::vector<AnnotatedInstruction> code;
  std::vector<Finding> findings;  // the largest first

  std::vector<Root> roots;
  StallCoverage coverage;
  std::optional<HotLoop> loop;  // where it is known

  // The instruction at or around an offset, or nullptr.
  const AnnotatedInstruction* at(uint64_t offset) const;

  // Of the instructions with samples that have no name.
  uint64_t unnamed_samples = 0;
};

// The instruction that holds an offset, as an index.
std::optional<uint32_t> instruction_at(const std::vector<AnnotatedInstruction>& code,
                                       uint64_t offset);

// Whether samples with this reason are work, and whether they are stalls that cost something.
bool is_work(std::string_view reason);
bool is_costly(std::string_view reason);
// The stalls that cost something: of the exposed ones where the recording tells them.
Reasons costly_stalls(const AnnotatedInstruction& instruction, bool tells_exposed);

class Annotator {
 public:
  explicit Annotator(bool full_names) : full_names_(full_names) {}

  // `exposed`: those of the samples that are exposed stalls; null where that is not known.
  Annotation annotate(const FunctionKey& key, const FunctionSamples& samples,
                      const FunctionSamples* exposed = nullptr);
  // The display name of a kernel, or of a function that it calls: "kernel: function".
  std::string name_of(const FunctionKey& key) const;

 private:
  CodeListing listing_of(const FunctionKey& key, const FunctionSamples& samples);
  void add_operations(const FunctionKey& key, uint64_t base, Annotation& out);
  void add_lines(const FunctionKey& key, uint64_t base, Annotation& out);
  using LineRows = std::map<std::pair<std::string, uint32_t>, std::vector<size_t>>;
  static void add_names(const FunctionSamples& samples, Annotation& out);
  static void add_line_rows(const LineRows& rows, Annotation& out);
  void add_edges(const FunctionKey& key, uint64_t base, Annotation& out);
  void add_causes(const FunctionKey& key, uint64_t base, Annotation& out);

  bool full_names_;
  DeviceSymbolizer symbolizer_;
  uint64_t listed_ = 0;  // instructions so far
  uint64_t asked_ = 0;   // for producers
  uint64_t steps_ = 0;   // of the search for causes
  bool warned_ = false;
};

}  // namespace aiflame::annotate
