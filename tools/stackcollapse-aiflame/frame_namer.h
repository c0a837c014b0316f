// SPDX-License-Identifier: MIT
// What is drawn of code in files, found by a thread of its own: to read symbol tables and to put
// names in order takes a short recording half of its time, and nothing else waits for it until
// stacks are counted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "libcommon/perf_frames.h"
#include "tools/stackcollapse-aiflame/perf_data_frames.h"

namespace aiflame {

class FrameNamer {
 public:
  // Both outlive this. `frames` draws functions by their symbols alone, and names its files for
  // nobody else.
  FrameNamer(PerfDataFrames& frames, const FrameRules& rules) : frames_(frames), rules_(rules) {}
  ~FrameNamer();
  FrameNamer(const FrameNamer&) = delete;
  FrameNamer& operator=(const FrameNamer&) = delete;

  // Code at an offset in an object that is a file, which outlives this; of a Java program or not.
  // Its number, from 0 in the order of asking.
  uint32_t ask(uint32_t object, const PerfObject& file, uint64_t offset, bool java);
  // Until all that was asked for is named. Throws what was thrown.
  void wait();
  // After wait(): which text each has that was asked for since forget(), and the texts, as folded
  // frames.
  const std::vector<uint32_t>& names() const { return names_; }
  const std::deque<std::string>& texts() const { return texts_; }
  void forget() { names_.clear(); }
  // Numbers begin with 0 again. After forget().
  void begin_again() { numbers_ = 0; }

 private:
  struct Code {
    uint64_t offset;
    const PerfObject* file;
    uint32_t object;
    bool java;
  };
  struct Function {
    uint64_t number;  // of the file's own
    uint32_t object;  // and in bit 31: of a Java program
    bool operator==(const Function&) const = default;
  };
  struct FunctionHash {
    size_t operator()(const Function& function) const {
      return (function.number ^ uint64_t{function.object} << 44) * 0x9e3779b97f4a7c15 >> 20;
    }
  };

  uint32_t name(const Code& code);
  void hand_over();
  void run();

  PerfDataFrames& frames_;
  const FrameRules& rules_;
  std::unordered_map<Function, uint32_t, FunctionHash> functions_;  // in texts_

  std::vector<Code> next_;  // not yet handed over
  std::vector<bool> objects_seen_;

  std::mutex mutex_;
  std::condition_variable asked_, answered_;
  std::vector<Code> waiting_;
  bool busy_ = false, stop_ = false;
  std::exception_ptr thrown_;

  uint32_t numbers_ = 0;
  std::vector<uint32_t> names_;
  std::deque<std::string> texts_;
  bool started_ = false;
  std::thread thread_;
};

}  // namespace aiflame
