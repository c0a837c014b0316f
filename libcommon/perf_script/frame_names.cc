// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/frame_names.h"

#include <algorithm>
#include <initializer_list>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/perf_script/function_parameters.h"
#include "libcommon/perf_script/nvtx_frame.h"
#include "libcommon/perf_script/perf_script.h"

namespace aiflame {
namespace {

// of the jump to a function in another object: `operator new(unsigned long)@plt`
constexpr std::string_view kStub = "@plt";

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
    for (std::string_view user :
         {"[vdso", "[vvar", "[vsyscall", "[heap", "[stack", "[anon", "[python", "[stall",
          "[kernel]", "[cuda]", "[level-zero]", "[opencl]"})
      if (object.starts_with(user)) return false;
    return true;
  }
  const std::string_view base = base_name(object);
  return object.ends_with("vmlinux") || base.starts_with("vmlinux-") || base.ends_with(".ko") ||
         contains(base, ".ko.");
}

// The objects that agents give to ranges.
bool is_range_object(std::string_view object) {
  return object == "[nvtx]" || object == "[itt]" || object == "[roctx]";
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

// A process name, as an old perf printed it: `(java)`. Symbols in parentheses, `(LAMBDA (X) :IN F)`
// of SBCL or `(anonymous)` of JavaScript, have an offset, other parentheses, or a perf map.
bool is_process_name(std::string_view symbol, std::string_view object) {
  constexpr size_t kMaxComm = 15;  // Linux has no longer ones
  return symbol.size() <= kMaxComm + 2 && symbol.starts_with('(') &&
         symbol.find_first_of("()", 1) == symbol.size() - 1 && symbol.ends_with(')') &&
         !is_jit(object);
}

// Whether an arrow after `before` is part of a name: `operator->`, or the type that a function
// returns, `fn() -> u8`.
bool is_arrow_of_name(std::string_view before) {
  return before.ends_with("operator") || before.ends_with(' ');
}

// Takes the first function off a chain `outer->inner`. Arrows in parentheses are its own.
std::string_view take_function(std::string_view& chain) {
  size_t arrow = 0, depth = 0;
  for (; arrow < chain.size(); ++arrow) {
    if (chain[arrow] == '(') ++depth;
    if (chain[arrow] == ')' && depth > 0) --depth;
    if (depth == 0 && chain.substr(arrow).starts_with("->") &&
        !is_arrow_of_name(chain.substr(0, arrow)))
      break;
  }
  const std::string_view function = chain.substr(0, arrow);
  chain = arrow == chain.size() ? std::string_view() : chain.substr(arrow + 2);
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
  return std::string(trim(out));
}

}  // namespace

std::string_view without_offset(std::string_view symbol) {
  const size_t plus = symbol.rfind("+0x");
  if (plus == std::string_view::npos || plus + 3 == symbol.size()) return symbol;
  const std::string_view digits = symbol.substr(plus + 3);
  return std::all_of(digits.begin(), digits.end(), is_hex_digit) ? symbol.substr(0, plus) : symbol;
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
  if (out.empty()) out = '?';
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
  if (is_range_object(object) && chain != "[unknown]") return folded_text(nvtx_frame(chain).text);
  if (is_process_name(frame.symbol, object)) return "";
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
    const bool is_stub = name.ends_with(kStub);
    name.resize(without_parameters(name).size());
    if (is_stub && !name.ends_with(kStub)) name += kStub;
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
