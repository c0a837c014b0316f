// SPDX-License-Identifier: MIT
// Writes annotated functions as text, an instruction a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/aiflame-annotate/listing_writer.h"

namespace aiflame::annotate {

class ListingText : public ListingWriter {
 public:
  using ListingWriter::ListingWriter;

  std::string begin(const Statistics& statistics,
                    const std::vector<ListedFunction>& functions) override;
  // The function's instructions, or with --line its source lines.
  std::string function(const Annotation& annotation) override;
  std::string end() override { return ""; }

 private:
  std::string header(const Annotation& annotation) const;
  void instructions(const Annotation& annotation, std::string& out);
  void chain(const Annotation& annotation, const AnnotatedInstruction& it, std::string& out) const;
  void summary(const Annotation& annotation, std::string& out);
  // A line of source and, with --context, those around it. `reasons`: padded.
  void source_line(const SourceLine& line, uint64_t samples, uint64_t whole, size_t name_width,
                   const std::string& reasons, std::string& out);
  std::string numbers(uint64_t samples, uint64_t whole) const;
};

// Which instructions are not shown: those in runs of more than 20 that have no samples, and that
// none with samples waits for.
std::vector<bool> folded_away(const std::vector<AnnotatedInstruction>& code);

// Whether the chain of an instruction is shown: one that has stalls of `percent` of `all` samples.
bool has_chain(const AnnotatedInstruction& it, uint64_t all, double percent);

// What stands behind the offset of an instruction on the chain of `it`: ` send.ugm 97%
// compute.h:67`. The source line is left out where it is that of the one before.
std::string link_text(const Annotation& annotation, const AnnotatedInstruction& it, size_t link,
                      bool full_path);

// "compute.h:67", or "[no line]"
std::string line_name(const SourceLine& line, bool full_path);

// A line of source, with blanks for tabs, which are not printable.
std::string source_text(std::string_view text);

// "sbid 281, pipe 7"
std::string reasons_text(
    const Reasons& reasons,
    std::string (*number)(uint64_t) = [](uint64_t count) { return std::to_string(count); });

}  // namespace aiflame::annotate
