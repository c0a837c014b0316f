// SPDX-License-Identifier: MIT
// The listings of functions as data, for the pictures of aiflame-svg: libcommon/listing/listings.h
// has the format. Where a page shows every instruction, long runs without samples are left out
// here.
#pragma once

#include <string>

#include "tools/aiflame-annotate/annotation.h"
#include "tools/aiflame-annotate/settings.h"
#include "tools/aiflame-annotate/source_texts.h"

namespace aiflame::annotate {

class ListingData {
 public:
  ListingData();

  // Adds a function, whose page is the file `page`, unless it would be too much.
  void add(const Annotation& annotation, const std::string& page, const std::string& unit,
           const Settings& settings, SourceTexts& sources);

  const std::string& text() const { return text_; }
  size_t added() const { return added_; }
  size_t left_out() const { return left_out_; }

 private:
  std::string text_;
  size_t added_ = 0, left_out_ = 0;
};

}  // namespace aiflame::annotate
