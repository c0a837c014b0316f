// SPDX-License-Identifier: MIT
// A format of the output. Functions are written one after the other, so that one of them is in
// memory at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/aiflame-annotate/annotation.h"
#include "tools/aiflame-annotate/settings.h"
#include "tools/aiflame-annotate/source_texts.h"
#include "tools/aiflame-annotate/statistics.h"

namespace aiflame::annotate {

// What an event counts, and all of its samples.
struct EventTotal {
  std::string event, unit;  // empty: there are no samples
  uint64_t samples = 0;
};

struct ListedFunction {
  std::string name;  // of the kernel, and of the function that it calls: "kernel: function"
  uint64_t samples = 0;
};

class ListingWriter {
 public:
  ListingWriter(const Settings& settings, const EventTotal& total, SourceTexts& sources)
      : settings_(settings), total_(total), sources_(sources) {}
  virtual ~ListingWriter() = default;

  // What stands before the first function. `statistics` has the samples that are not listed;
  // `functions` are those that follow.
  virtual std::string begin(const Statistics& statistics,
                            const std::vector<ListedFunction>& functions) = 0;
  virtual std::string function(const Annotation& annotation) = 0;
  virtual std::string end() = 0;

 protected:
  const Settings& settings_;
  const EventTotal& total_;
  SourceTexts& sources_;
};

}  // namespace aiflame::annotate
