// SPDX-License-Identifier: MIT
#include "libcommon/folded/quantity_references.h"

#include <algorithm>

namespace aiflame {

const QuantityReferences::Place* QuantityReferences::conflict(const Quantity& quantity) const {
  const auto found = std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
    return !is_comparable(place.quantity, quantity);
  });
  return found == places_.end() ? nullptr : &*found;
}

void QuantityReferences::add(const Place& place) {
  const Quantity& quantity = place.quantity;
  const bool period = quantity.is_sampled();
  const bool event = !quantity.event.empty();
  if (places_.empty() || (period && !has_period_) || (event && !has_event_))
    places_.push_back(place);
  has_period_ = has_period_ || period;
  has_event_ = has_event_ || event;
}

}  // namespace aiflame
