// SPDX-License-Identifier: MIT
// Names code in files on threads of its own. Reading symbol tables and sorting names takes half of
// the time that a short recording takes, and debug information takes much longer. Nothing waits for
// the names until stacks are counted.
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
  // Both outlive this. While this exists, nobody else may let `frames` name code in files.
  FrameNamer(PerfDataFrames& frames, const FrameRules& rules) : frames_(frames), rules_(rules) {}
  ~FrameNamer();
  FrameNamer(const FrameNamer&) = delete;
  FrameNamer& operator=(const FrameNamer&) = delete;

  // Requests the frames of the code at `offset` in `file`, which outlives this and is number
  // `object`. `java`: it runs in a Java program. `is_return`: a call returns to the offset. Returns
  // the request's number, from 0 in order.
  uint32_t ask(uint32_t object, const PerfObject& file, uint64_t offset, bool java, bool is_return);
  // Helps with the work until all requests are answered. Rethrows an exception of a thread.
  void wait();
  // After wait(): for each request since forget() the index of its text, and all texts, as folded
  // frames.
  const std::vector<uint32_t>& names() const { return names_; }
  const std::deque<std::string>& texts() const { return texts_; }
  void forget() { names_.clear(); }
  // After forget(): the next request gets number 0 again.
  void begin_again() { numbers_ = 0; }

 private:
  struct Code {
    uint64_t offset;
    const PerfObject* file;
    uint32_t object;
    uint32_t answer;  // its index in answers_
    bool java, is_return;
  };
  // The requests for one object. Only one thread at a time works on an object.
  struct Object {
    std::vector<Code> waiting;
    bool in_work = false;
    // Owned by the thread that works on the object:
    std::unordered_map<uint64_t, uint32_t> functions[2];  // index in texts; [1]: in Java programs
    std::vector<std::string> texts;
    // Owned by wait(): for each of `texts` its index in texts_, or kNone.
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
  std::deque<Object> objects_;   // by number; a deque, so that they never move
  std::deque<uint32_t> ready_;   // objects with waiting requests that no thread works on
  std::vector<Answer> answers_;  // since the last wait()
  size_t idle_ = 0, busy_ = 0;
  bool stop_ = false;
  // By object, so that the one that is rethrown does not depend on timing.
  std::map<uint32_t, std::exception_ptr> thrown_;

  uint32_t numbers_ = 0, unanswered_ = 0;
  std::vector<uint32_t> names_;
  std::deque<std::string> texts_;
  std::vector<BackgroundThread> threads_;
};

}  // namespace aiflame::collapse
