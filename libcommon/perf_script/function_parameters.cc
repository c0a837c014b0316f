// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/function_parameters.h"

#include <algorithm>
#include <optional>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

constexpr size_t kNowhere = std::string_view::npos;
constexpr std::string_view kAnonymous = "(anonymous namespace)";

// The position after the bracket that closes the one at `open`, or kNowhere.
size_t end_of_bracket(std::string_view name, size_t open, char close) {
  int depth = 0;
  for (size_t i = open; i < name.size(); ++i) {
    if (name[i] == name[open]) ++depth;
    if (name[i] == close && --depth == 0) return i + 1;
  }
  return kNowhere;
}

// Whether the parentheses have the sign of a pointer or reference to a function or array, and no
// name: `(*)`, `(&)`, `(Engine::*)`. Parameters follow them.
bool is_pointer_sign(std::string_view parentheses) {
  const std::string_view sign = parentheses.substr(1, parentheses.size() - 2);
  if (sign.empty() || sign.find(' ') != kNowhere) return false;
  return sign.ends_with("::*") || sign.find_first_not_of("*&") == kNowhere;
}

// Whether something inside of a function is named after its parameters, as with
// `step(int) const::Local`.
bool encloses_rest(std::string_view rest) {
  while (!rest.starts_with("::")) {
    if (!take_prefix(rest, " const") && !take_prefix(rest, " volatile") &&
        !take_prefix(rest, " &&") && !take_prefix(rest, " &") && !take_prefix(rest, " noexcept")) {
      if (!rest.starts_with("[abi:")) return false;
      rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    }
  }
  return true;
}

// Whether the parentheses from `open` to `end`, outside of other brackets, are part of the name.
bool belongs_to_name(std::string_view name, size_t open, size_t end) {
  const std::string_view before = name.substr(0, open), rest = name.substr(end);
  if (open == 0 || name.substr(open).starts_with(kAnonymous)) return true;
  // a type's; a lambda as LLVM writes it, `'lambda'(int)`
  for (const std::string_view word : {"decltype", "decltype ", "__vector", "noexcept", "'"})
    if (before.ends_with(word)) return true;
  return is_pointer_sign(name.substr(open, end - open)) || rest.starts_with('(') ||
         encloses_rest(rest);
}

// The function's parameter list outside of template arguments, or the end of the name. Nothing
// where angle brackets do not match.
std::optional<size_t> find_parameters(std::string_view name) {
  int angles = 0;
  size_t after_pointer = kNowhere;
  bool is_open = false;  // a bracket never closes: the others are looked at one by one
  for (size_t i = 0; i < name.size();) {
    if (const size_t length = operator_length(name, i); length > 0) {
      i += length;
      continue;
    }
    const char c = name[i];
    if (c == '<') ++angles;
    if (c == '>' && !(i > 0 && name[i - 1] == '-') && --angles < 0) return std::nullopt;
    size_t end = kNowhere;
    if (c == '(') {
      end = end_of_bracket(name, i, ')');
      if (end == kNowhere && angles > 0) return std::nullopt;
      if (end == kNowhere) return i;
      const bool is_part = angles > 0 || i == after_pointer || belongs_to_name(name, i, end);
      if (!is_part) return i;
      if (is_pointer_sign(name.substr(i, end - i))) after_pointer = end;
    } else if (angles == 0 && !is_open && (c == '{' || c == '[')) {
      end = end_of_bracket(name, i, c == '{' ? '}' : ']');
      is_open = end == kNowhere;
    }
    i = end == kNowhere ? i + 1 : end;
  }
  if (angles != 0) return std::nullopt;
  return name.size();
}

// stackcollapse-perf.pl's own rule: the first parenthesis except for the anonymous namespace's, and
// except for one that begins the name.
size_t find_any_parenthesis(std::string_view name) {
  const size_t end = name.starts_with('(') ? end_of_bracket(name, 0, ')') : 0;
  for (size_t i = end == kNowhere ? 0 : end; i < name.size(); ++i)
    if (name[i] == '(' && !name.substr(i).starts_with(kAnonymous)) return i;
  return name.size();
}

// net/http.(*Client).Do
bool is_go_method(std::string_view name) {
  const size_t open = name.find(".(");
  return open != kNowhere && name.rfind(").") != kNowhere && name.rfind(").") > open;
}

// -[NSString(Extras) trimmed]
bool is_objective_c_method(std::string_view name) {
  return (name.starts_with("-[") || name.starts_with("+[")) && name.ends_with(']');
}

}  // namespace

size_t operator_length(std::string_view name, size_t at) {
  constexpr std::string_view kOperator = "operator";
  if (!name.substr(at).starts_with(kOperator)) return 0;
  if (at > 0) {
    const char before = name[at - 1];
    if (before == '_' || (before >= '0' && before <= '9') || (before >= 'a' && before <= 'z') ||
        (before >= 'A' && before <= 'Z'))
      return 0;
  }
  const std::string_view rest = name.substr(at + kOperator.size());
  for (std::string_view sign :
       {"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<=", ">=", "<", ">"})
    if (rest.starts_with(sign)) return kOperator.size() + sign.size();
  return kOperator.size();
}

std::string_view without_parameters(std::string_view name) {
  if (is_go_method(name) || is_objective_c_method(name)) return name;
  const size_t end = find_parameters(name).value_or(find_any_parenthesis(name));
  // Mono has a blank before its parameters
  return end == name.size() ? name : trim_right(name.substr(0, end));
}

}  // namespace aiflame
