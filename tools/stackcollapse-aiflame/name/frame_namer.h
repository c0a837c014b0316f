// SPDX-License-Identifier: MIT
// What is drawn of code in files, found by threads of its own: to read symbol tables and to put
// names in order takes a short recording half of its time, debug information much longer, and
// nothing else waits for it until stacks are counted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "libcommon/parallel/parallel.h"
#include "libcommon/perf_script/frame_names.h"
#include "tools/stackcollapse-aiflame/name/perf_data_frames.h"

namespace aiflame::collapse {

class FrameNamer {
 public:
  // Both outlive this. `frames` names its files for nobody else.
  FrameNamer(PerfDataFrames& frames, const FrameRules& rules) : frames_(frames), rules_(rules) {}
  ~FrameNamer();
  FrameNamer(const FrameNamer&) = delete;
  FrameNamer& operator=(const FrameNamer&) = delete;

  // Code at an offset in an object that is a file, which outlives this; of a Java program or not;
  // where a call returns to, or not. Its number, from 0 in the order of asking.
  uint32_t ask(uint32_t object, const PerfObject& file, uint64_t offset, bool java, bool is_return);
  // Until all that was asked for is named, which this thread helps with. Throws what was thrown.
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
    uint32_t answer;  // in answers_
    bool java, is_return;
  };
  // What is asked of an object. One thread at a time answers.
  struct Object {
    std::vector<Code> waiting;
    bool in_work = false;
    // Of who answers.
    std::unordered_map<uint64_t, uint32_t> functions[2];  // in texts; of Java programs the second
    std::vector<std::string> texts;
    // After wait(): of each text, in texts_, or kNone.
    std::vector<uint32_t> numbers;
  };
  struct Answer {
    uint32_t object, text;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t name(Object& object, const Code& code);
  void hand_over();
  void run();
  void work(std::unique_lock<std::mutex>& lock);

  PerfDataFrames& frames_;
  const FrameRules& rules_;

  std::vector<Code> next_;  // not yet handed over
  std::vector<bool> objects_seen_;

  std::mutex mutex_;
  std::condition_variable asked_, answered_;
  std::deque<Object> objects_;   // by number; they stay where they are
  std::deque<uint32_t> ready_;   // objects with codes waiting that nobody is at
  std::vector<Answer> answers_;  // since the last wait()
  size_t idle_ = 0, busy_ = 0;
  bool stop_ = false;
  std::map<uint32_t, std::exception_ptr> thrown_;  // by object: the same whoever was faster

  uint32_t numbers_ = 0, unanswered_ = 0;
  std::vector<uint32_t> names_;
  std::deque<std::string> texts_;
  std::vector<BackgroundThread> threads_;
};

}  // namespace aiflame::collapse
