// SPDX-License-Identifier: MIT
// The files that a recording is written to. As perf record does, the current part is written to
// FILE, and gets the name FILE.TIMESTAMP when it is whole: whoever finds such a name finds a whole
// recording.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "libcommon/base/output.h"

namespace aiflame::record {

class PartFiles {
 public:
  // `file` as for Output. With `timestamps` it is renamed. Of more than `most` parts the oldest is
  // removed, 0 = none. Opens the first one, and throws Error when that fails.
  PartFiles(std::string file, bool timestamps, uint64_t most);

  // The current part's.
  Output& output();
  // Ends the current part: closes its file and gives it its name. Throws Error; a part without a
  // name stays in FILE.
  void finish();

  uint64_t finished() const { return finished_; }
  uint64_t removed() const { return removed_; }

 private:
  std::string rename_whole();

  const std::string file_;
  const bool timestamps_;
  const uint64_t most_;
  std::optional<Output> out_;
  std::deque<std::string> names_;  // of the parts that are there, with `most`
  uint64_t latest_ = 0;            // hundredth that is in a name
  uint64_t finished_ = 0, removed_ = 0;
};

// "2015122520103046": local time, and two digits of hundredths, as perf's. `hundredths` since 1970.
std::string part_timestamp(uint64_t hundredths);

}  // namespace aiflame::record
