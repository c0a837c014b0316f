// SPDX-License-Identifier: MIT
// Finds the Python interpreter of a process, from outside.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "libcommon/process/python_layout.h"
#include "tools/gpustall-record/code/read_exports.h"

namespace aiflame {
struct MapsLine;
}

namespace aiflame::record {

// Whether a file with this path may be an interpreter.
bool may_be_python(std::string_view path);

// Addresses are those of the process.
struct Python {
  enum class State {
    none,
    starting,  // it has an interpreter that runs nothing yet; all else is known
    known,     // its frames can be read
    unknown,   // another version than those in python_layout.h, or built differently
  };
  State state = State::none;
  uint32_t version = 0;  // PY_VERSION_HEX; 0 = it does not say
  bool has_no_gil = false;
  const PythonLayout* layout = nullptr;
  uint64_t code_type = 0, unicode_type = 0, bytes_type = 0;
  uint64_t interpreters = 0;  // where the address of the first one stands
  uint64_t next_interpreter = 0, interpreter_threads = 0;
  uint64_t eval_begin = 0, eval_end = 0;  // _PyEval_EvalFrameDefault(), which runs the frames
};

class FindPython {
 public:
  // Looks at the program's own file and at libpython3*.so.
  Python look(uint32_t pid);

 private:
  using Exports = std::vector<Export>;
  using Identity = std::tuple<uint64_t, uint64_t, int64_t, int64_t>;  // device, inode, changed

  const Exports* exports_of(uint32_t pid, const MapsLine& map);

  std::map<Identity, Exports> files_;
};

}  // namespace aiflame::record
