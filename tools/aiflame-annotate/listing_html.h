// SPDX-License-Identifier: MIT
// Writes annotated functions as one page for a browser: the source beside the instructions. It
// needs nothing else, and its content policy allows its own script and style alone. Foreign text
// never becomes markup. page/annotate.js has what the reader can do.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/aiflame-annotate/listing_writer.h"
#include "tools/aiflame-annotate/page_links.h"

namespace aiflame::annotate {

class ListingHtml : public ListingWriter {
 public:
  using ListingWriter::ListingWriter;

  std::string begin(const Statistics& statistics,
                    const std::vector<ListedFunction>& functions) override;
  std::string function(const Annotation& annotation) override;
  std::string end() override;
  std::string links() const override { return links_.text(settings_.html); }

 private:
  void source_pane(const Annotation& annotation, std::string& out);
  void source_row(const std::string& file, uint64_t number, const Annotation& annotation,
                  const std::map<uint64_t, size_t>& lines, std::string& out);
  void code_pane(const Annotation& annotation, std::string& out);
  // What the columns of a function's instructions are for.
  struct Columns {
    bool reasons = false, edges = false, lines = false;
  };
  void instruction(const Annotation& annotation, const Columns& columns,
                   const AnnotatedInstruction& it, std::string& out);
  void strip(const Annotation& annotation, std::string& out) const;
  // The anchor of an instruction: `0x448` in the first function, `2-0x448` in the second. That of a
  // source line is `matmul.cl:10`, where it stands first.
  std::string anchor(uint64_t offset) const;
  std::string share(uint64_t samples, const Annotation& annotation) const;
  // The class that colours a row by its samples.
  int heat(uint64_t samples, const Annotation& annotation) const;

  size_t functions_ = 0;         // written so far
  std::set<std::string> lines_;  // anchors of source lines
  PageLinks links_;
};

// `text` as the content of an element or attribute; what is not printable as octal escapes.
std::string html_text(std::string_view text);

}  // namespace aiflame::annotate
