// SPDX-License-Identifier: MIT
#include "libcommon/device/short_name.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/perf_script/function_parameters.h"
#include "libcommon/text/fnv1a.h"

namespace aiflame {
namespace {

// Template arguments that are nested deeper are left out, so that hostile nesting takes neither
// time nor stack. The deepest of 9 884 real names has 9 levels.
constexpr int kDeepest = 16;

// Longer names are only cut, for the same reason. The longest of those names has 10 129 bytes.
constexpr size_t kLongestParsed = size_t{16} << 10;

// The position after the bracket that closes the one at `open`, or npos. In parentheses `<` and `>`
// may be operators.
size_t after_bracket(std::string_view text, size_t open) {
  std::string closers;
  for (size_t i = open; i < text.size();) {
    if (const size_t length = operator_length(text, i); length > 0) {
      i += length;
      continue;
    }
    const char c = text[i++];
    if (c == '(') closers += ')';
    if (c == '[') closers += ']';
    if (c == '{') closers += '}';
    if (c == '<') closers += '>';
    if (c == '>' && closers.back() == '>' && text[i - 2] != '-') closers.pop_back();
    if (c == ')' || c == ']' || c == '}') {
      while (!closers.empty() && closers.back() == '>') closers.pop_back();
      if (closers.empty() || closers.back() != c) return std::string_view::npos;
      closers.pop_back();
    }
    if (closers.empty()) return i;
  }
  return std::string_view::npos;
}

bool is_opening(char c) {
  return c == '(' || c == '[' || c == '{' || c == '<';
}

// The position after the character, the operator or the whole bracket at `at`. A bracket that does
// not close reaches to the end.
size_t next(std::string_view text, size_t at) {
  if (const size_t length = operator_length(text, at); length > 0) return at + length;
  if (is_opening(text[at])) return std::min(after_bracket(text, at), text.size());
  return at + 1;
}

bool is_balanced(std::string_view text) {
  for (size_t i = 0; i < text.size(); i = next(text, i)) {
    if (operator_length(text, i) > 0) continue;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') return false;
    if (is_opening(text[i]) && after_bracket(text, i) == std::string_view::npos) return false;
  }
  return true;
}

// The parts of `text` between separators that are in no bracket.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> out;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with(separator)) {
      out.push_back(text.substr(begin, i - begin));
      begin = i += separator.size();
    } else {
      i = next(text, i);
    }
  }
  out.push_back(text.substr(begin));
  return out;
}

// The parts of `text` between blanks that are in no bracket. Qualifiers after parameters and the
// type of a conversion belong to the word before them: `f(int) const::g`, `T::operator int`.
std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> out;
  bool is_conversion = false;
  for (const std::string_view word : split(text, " ")) {
    if (word.empty()) continue;
    const bool after_parameters = !out.empty() && out.back().ends_with(')') &&
                                  (word.starts_with("const") || word.starts_with("volatile") ||
                                   word.starts_with("noexcept") || word.starts_with('&'));
    if (after_parameters || is_conversion) {
      const char* const begin = out.back().data();
      out.back() = std::string_view(begin, static_cast<size_t>(word.data() - begin) + word.size());
    } else {
      out.push_back(word);
    }
    is_conversion = word.ends_with("operator") || (is_conversion && word.find('(') == word.npos);
  }
  return out;
}

// `(int)4`, `2ul` and `(bool)1` as `4`, `2` and `true`; empty where `text` is no such value.
std::string_view value_text(std::string_view text) {
  std::string_view type;
  if (text.starts_with('(')) {
    const size_t end = std::min(after_bracket(text, 0), text.size());
    type = text.substr(1, end - 2);
    text.remove_prefix(end);
  }
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const size_t end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  if (end == 0 || digits.find_first_not_of("ul", end) != std::string_view::npos) return {};
  text.remove_suffix(digits.size() - end);
  if (type == "bool") return text == "0" ? "false" : "true";
  return text;
}

// A lambda in a path, however the demangler writes it: libiberty `{lambda(int)#1}`, LLVM
// `'lambda'(int)` and `'lambda0'(int)`, NVIDIA `[lambda(int) (instance 1)]`.
struct Lambda {
  bool is_one = false;
  std::string_view parameters;
  std::string number;
};

Lambda lambda_of(std::string_view part) {
  Lambda out;
  std::string_view rest = part.substr(part.empty() ? 0 : 1);
  const char quote = part.empty() ? '\0' : part.front();
  if ((quote != '{' && quote != '[' && quote != '\'') || !take_prefix(rest, "lambda")) return out;
  std::string_view number;
  if (quote == '\'') {
    number = rest.substr(0, rest.find('\''));
    rest.remove_prefix(std::min(number.size() + 1, rest.size()));
  }
  if (!rest.starts_with('(')) return out;
  const size_t end = std::min(after_bracket(rest, 0), rest.size());
  out.parameters = rest.substr(1, end - 2);
  rest.remove_prefix(end);
  if (quote != '\'') {
    rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
    out.number = rest.substr(0, rest.find_first_not_of("0123456789"));
  } else {
    // LLVM numbers the second one 0
    const auto index = parse_number<uint32_t>(number);
    out.number = std::to_string(index ? uint64_t{*index} + 2 : 1);
  }
  out.is_one = true;
  return out;
}

// Namespaces without a name, and those of which the version is made: libstdc++, libc++, SYCL.
bool is_noise(std::string_view part) {
  for (const std::string_view noise : {"(anonymous namespace)", "<unnamed>", "__cxx11", "_V1",
                                       "__1", "__ndk1", "`anonymous namespace'"})
    if (part == noise) return true;
  return part.starts_with("_GLOBAL__N_");
}

// How much of a name is written.
enum class Detail {
  all,
  bare_lambdas,  // `f::{lambda}` for all lambdas in f
};

class Shortener {
 public:
  explicit Shortener(Detail detail) : detail_(detail) {}

  // The name of a function; empty where it follows no grammar.
  std::string function(std::string_view name) {
    std::vector<std::string_view> words = split_words(name);
    std::string bindings;
    // `run(T*) [with T = int]`, `run [clone .constprop.0]`
    while (words.size() > 1 && words.back().starts_with('[') && !lambda_of(words.back()).is_one) {
      if (words.back().find(" = ") != std::string_view::npos) bindings = binding_list(words.back());
      words.pop_back();
    }
    // what stands before the last word is the type of the result
    if (words.empty()) return "";
    const std::string path_text = path(words.back(), 0, false);
    return path_text.empty() || bindings.empty() ? path_text : path_text + " " + bindings;
  }

 private:
  std::string binding_list(std::string_view bracket) {
    bracket = bracket.substr(1, bracket.size() - 2);
    take_prefix(bracket, "with ");
    std::string out;
    for (const std::string_view some : split(bracket, ";"))
      for (const std::string_view one : split(some, ",")) {
        const size_t equals = one.find(" = ");
        out += out.empty() ? "[" : ", ";
        if (equals == std::string_view::npos)
          out += trim(one);
        else
          out.append(trim(one.substr(0, equals)))
              .append(" = ")
              .append(type(one.substr(equals + 3), 1));
      }
    return out + "]";
  }

  // `a::b::f<int>(int)::{lambda()#1}::operator()() const` as `a::b::f<int>::{lambda()#1}`, and
  // `f<int>::{lambda()#1}` where it is an argument.
  std::string path(std::string_view text, int level, bool is_argument) {
    std::vector<std::string_view> parts = split(text, "::");
    std::erase_if(parts, is_noise);
    size_t first = 0;
    if (is_argument)
      while (first + 1 < parts.size() &&
             parts[first].find_first_of("<({['") == std::string_view::npos)
        ++first;
    std::string out;
    bool after_lambda = false;
    for (size_t i = first; i < parts.size(); ++i) {
      if (after_lambda && parts[i].starts_with("operator()")) continue;
      const bool is_lambda = lambda_of(parts[i]).is_one;
      if (after_lambda && is_lambda && detail_ == Detail::bare_lambdas) continue;
      after_lambda = is_lambda;
      if (!out.empty()) out += "::";
      out += part(parts[i], level);
    }
    return out;
  }

  // One part of a path, without parameters and what follows them.
  std::string part(std::string_view text, int level) {
    if (const Lambda lambda = lambda_of(text); lambda.is_one) {
      if (detail_ == Detail::bare_lambdas) return "{lambda}";
      return "{lambda(" + types(lambda.parameters, level + 1) + ")#" + lambda.number + "}";
    }
    if (text.starts_with('{')) return std::string(text);
    std::string out;
    for (size_t i = 0; i < text.size();) {
      const size_t end = next(text, i);
      const std::string_view unit = text.substr(i, end - i);
      if (unit.starts_with('(')) break;
      if (unit.starts_with('<') && unit.size() > 1) {
        out += "<" + types(unit.substr(1, unit.size() - 2), level + 1) + ">";
        if (out == "basic_string<char>") out = "string";
      } else if (!unit.starts_with("[abi:")) {
        out += unit;
      }
      i = end;
    }
    return out;
  }

  // A list of types and values.
  std::string types(std::string_view list, int level) {
    if (trim(list).empty()) return "";
    if (level > kDeepest) return "...";
    std::string out;
    for (const std::string_view one : split(list, ",")) {
      const std::string text = type(one, level);
      // what the standard library adds by itself
      const bool is_default = text.starts_with("allocator<") || text.starts_with("char_traits<");
      if (is_default && !out.empty()) continue;
      if (!out.empty()) out += ", ";
      out += text;
    }
    return out;
  }

  std::string type(std::string_view text, int level) {
    text = trim(text);
    if (const std::string_view value = value_text(text); !value.empty()) return std::string(value);
    const size_t ands = std::min(text.find_first_not_of('&'), text.size());
    if (ands > 0)
      return level < kDeepest ? "&" + type(text.substr(ands), level + 1) : std::string(text);
    if (text.starts_with('(') && after_bracket(text, 0) == text.size() && level < kDeepest)
      return type_in_parentheses(text, level);
    // `const T &` is `T const&`
    std::vector<std::string_view> names;
    std::string marks;
    bool is_const = false;
    for (std::string_view word : split_words(text)) {
      const size_t stars = word.size() - (word.find_last_not_of("*&") + 1);
      const std::string_view star = word.substr(word.size() - stars);
      const bool is_operator = word.find("operator") != std::string_view::npos;
      if (stars > 0 && !is_operator) word.remove_suffix(stars);
      if (word == "const" && marks.empty())
        is_const = true;
      else if (word == "const")
        marks += " const";
      else if (!word.empty() && word != "__restrict__" && word != "volatile")
        names.push_back(word);
      if (!is_operator) marks += star;
    }
    // a function's path has its result type before it: `void f(int)::{lambda()#1}`
    std::string out;
    for (size_t i = is_function(names) ? names.size() - 1 : 0; i < names.size(); ++i) {
      if (!out.empty() && !names[i].starts_with('(')) out += ' ';
      out += names[i].starts_with('(') && !out.empty()
                 ? "(" + types(names[i].substr(1, names[i].size() - 2), level + 1) + ")"
                 : path(names[i], level, true);
    }
    return out + (is_const ? " const" : "") + marks;
  }

  // `(f<int>)` of `&(f<int>)`, or an expression
  std::string type_in_parentheses(std::string_view text, int level) {
    return "(" + type(text.substr(1, text.size() - 2), level + 1) + ")";
  }

  // Whether the last of the words is a function's path, and not `unsigned int` or `void (int)`.
  static bool is_function(const std::vector<std::string_view>& words) {
    return words.size() > 1 && !words.back().starts_with('(') &&
           words.back().find_first_of("({") != std::string_view::npos;
  }

  Detail detail_;
};

// `operator()` for NVIDIA's `operator ()`.
std::string without_blanks_in_operators(std::string_view name) {
  std::string out(name);
  for (size_t at = 0; (at = out.find("operator (", at)) != std::string::npos;)
    out.erase(at + sizeof "operator" - 1, 1);
  return out;
}

// The same everywhere, since names are compared between files.
uint32_t tag_of(std::string_view name) {
  return static_cast<uint32_t>(fnv1a(name) >> 40);
}

// `f<int, A<char, 2>, 7>` as `f<int, A<char, ...>>` in at most `size` bytes: up to the last
// argument that fits, or in the middle of a word where there is none.
std::string cut(std::string_view name, size_t size) {
  constexpr std::string_view kGap = "...";
  size_t best = 0;
  std::string closers, closers_of_best;
  for (size_t i = 0; i < name.size() && i + kGap.size() + closers.size() <= size;) {
    if (const size_t length = operator_length(name, i); length > 0) {
      i += length;
      continue;
    }
    const char c = name[i++];
    if (c == '<') closers += '>';
    if (c == '>' && !closers.empty()) closers.pop_back();
    const bool ends_one = c == '<' || name.substr(0, i).ends_with(", ");
    if (!ends_one || closers.empty() || i + kGap.size() + closers.size() > size) continue;
    best = i;
    closers_of_best = closers;
  }
  if (best == 0) {
    best = size - kGap.size();
    while (best > 0 && (static_cast<unsigned char>(name[best]) & 0xc0) == 0x80) --best;
  }
  return std::string(name.substr(0, best)).append(kGap) + closers_of_best;
}

}  // namespace

std::string short_name(std::string_view name) {
  std::string whole(name), out;
  if (name.find_first_of("<({[") != std::string_view::npos) {
    const bool is_gos = name.find(".(") != std::string_view::npos;  // net/http.(*Client).Do
    whole.clear();
    if (name.size() <= kLongestParsed && !is_gos && is_balanced(name)) {
      const std::string text = without_blanks_in_operators(name);
      whole = Shortener(Detail::all).function(text);
      if (whole.size() > kLongestShortName) out = Shortener(Detail::bare_lambdas).function(text);
    }
    if (whole.empty()) whole = trim_right(without_parameters(name));
  }
  if (whole.size() <= kLongestShortName) return whole;
  constexpr size_t kTag = 7;  // `#3fa29c`
  if (out.empty()) out = whole;
  if (out.size() > kLongestShortName - kTag) out = cut(out, kLongestShortName - kTag);
  return out + format("#%06x", tag_of(whole));
}

}  // namespace aiflame
