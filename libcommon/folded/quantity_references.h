// SPDX-License-Identifier: MIT
// What the counts of an input are compared with, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/folded/quantity.h"

namespace aiflame {

// Some lines say less than others: no period, or no event. So one that does say it is kept for all
// that follow, and what is refused does not depend on what stands in between.
class QuantityReferences {
 public:
  struct Place {
    Quantity quantity;
    uint64_t line = 0;
    std::string file{};  // empty where there is only one
  };

  // The first place whose counts cannot be added to such; null if there is none.
  const Place* conflict(const Quantity& quantity) const;
  // Adds a place without a conflict, in the order of the input.
  void add(const Place& place);

  // The first place, the first with a period and the first with an event, in order.
  const std::vector<Place>& places() const { return places_; }

 private:
  std::vector<Place> places_;
  bool has_period_ = false, has_event_ = false;
};

}  // namespace aiflame
