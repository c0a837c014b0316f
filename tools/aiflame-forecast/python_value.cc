// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/python_value.h"

#include "libcommon/base/parse.h"

namespace aiflame::forecast {
namespace {

constexpr int kDeepest = 8;
constexpr size_t kMostValues = 100000;  // a node of a model has some dozens

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool parse(PythonValue& value) { return parse_value(value, 0) && trim_left(rest_).empty(); }

 private:
  bool parse_value(PythonValue& value, int depth) {
    rest_ = trim_left(rest_);
    if (rest_.empty() || depth > kDeepest) return false;
    if (rest_.front() == '[') return parse_list(value, ']', depth);
    if (rest_.front() == '(') return parse_list(value, ')', depth);
    if (rest_.front() == '{') return parse_list(value, '}', depth);
    constexpr std::string_view kEmptySet = "set()";
    if (rest_.starts_with(kEmptySet)) {
      rest_.remove_prefix(kEmptySet.size());
      value.is_list = true;
      return true;
    }
    const bool quoted = rest_.front() == '\'';
    const size_t begin = quoted ? 1 : 0;
    const size_t end = quoted ? rest_.find('\'', 1) : rest_.find_first_of(",])}");
    // an empty number would never end a list: "[)"
    if (quoted ? end == std::string_view::npos : end == 0) return false;
    value.text = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + begin);
    return true;
  }
  bool parse_list(PythonValue& value, char close, int depth) {
    value.is_list = true;
    rest_.remove_prefix(1);
    for (;;) {
      rest_ = trim_left(rest_);
      if (rest_.empty()) return false;
      if (rest_.front() == close) {
        rest_.remove_prefix(1);
        return true;
      }
      if (++values_ > kMostValues || !parse_value(value.items.emplace_back(), depth + 1))
        return false;
      rest_ = trim_left(rest_);
      if (!rest_.empty() && rest_.front() == ',') rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
  size_t values_ = 0;
};

}  // namespace

std::optional<PythonValue> parse_python(std::string_view text) {
  PythonValue value;
  if (!Parser(text).parse(value)) return std::nullopt;
  return value;
}

}  // namespace aiflame::forecast
