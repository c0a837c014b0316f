// SPDX-License-Identifier: MIT
// Writes annotated functions as one page for a browser: the source beside the instructions. It
// needs nothing else, and its content policy allows its own script and style alone. Foreign text
// never becomes markup. libcommon/listing/listing.js has what the reader can do with a listing,
// here and in a picture of aiflame-svg, which makes the same rows in its page/listing_rows.js.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/aiflame-annotate/listing_writer.h"
#include "tools/aiflame-annotate/page_links.h"
#include "tools/aiflame-annotate/source_rows.h"

namespace aiflame::annotate {

class ListingHtml : public ListingWriter {
 public:
  // `index`: a page with a list of all kernels, which this one is a part of; empty: there is none.
  ListingHtml(const Settings& settings, const EventTotal& total, SourceTexts& sources,
              PageLinks& links, std::string index = "");

  std::string begin(const Statistics& statistics,
                    const std::vector<ListedFunction>& functions) override;
  std::string function(const Annotation& annotation) override;
  std::string end() override;

 private:
  void findings(const Annotation& annotation, std::string& out) const;
  void source_pane(const Annotation& annotation, std::string& out);
  void source_row(const SourceRow& row, const Annotation& annotation, std::string& out);
  void code_pane(const Annotation& annotation, std::string& out);
  // What the columns of a function's instructions are for.
  struct Columns {
    bool reasons = false, edges = false, lines = false;
    uint64_t most = 0;  // samples of the hottest instruction
  };
  void instruction(const Annotation& annotation, const Columns& columns,
                   const AnnotatedInstruction& it, std::string& out);
  // The reasons of an instruction: a bar of their colours, as wide as its samples of those of the
  // function's hottest one.
  void reasons(const AnnotatedInstruction& it, uint64_t most, std::string& out) const;
  void chain(const Annotation& annotation, const AnnotatedInstruction& it, std::string& out) const;
  // `way`: the class that the other instruction gets when this one is picked.
  std::string link(uint64_t offset, const char* way, const char* arrow) const;
  void strip(const Annotation& annotation, std::string& out) const;
  // The anchor of an instruction or source line: `0x448` and `matmul.cl:10` in the first function,
  // `2-0x448` and `2-matmul.cl:10` in the second.
  std::string anchor(const std::string& place) const;
  std::string anchor(uint64_t offset) const;
  std::string share(uint64_t samples, const Annotation& annotation) const;
  // The class that colours a row by its samples.
  int heat(uint64_t samples, const Annotation& annotation) const;

  size_t functions_ = 0;         // written so far
  std::set<std::string> lines_;  // anchors of source lines
  PageLinks& links_;
  std::string index_;
};

// The beginning of a page, up to its first heading.
std::string page_head(std::string_view title, std::string_view heading);
// "1 stall", "20,000 stalls", as XML
std::string counted(uint64_t count, const std::string& unit);
// What the samples are, and how many are in no kernel that is shown.
std::string samples_sentence(const EventTotal& total, const Statistics& statistics);
// Its script, and its end.
std::string page_end();

}  // namespace aiflame::annotate
