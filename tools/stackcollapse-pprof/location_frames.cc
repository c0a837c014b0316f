// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/location_frames.h"

#include "libcommon/perf_script/function_parameters.h"
#include "libcommon/symbols/demangle.h"

namespace aiflame::pprof {
namespace {

constexpr uint32_t kUnset = UINT32_MAX;

constexpr const char* kUnknown = "[unknown]";

bool is_python(std::string_view file) {
  return file.ends_with(".py") || file.starts_with("<frozen ");
}

// Without the parameters of C++ and Java. Other languages have parentheses for other things:
// `(anonymous) app.js:1`, `LazyCompile:~f(a) app.js:3`, `step (train.py:41)`.
std::string_view short_function(std::string_view name) {
  const std::string_view out = without_parameters(name);
  const std::string_view cut = name.substr(out.size());
  const bool are_parameters = cut.ends_with(')') || cut.ends_with(" const") ||
                              cut.find(") [clone ") != std::string_view::npos;
  return out.empty() || cut.starts_with(' ') || !are_parameters ? name : out;
}

}  // namespace

std::string function_frame(const Profile& profile, const Function& function,
                           const NameRules& rules) {
  std::string_view name = profile.text(function.name);
  if (profile.is_exported()) return std::string(name);
  if (name.empty()) name = profile.text(function.system_name);
  const std::string_view file = profile.text(function.file);
  if (is_python(file))
    return python_frame(name, file,
                        function.start_line > 0 ? static_cast<uint64_t>(function.start_line) : 0,
                        rules);
  const std::string whole = demangle(name, rules.full_names);
  return std::string(rules.full_names ? whole : short_function(whole));
}

LocationFrames::LocationFrames(const Profile& profile, const NameRules& rules,
                               ImportedStacks& stacks)
    : profile_(profile),
      rules_(rules),
      stacks_(stacks),
      functions_(profile.functions().size(), kUnset),
      inlined_(profile.functions().size(), kUnset) {
  for (const Location& location : profile.locations()) {
    begins_.push_back(static_cast<uint32_t>(frames_.size()));
    if (location.lines == 0) frames_.push_back(unknown(location));
    for (uint32_t i = location.lines; i-- > 0;) {
      const uint32_t function = profile.function_of(location.line + i);
      frames_.push_back(function == IdTable::kNone ? unknown(location)
                                                   : frame(function, i + 1 < location.lines));
    }
  }
  begins_.push_back(static_cast<uint32_t>(frames_.size()));
}

std::span<const uint32_t> LocationFrames::of(uint32_t location) const {
  return {frames_.data() + begins_[location], frames_.data() + begins_[location + 1]};
}

uint32_t LocationFrames::unknown(const Location& location) {
  const std::string_view file = profile_.mapping_file(location.mapping);
  const std::string_view base = file.substr(file.rfind('/') + 1);
  if (base.empty()) return stacks_.frame(kUnknown);
  // "[vdso]" has brackets of its own
  return stacks_.frame(base.starts_with('[') ? std::string(base) : "[" + std::string(base) + "]");
}

uint32_t LocationFrames::frame(uint32_t number, bool inlined) {
  uint32_t& known = (inlined ? inlined_ : functions_)[number];
  if (known == kUnset) {
    const std::string text = function_frame(profile_, profile_.functions()[number], rules_);
    profile_.count_text(text.size());
    // Python has no inlined functions; some writers put a whole stack into one location
    known =
        stacks_.frame(inlined && !text.empty() && !text.starts_with("py::") ? text + "_[i]" : text);
  }
  return known;
}

}  // namespace aiflame::pprof
