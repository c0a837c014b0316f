// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/condition.h"

#include <cmath>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::report {
namespace {

// "+3%", after the operator
bool parse_limit(std::string_view text, Condition& out) {
  out.change = !text.empty() && (text[0] == '+' || text[0] == '-');
  const bool negative = out.change && text[0] == '-';
  if (out.change) text.remove_prefix(1);
  out.percent = text.ends_with('%');
  if (out.percent) text.remove_suffix(1);
  // digits and a point; parse_number() would also take "1e5", "inf" and a second sign
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return false;
  const std::optional<double> number = parse_number<double>(text);
  if (!number) return false;
  out.limit = negative ? -*number : *number;
  return true;
}

bool parse_subject(std::string_view text, Condition& out) {
  if (text == "total") return true;
  if (text.size() > 2 && text.front() == '/' && text.back() == '/') {
    out.subject = Condition::Subject::pattern;
    out.name = text.substr(1, text.size() - 2);
    return true;
  }
  for (int i = 0; i < kKinds; ++i) {
    std::string_view name = text;
    if (!take_prefix(name, std::string(kind_name(static_cast<Kind>(i))) + ":")) continue;
    out.subject = Condition::Subject::thing;
    out.kind = static_cast<Kind>(i);
    out.name = name;
    return !name.empty();
  }
  return false;
}

}  // namespace

Condition parse_condition(const std::string& text) {
  Condition out;
  out.text = text;
  // names may contain '<' and '>', limits do not
  const size_t at = text.find_last_of("<>");
  if (at == std::string::npos || !parse_limit(std::string_view(text).substr(at + 1), out) ||
      !parse_subject(std::string_view(text).substr(0, at), out))
    throw UsageError("option '--fail-on': '" + text +
                     "' is not like 'total>+3%', 'kernel:NAME>+1000' or '/REGEX/>5%'");
  out.greater = text[at] == '>';
  return out;
}

bool holds(const Condition& condition, const Change& change, double total) {
  double value = condition.change ? change.change() : change.after;
  double whole = condition.change ? change.before : total;
  if (condition.change && change.is_noise_known() && !change.beyond_noise()) return false;
  if (condition.percent) {
    if (whole > 0)
      value = 100 * value / whole;
    else
      value = value == 0 ? 0 : std::copysign(INFINITY, value);
  }
  return condition.greater ? value > condition.limit : value < condition.limit;
}

}  // namespace aiflame::report
