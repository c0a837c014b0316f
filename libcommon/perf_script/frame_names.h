// SPDX-License-Identifier: MIT
// Frames of `perf script` as stackcollapse-perf.pl names them (pure).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

// What stackcollapse-perf.pl's options say about names.
struct FrameRules {
  bool pid = false;        // --pid: comm-PID
  bool tid = false;        // --tid: comm-PID/TID
  bool kernel = false;     // --kernel: _[k]
  bool jit = false;        // --jit: _[j]
  bool addresses = false;  // --addrs: [unknown <ADDRESS>]
};

// The root frame: `V8 Worker` as `V8_Worker`; ids as the rules say. `has_pid` false: the tid alone
// is known.
std::string root_frame(std::string_view comm, bool has_pid, int64_t pid, int64_t tid,
                       const FrameRules& rules);

// One frame line as folded frames, root first: one as a rule, none for a line without a name,
// several where the name is a chain of inlined functions (`a->b`). `root` decides whether Java's
// names are tidied; `source` is the text of --srcline, or empty.
std::string fold_frame(std::string_view line, std::string_view root, std::string_view source,
                       const FrameRules& rules);

// `name+0x1f` as `name`
std::string_view without_offset(std::string_view symbol);

// A function's name without its parameters: `run(float*)` as `run`, `f(int)::g<h(int)>(int)` cut
// at its first parameter list; `(anonymous namespace)::f`, `operator()`, `decltype(auto)` and Go's
// `net/http.(*Client).Do` are names, not parameters.
std::string_view without_parameters(std::string_view name);

// `text` as it may stand in a folded line: ';' and control bytes become ':' and '?'.
std::string folded_text(std::string_view text);

}  // namespace aiflame
