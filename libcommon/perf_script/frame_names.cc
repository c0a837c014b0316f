// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/frame_names.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/perf_script/nvtx_frame.h"
#include "libcommon/perf_script/perf_script.h"

namespace aiflame {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

// `/tmp/x` for `/tmp/x (deleted)`.
std::string_view without_deleted(std::string_view object) {
  constexpr std::string_view kDeleted = " (deleted)";
  if (object.ends_with(kDeleted)) object.remove_suffix(kDeleted.size());
  return object;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// [kernel.kallsyms], [nf_conntrack], vmlinux, vmlinux-5.4, x.ko, x.ko.xz. User space has bracketed
// names, too.
bool is_kernel(std::string_view object) {
  if (contains(object, "unknown")) return false;
  if (object.starts_with('[')) {
    for (std::string_view user : {"[vdso", "[vvar", "[vsyscall", "[heap", "[stack", "[anon",
                                  "[python", "[stall", "[kernel]"})
      if (object.starts_with(user)) return false;
    return true;
  }
  const std::string_view base = base_name(object);
  return object.ends_with("vmlinux") || base.starts_with("vmlinux-") || base.ends_with(".ko") ||
         contains(base, ".ko.");
}

// /tmp/perf-19982.map, or a jitted-19982-3.so that `perf inject --jit` has made.
bool is_jit(std::string_view object) {
  constexpr std::string_view kMap = "/tmp/perf-";
  const size_t map = object.find(kMap);
  if (map != std::string_view::npos) {
    std::string_view rest = object.substr(map + kMap.size());
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 && rest.substr(digits).starts_with(".map")) return true;
  }
  const std::string_view base = base_name(object);
  return base.starts_with("jitted-") && base.ends_with(".so");
}

// The position after the parenthesis that closes the one at `open`, or npos.
size_t end_of_parenthesis(std::string_view name, size_t open) {
  int depth = 0;
  for (size_t i = open; i < name.size(); ++i) {
    if (name[i] == '(') ++depth;
    if (name[i] == ')' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// The first parameter list outside of template arguments, or the end of the name. Nothing where
// angle brackets do not match.
std::optional<size_t> find_parameters(std::string_view name) {
  int angles = 0;
  for (size_t i = 0; i < name.size();) {
    if (const size_t length = operator_length(name, i); length > 0) {
      i += length;
      continue;
    }
    const char c = name[i];
    if (c == '<') ++angles;
    if (c == '>' && !(i > 0 && name[i - 1] == '-') && --angles < 0) return std::nullopt;
    if (c != '(') {
      ++i;
      continue;
    }
    const std::string_view before = name.substr(0, i);
    const bool part_of_name = angles > 0 || name.substr(i).starts_with(kAnonymous) ||
                              before.ends_with("decltype") || before.ends_with("decltype ");
    if (!part_of_name) return i;
    i = end_of_parenthesis(name, i);
    if (i == std::string_view::npos) return std::nullopt;
  }
  if (angles != 0) return std::nullopt;
  return name.size();
}

// stackcollapse-perf.pl's own rule: the first parenthesis except for the anonymous namespace's.
size_t find_any_parenthesis(std::string_view name) {
  for (size_t i = 0; i < name.size(); ++i)
    if (name[i] == '(' && !name.substr(i).starts_with(kAnonymous)) return i;
  return name.size();
}

// net/http.(*Client).Do
bool is_go_method(std::string_view name) {
  const size_t open = name.find(".(");
  return open != std::string_view::npos && name.rfind(").") != std::string_view::npos &&
         name.rfind(").") > open;
}

// Takes the first function off a chain `outer->inner`. The arrow of `operator->` is no separator.
std::string_view take_function(std::string_view& chain) {
  size_t arrow = chain.find("->");
  while (arrow != std::string_view::npos && chain.substr(0, arrow).ends_with("operator"))
    arrow = chain.find("->", arrow + 2);
  const std::string_view function = chain.substr(0, arrow);
  chain = arrow == std::string_view::npos ? std::string_view() : chain.substr(arrow + 2);
  return function;
}

// `pkg/__init__.py` for `/x/pkg/__init__.py`, whose last part says nothing; otherwise the base
// name.
std::string_view short_python_path(std::string_view path) {
  const std::string_view base = base_name(path);
  if (base != "__init__.py" && base != "__main__.py") return base;
  const std::string_view above = path.substr(0, path.size() - base.size());
  const size_t slash = above.empty() ? above.npos : above.substr(0, above.size() - 1).rfind('/');
  return path.substr(slash == above.npos ? 0 : slash + 1);
}

// A Python function of an agent, `py::FUNCTION:PATH:LINE`. The line is where it was.
std::string python_frame(std::string_view symbol, const FrameRules& rules) {
  std::string_view place = symbol;
  if (!take_prefix(place, "py::")) return folded_text(symbol);
  const std::string_view function = place.substr(0, place.find(':'));
  const size_t colon = place.rfind(':');
  if (colon == place.npos || colon < function.size() + 1) return folded_text(symbol);
  const std::string_view path = place.substr(function.size() + 1, colon - function.size() - 1);
  return folded_text(python_function(function, path, place.substr(colon + 1), rules));
}

// The text without `[…]` and surrounding blanks: `libc.so` for `libc.so[27b25]`.
std::string tidy_source(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size();) {
    const size_t close = source[i] == '[' ? source.find(']', i) : std::string_view::npos;
    if (close != std::string_view::npos)
      i = close + 1;
    else
      out += source[i++];
  }
  return std::string(trim_right(trim_left(out)));
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

std::string_view without_offset(std::string_view symbol) {
  const size_t plus = symbol.rfind("+0x");
  if (plus == std::string_view::npos || plus + 3 == symbol.size()) return symbol;
  const std::string_view digits = symbol.substr(plus + 3);
  return std::all_of(digits.begin(), digits.end(), is_hex_digit) ? symbol.substr(0, plus) : symbol;
}

std::string_view without_parameters(std::string_view name) {
  if (is_go_method(name)) return name;
  return name.substr(0, find_parameters(name).value_or(find_any_parenthesis(name)));
}

std::string python_function(std::string_view function, std::string_view path, std::string_view line,
                            const FrameRules& rules) {
  std::string out = "py::";
  out.append(function).append(":").append(rules.full_paths ? path : short_python_path(path));
  const bool is_nameless = function.ends_with('>') && function != "<module>";
  if (!line.empty() && (rules.lines || is_nameless)) out.append(":").append(line);
  return out;
}

std::string folded_text(std::string_view text) {
  std::string out = printable(text);
  std::replace(out.begin(), out.end(), ';', ':');
  return out;
}

std::string root_frame(std::string_view comm, bool has_pid, int64_t pid, int64_t tid,
                       const FrameRules& rules) {
  std::string out(comm);
  std::replace(out.begin(), out.end(), ' ', '_');
  std::replace(out.begin(), out.end(), ';', ':');
  if (!rules.pid && !rules.tid) return out;
  out += '-';
  out += has_pid ? std::to_string(pid) : "?";
  if (rules.tid) out += '/' + std::to_string(tid);
  return out;
}

std::string fold_frame(std::string_view line, std::string_view root, std::string_view source,
                       const FrameRules& rules) {
  FrameText frame;
  if (!split_frame(line, frame)) return "";
  const std::string_view object = without_deleted(frame.object);
  std::string_view chain = without_offset(frame.symbol);
  if (chain.empty()) chain = "[unknown]";
  if (object == "[python]" && chain != "[unknown]") return python_frame(chain, rules);
  if (object == "[nvtx]" && chain != "[unknown]") return folded_text(nvtx_frame(chain).text);
  // a process name, as an old perf printed it
  if (chain.starts_with('(') && !chain.starts_with(kAnonymous)) return "";
  std::string out;
  for (bool inlined = false; !chain.empty(); inlined = true) {
    std::string name(take_function(chain));
    if (name == "[unknown]") {
      const bool known = object != "[unknown]";
      name = known ? base_name(object) : "unknown";
      name.insert(0, 1, '[');
      if (rules.addresses) name.append(" <").append(frame.address).append(">");
      name += ']';
      if (!known) source = {};
    }
    std::replace(name.begin(), name.end(), ';', ':');
    name.resize(without_parameters(name).size());
    std::erase_if(name, [](char c) { return c == '"' || c == '\''; });
    if (root.starts_with("java") && name.starts_with('L') && contains(name, "/")) name.erase(0, 1);
    if (inlined) {
      if (!contains(name, "_[i]")) name += "_[i]";
    } else if (rules.kernel && is_kernel(object)) {
      name += "_[k]";
    } else if (rules.jit && is_jit(object)) {
      if (!contains(name, "_[j]")) name += "_[j]";
    }
    if (const std::string place = tidy_source(source); !place.empty()) name += ":" + place;
    if (inlined) out += ';';
    out += name;
  }
  return out;
}

}  // namespace aiflame
