// SPDX-License-Identifier: MIT
// The columns of Nsight Compute's source page, by what a header calls them (pure). The names differ
// between versions and views; see source_page.cc for headers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame::ncu {

// Which samples are counted.
enum class Samples {
  all,
  exposed,  // those at which the scheduler issued nothing: the twins "(Not Issued)"
};

// The reason of a column, by the name that libcommon/code/stall_reasons.h knows:
// "stall_long_sb" and "smsp__pcsamp_warps_issue_stalled_long_scoreboard" are long_scoreboard.
// Nothing for a column that is no stall reason of `samples`.
std::optional<std::string> reason_of_column(std::string_view column, Samples samples);

struct SourceColumns {
  struct Reason {
    size_t column;
    std::string name;
  };

  // Nothing if `fields` are not a header of the source page.
  static std::optional<SourceColumns> parse(const std::vector<std::string_view>& fields,
                                            Samples samples);

  size_t count = 0;               // of all columns
  std::optional<size_t> address;  // of the instruction
  std::optional<size_t> line;     // the number of a source line
  size_t text = 0;                // of the instruction; of the source line, if there is no address
  size_t first_text = 0;          // of two texts, that of the source line
  std::optional<size_t> samples;  // the sum of the reasons, as Nsight Compute says it
  std::vector<Reason> reasons;    // each reason once
};

}  // namespace aiflame::ncu
