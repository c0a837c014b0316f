// SPDX-License-Identifier: MIT
// Writes each annotated function as a page of its own into a directory, and a page that lists them.
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-annotate/listing_data.h"
#include "tools/aiflame-annotate/listing_writer.h"
#include "tools/aiflame-annotate/page_links.h"

namespace aiflame::annotate {

// What the functions return is the list, index.html. The file `listings` has the hottest functions
// as data.
class ListingPages : public ListingWriter {
 public:
  ListingPages(const Settings& settings, const EventTotal& total, SourceTexts& sources,
               PageLinks& links)
      : ListingWriter(settings, total, sources), links_(links) {}

  std::string begin(const Statistics& statistics,
                    const std::vector<ListedFunction>& functions) override;
  std::string function(const Annotation& annotation) override;
  std::string end() override;

 private:
  PageLinks& links_;
  const Statistics* statistics_ = nullptr;
  std::vector<ListedFunction> functions_;
  std::vector<std::string> files_;  // their names
  ListingData data_;
  size_t written_ = 0;
};

// Names of files for functions, in their order: letters, digits, `-`, `.` and `_`, `.html` at the
// end. They depend on the names alone; of several alike the second has `-2`.
std::vector<std::string> page_files(const std::vector<ListedFunction>& functions);

}  // namespace aiflame::annotate
