// SPDX-License-Identifier: MIT
// Writes annotated functions as JSON: kernel, source line, instruction. aiflame-annotate(1) has the
// schema.
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-annotate/listing_writer.h"

namespace aiflame::annotate {

class ListingJson : public ListingWriter {
 public:
  using ListingWriter::ListingWriter;

  std::string begin(const Statistics& statistics,
                    const std::vector<ListedFunction>& functions) override;
  std::string function(const Annotation& annotation) override;
  std::string end() override;

 private:
  void line(const Annotation& annotation, size_t index, const std::vector<size_t>& code,
            std::string& out);

  bool first_ = true;
};

}  // namespace aiflame::annotate
