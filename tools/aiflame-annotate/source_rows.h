// SPDX-License-Identifier: MIT
// The source of a function as pages show it: the lines that have code, with some lines around them,
// file by file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/aiflame-annotate/annotation.h"
#include "tools/aiflame-annotate/source_texts.h"

namespace aiflame::annotate {

struct SourceRow {
  enum class Kind {
    file,     // `text` is its path; the next rows are of it
    gap,      // lines are left out
    code,     // a line that has code, whose text may be unknown
    context,  // a line around one
  };
  Kind kind;
  uint64_t number = 0;  // of the line
  size_t line = 0;      // of `code`: its index in Annotation::lines
  std::string text;
  bool found = false;  // the file was; of `file`
};

std::vector<SourceRow> source_rows(const Annotation& annotation, SourceTexts& sources);

// Whether no file was found, so that there are numbers of lines alone.
bool is_bare(const std::vector<SourceRow>& rows);

}  // namespace aiflame::annotate
