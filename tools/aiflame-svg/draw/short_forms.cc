// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/short_forms.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/utf8.h"
#include "libcommon/perf_script/function_parameters.h"

namespace aiflame::svg {
namespace {

constexpr std::string_view kFoldedTemplate = "<…>", kFoldedParameters = "(…)";

bool ends_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_>)]}'").find(c) != std::string_view::npos;
}

bool is_opening(char c) {
  return std::string_view("([{<").find(c) != std::string_view::npos;
}
bool is_closing(char c) {
  return std::string_view(")]}>").find(c) != std::string_view::npos;
}

// `text` with `instead` for what is in brackets behind a word: arguments or parameters. The
// brackets of "(anonymous namespace)" and "<module>" stand behind none.
std::string fold_brackets(std::string_view text, char open, char close, std::string_view instead) {
  std::string out;
  size_t depth = 0;
  bool behind_word = false;
  for (size_t i = 0; i < text.size();) {
    if (const size_t length = operator_length(text, i); length > 0) {
      if (depth == 0) out += text.substr(i, length);
      i += length;
      if (text.substr(i).starts_with(" <")) ++i;  // operator<< <char>
      behind_word = true;
      continue;
    }
    const char c = text[i++];
    if (c == open && (depth > 0 || behind_word)) {
      if (depth++ == 0) {
        const bool empty = i < text.size() && text[i] == close && !instead.empty();
        out += empty ? std::string{open, close} : std::string(instead);
      }
    } else if (c == close && depth > 0 && !(c == '>' && text[i - 2] == '-')) {
      --depth;
    } else if (depth == 0) {
      out += c;
    }
    behind_word = ends_word(c);
  }
  return depth == 0 ? out : std::string(text);
}

// The parts between "::" that are in no bracket.
std::vector<std::string> scopes_of(std::string_view text) {
  std::vector<std::string> scopes(1);
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (const size_t length = operator_length(text, i); length > 0) {
      scopes.back() += text.substr(i, length);
      i += length - 1;
      continue;
    }
    if (is_opening(text[i])) ++depth;
    if (is_closing(text[i])) --depth;
    if (depth == 0 && text.substr(i).starts_with("::")) {
      scopes.emplace_back();
      ++i;
    } else {
      scopes.back() += text[i];
    }
  }
  return scopes;
}

// Without parameters, and without the type of the result, which only names with parameters have.
std::string bare_function(const std::string& text) {
  std::string name = fold_brackets(text, '(', ')', "");
  if (name == text) return name;
  for (bool cut = true; cut;) {
    cut = false;
    for (const std::string_view word : {" const", " volatile", " noexcept", " &", " &&"})
      if (name.ends_with(word)) {
        name.resize(name.size() - word.size());
        cut = true;
      }
  }
  if (name.find("operator ") != std::string::npos) return name;
  size_t from = 0;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (is_opening(name[i])) ++depth;
    if (is_closing(name[i])) --depth;
    if (name[i] == ' ' && depth == 0) from = i + 1;
  }
  while (from < name.size() && (name[from] == '*' || name[from] == '&')) ++from;
  return name.substr(from);
}

// The position of "::{lambda" and of how other compilers call one, or npos.
size_t find_lambda(std::string_view text) {
  for (size_t i = text.find("::"); i != std::string_view::npos; i = text.find("::", i + 1)) {
    const std::string_view scope = text.substr(i + 2);
    if (scope.starts_with("{lambda") || scope.starts_with("'lambda") ||
        scope.starts_with("[lambda") ||
        (scope.starts_with("$_") && scope.size() > 2 && is_digit(scope[2])))
      return i;
  }
  return std::string_view::npos;
}

std::string_view without_rust_hash(std::string_view name) {
  constexpr size_t kDigits = 16, kLength = kDigits + 3;
  if (name.size() < kLength || name.substr(name.size() - kLength, 3) != "::h") return name;
  const std::string_view digits = name.substr(name.size() - kDigits);
  const bool is_hash = std::all_of(digits.begin(), digits.end(),
                                   [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
  return is_hash ? name.substr(0, name.size() - kLength) : name;
}

std::string without_template(std::string text) {
  if (const size_t at = text.find(kFoldedTemplate); at != std::string::npos)
    text.erase(at, kFoldedTemplate.size());
  return text;
}

size_t characters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) take_code_point(text);
  return count;
}

// "[layer 12 of 36, inferred]", of which the number is what tells it from its neighbours: "layer"
// and "12". Empty where it is no such name.
std::pair<std::string_view, std::string_view> numbered_part(std::string_view name) {
  if (!name.starts_with('[') || !name.ends_with(']')) return {};
  name.remove_prefix(1);
  const std::string_view what = take_field(name);
  name = trim_left(name);
  const std::string_view number = take_field(name);
  const bool is_one =
      std::all_of(what.begin(), what.end(), [](char c) { return c >= 'a' && c <= 'z'; }) &&
      !number.empty() && std::all_of(number.begin(), number.end(), is_digit) &&
      name.starts_with(" of ");
  return is_one ? std::pair(what, number) : std::pair<std::string_view, std::string_view>();
}

class Forms {
 public:
  explicit Forms(std::string_view name) : forms_{std::string(name)} {}

  // Only forms that are shorter than those before.
  void add(std::string form) {
    if (!form.empty() && characters(form) < characters(forms_.back()))
      forms_.push_back(std::move(form));
  }
  void add_scopes(std::string_view prefix, const std::string& bare) {
    std::vector<std::string> scopes = scopes_of(bare);
    const std::string last = std::move(scopes.back());
    scopes.pop_back();
    const std::string start(prefix);
    if (!scopes.empty()) {
      add(start + scopes.back() + "::" + last);
      add(start + without_template(scopes.back()) + "::" + last);
    }
    if (last.starts_with("operator")) return;  // which one it is, its class says
    add(start + last);
    add(start + without_template(last));
  }
  std::vector<std::string> take() { return std::move(forms_); }

 private:
  std::vector<std::string> forms_;
};

}  // namespace

std::vector<std::string> short_forms(std::string_view name) {
  constexpr std::string_view kPython = "py::", kTypeInfo = "typeinfo name for ";
  Forms forms(name);
  if (name.starts_with(kPython)) {
    name.remove_prefix(kPython.size());
    forms.add(std::string(name));
    forms.add(std::string(name.substr(0, name.find(':'))));
    return forms.take();
  }
  if (const auto [what, number] = numbered_part(name); !number.empty()) {
    forms.add("[" + std::string(what) + " " + std::string(number) + "]");
    forms.add(std::string(number));
    return forms.take();
  }
  if (name.starts_with(kTypeInfo)) name.remove_prefix(kTypeInfo.size());
  name = without_rust_hash(name);
  forms.add(std::string(name));
  if (name.find('/') != std::string_view::npos &&
      name.find_first_of(" (<") == std::string_view::npos) {
    forms.add(std::string(name.substr(name.rfind('/') + 1)));
    return forms.take();
  }
  const std::string folded = fold_brackets(name, '<', '>', kFoldedTemplate);
  forms.add(folded);
  std::string host = fold_brackets(folded, '(', ')', kFoldedParameters);
  const size_t lambda = find_lambda(host);
  const bool is_lambda = lambda != std::string::npos && lambda > 0;
  const std::string prefix = is_lambda ? "lambda in " : "";
  if (is_lambda) host.resize(lambda);
  forms.add(prefix + host);
  const std::string bare = bare_function(host);
  forms.add(prefix + bare);
  forms.add_scopes(prefix, bare);
  return forms.take();
}

}  // namespace aiflame::svg
