// SPDX-License-Identifier: MIT
// A function with samples, instruction by instruction: what text, JSON and HTML show.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/device/device_symbolizer.h"
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

struct AnnotatedInstruction {
  uint64_t offset = 0;  // from the start of the function
  uint32_t size = 0;    // in bytes; 0: not known
  std::string guard, mnemonic, operands;
  uint32_t line = 0;  // in Annotation::lines
  uint64_t samples = 0;
  Reasons reasons;
  // Of an instruction with samples: offsets of those whose results it waits for. And the other way
  // round: of those with samples that wait for this one. Ascending.
  std::vector<uint64_t> producers, consumers;

  // `@!P0 LDG.E R2, [R2]`; `-` where nobody can name it
  std::string text() const;
};

struct Annotation {
  std::string kernel, function;  // display names; function: as FunctionKey
  std::string symbol;            // of the kernel
  std::string object;            // as FunctionKey
  uint64_t samples = 0;
  bool whole = false;  // all instructions are here, not just those with samples
  Unnamed unnamed = Unnamed::no;
  std::vector<SourceLine> lines;  // by file and number; the first one may be unknown
  std::vector<AnnotatedInstruction> code;

  // Of the instructions with samples that have no name.
  uint64_t unnamed_samples = 0;
};

class Annotator {
 public:
  explicit Annotator(bool full_names) : full_names_(full_names) {}

  Annotation annotate(const FunctionKey& key, const FunctionSamples& samples);
  // The display name of a kernel or function.
  std::string name_of(std::string_view symbol) const;

 private:
  CodeListing listing_of(const FunctionKey& key, const FunctionSamples& samples);
  void add_lines(const FunctionKey& key, uint64_t base, Annotation& out);
  void add_edges(const FunctionKey& key, uint64_t base, Annotation& out);

  bool full_names_;
  DeviceSymbolizer symbolizer_;
  uint64_t listed_ = 0;  // instructions so far
  uint64_t asked_ = 0;   // for producers
  bool warned_ = false;
};

}  // namespace aiflame::annotate
