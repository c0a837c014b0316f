// SPDX-License-Identifier: MIT
// What the counts of the files are, and whether they can be compared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/folded/quantity_references.h"

namespace aiflame {

// What one file says of its counts. A file made by cat(1) says it several times.
class FileQuantity {
 public:
  using Place = QuantityReferences::Place;
  struct Conflict {
    Place place, reference;
  };

  // Reads a line of the file, if it is_quantity_line().
  void read(std::string_view line, uint64_t number);
  // Adds what a later part of the file says, before which it has `lines` lines.
  void add(const FileQuantity& part, uint64_t lines);

  // All of them together.
  const Quantity& quantity() const { return quantity_; }
  // The lines that others are compared with.
  const std::vector<Place>& places() const { return references_.places(); }
  // Throws Error if the file, as messages name it, is a difference: two counts on each line.
  void refuse_two_counts(const std::string& name) const;
  // The first line that cannot be added to those before it. What follows it is not looked at.
  const std::optional<Conflict>& conflict() const { return conflict_; }

 private:
  void add(const Place& place);

  QuantityReferences references_;
  Quantity quantity_;
  std::optional<Conflict> conflict_;
};

// How the counts of two sides are compared.
enum class Compared {
  counts,      // as they are, or in relation to the work done
  shares,      // of their side's sum: the period may differ between the sides
  run_shares,  // of their file's sum: the period may differ between all files
  mixed,       // whatever they are (--mixed)
};

// What the counts that are written are; unknown if no file says it, or if different ones are mixed.
// `paths` are the files of the sides, `files` what each of them says, in the same order. Throws
// Error if the counts cannot be compared.
Quantity compared_quantity(const std::array<std::vector<std::string>, 2>& paths,
                           const std::vector<FileQuantity>& files, Compared compared);

}  // namespace aiflame
