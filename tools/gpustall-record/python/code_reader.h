// SPDX-License-Identifier: MIT
// Functions and lines of the Python frames that were read while they ran. Their code objects are
// read later, from the process, and only where they are still the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "tools/gpustall-record/python/find_python.h"
#include "tools/gpustall-record/python/python_probe.h"
#include "tools/gpustall-record/python/remote_memory.h"

namespace aiflame::record {

struct PythonPlace {
  enum class Check {
    passed,
    hidden,  // the interpreter had not started it; tracebacks do not show it either
    failed,  // it is not what it was, or cannot be read
  };
  Check check = Check::failed;
  std::string function, file;
  uint32_t line = 0;    // 0 = unknown
  uint64_t number = 0;  // for these three in stacks, with AGENT_TEXT_FRAME
};

// Of one process, and one program in it.
class CodeReader {
 public:
  CodeReader(uint32_t pid, const Python& python) : memory_(pid), python_(python) {}

  // Forgets the places.
  void clear() { known_.clear(), bytes_ = 0; }
  // What the known places take.
  size_t bytes() const { return bytes_; }
  // Read at the first call. Valid until clear().
  const PythonPlace& place(const python_frame& frame);

 private:
  PythonPlace read_place(const python_frame& frame) const;
  [[nodiscard]] bool read_code(const python_frame& frame, char* object) const;
  std::string text_at(uint64_t address, bool keep_end) const;

  using Key = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>;  // of python_frame
  RemoteMemory memory_;
  Python python_;
  std::map<Key, PythonPlace> known_;
  size_t bytes_ = 0;
};

}  // namespace aiflame::record
