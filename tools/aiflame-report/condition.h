// SPDX-License-Identifier: MIT
// --fail-on: a condition under which the report fails, such as `total>+3%` or `/memcpy/>1000`.
#pragma once

#include <optional>
#include <string>

#include "libcommon/statistics/change.h"
#include "tools/aiflame-report/layers.h"

namespace aiflame::report {

// SUBJECT OPERATOR LIMIT, without blanks between:
//   SUBJECT   total | KIND:NAME | /REGULAR EXPRESSION/
//   OPERATOR  > | <
//   LIMIT     +N -N (a change), +N% -N% (of the count before), N (a count), N% (of the total after)
struct Condition {
  enum class Subject { total, thing, pattern };

  std::string text;
  Subject subject = Subject::total;
  Kind kind = Kind::frame;  // if the subject is a thing
  std::string name;         // of the thing, or the regular expression
  bool greater = true;
  bool change = false;
  bool percent = false;
  double limit = 0;
};

// Throws UsageError.
Condition parse_condition(const std::string& text);

// Whether the condition holds. `total` is the sum of all counts of the side after. A change must
// also be beyond noise, if its noise is known. A change from nothing to something exceeds any
// percentage.
bool holds(const Condition& condition, const Change& change, double total);

}  // namespace aiflame::report
