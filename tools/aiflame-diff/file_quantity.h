// SPDX-License-Identifier: MIT
// What the counts of the files are, and whether they can be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "tools/aiflame-diff/sides.h"

namespace aiflame::diff {

// What one file says of its counts. A file made by cat(1) says it several times.
class FileQuantity {
 public:
  struct Place {
    Quantity quantity;
    uint64_t line = 0;
  };

  // Reads a line of the file, if it is_quantity_line().
  void read(std::string_view line, uint64_t number);
  // Adds what a later part of the file says, before which it has `lines` lines.
  void add(const FileQuantity& part, uint64_t lines);

  // All of them together, and the line of the first.
  const Place& all() const { return all_; }
  // The first that cannot be added to those before it.
  const std::optional<Place>& other() const { return other_; }

 private:
  void add(const Place& place);

  Place all_;
  std::optional<Place> other_;
};

// How counts are compared.
enum class Comparison {
  counts,  // as they are, or in relation to the work done
  shares,  // of their side's sum: the period may differ between the sides
  mixed,   // whatever they are (--mixed)
};

// What the counts that are written are; unknown if no file says it, or if different ones are mixed.
// `files` are those of `paths`, in order. Throws Error if the counts cannot be compared.
Quantity compared_quantity(const Paths& paths, const std::vector<FileQuantity>& files,
                           Comparison comparison);

}  // namespace aiflame::diff
