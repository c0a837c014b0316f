// SPDX-License-Identifier: MIT
#include "libcommon/statistics/families.h"

#include <algorithm>

namespace aiflame {

size_t ComparisonFamily::add(const Difference& difference) {
  // p-values take long to compute, and one above the level matters no more than 1
  const bool may_be_found = screen_.interval(difference).beyond_noise();
  entries_.push_back(
      {difference, may_be_found ? p_value(difference) : 1, least_p_value(difference)});
  return entries_.size() - 1;
}

void ComparisonFamily::decide() {
  std::vector<double> least;
  for (const Entry& one : entries_) least.push_back(one.least);
  std::sort(least.begin(), least.end());
  // the smallest K such that at most K comparisons can pass level / K
  size_t k = 1;
  const auto passing = [&](size_t of) {
    const auto end = std::upper_bound(least.begin(), least.end(), level_ / static_cast<double>(of));
    return static_cast<size_t>(end - least.begin());
  };
  while (passing(k) > k) ++k;
  tested_ = passing(k);
  least_tested_ = level_ / static_cast<double>(k);

  std::vector<double> p;
  for (const Entry& one : entries_)
    if (one.least <= least_tested_) p.push_back(one.p);
  std::sort(p.begin(), p.end());
  const double each = level_ / static_cast<double>(std::max<size_t>(1, tested_));
  size_t found = p.size();
  while (found > 0 && p[found - 1] > each * static_cast<double>(found)) --found;
  const auto comparison = [&](double critical) {
    return Comparison(level_ >= 1 ? 0 : 1 - critical);
  };
  of_tested_ = comparison(each * static_cast<double>(std::max<size_t>(1, found)));
  of_others_ = comparison(least_tested_);
}

Change ComparisonFamily::change(size_t number) const {
  const Entry& entry = entries_[number];
  return (entry.least <= least_tested_ ? of_tested_ : of_others_)->interval(entry.difference);
}

}  // namespace aiflame
