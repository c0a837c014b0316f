// SPDX-License-Identifier: MIT
// Folded names for the frames of `perf script`, the same as stackcollapse-perf.pl's (pure).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

// stackcollapse-perf.pl's options for names, and two for Python functions of gpustall(5).
struct FrameRules {
  bool pid = false;         // --pid: comm-PID
  bool tid = false;         // --tid: comm-PID/TID
  bool kernel = false;      // --kernel: _[k]
  bool jit = false;         // --jit: _[j]
  bool addresses = false;   // --addrs: [unknown <ADDRESS>]
  bool full_paths = false;  // --full-paths: py::FUNCTION:DIRECTORY/FILE
  bool lines = false;       // --srcline: py::FUNCTION:FILE:LINE
};

// The root frame: `V8_Worker` for the comm `V8 Worker`, with ids if the rules ask for them.
// `has_pid` false: only the tid is known. Without a comm there is no frame, or `?` before the ids.
std::string root_frame(std::string_view comm, bool has_pid, int64_t pid, int64_t tid,
                       const FrameRules& rules);

// Folds one frame line, root first. Mostly that is one frame; none where the line has no name;
// several, joined by ';', where the name is a chain of inlined functions (`a->b`). Java's names are
// tidied if `root` begins with "java". `source`: the text of --srcline, or empty.
std::string fold_frame(std::string_view line, std::string_view root, std::string_view source,
                       const FrameRules& rules);

// `name` for `name+0x1f`.
std::string_view without_offset(std::string_view symbol);

// A Python function as `py::FUNCTION:FILE`, of its path; `line` is its text, or empty. The line is
// added if the rules ask for it, and to functions without a name: only it tells lambdas and
// comprehensions of a file apart. A file whose name says nothing keeps the directory above it:
// pkg/__init__.py.
std::string python_function(std::string_view function, std::string_view path, std::string_view line,
                            const FrameRules& rules);

// The text made safe for a folded line: ';' becomes ':', the rest is printable().
std::string folded_text(std::string_view text);

}  // namespace aiflame
