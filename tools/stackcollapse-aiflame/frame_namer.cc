// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/frame_namer.h"

#include <utility>

#include "libcommon/parallel.h"

namespace aiflame {

FrameNamer::~FrameNamer() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    waiting_.clear();
  }
  asked_.notify_one();
  thread_.join();
}

uint32_t FrameNamer::ask(uint32_t object, const PerfObject& file, uint64_t offset, bool java) {
  // where it has none, names are found at once
  if (!std::exchange(started_, true)) thread_ = thread_elsewhere([this] { run(); });
  const Code code = {offset, &file, object, java};
  if (!thread_.joinable()) {
    names_.push_back(name(code));
    return numbers_++;
  }
  next_.push_back(code);
  // To wake a thread costs more than to name a function or two, but less than to read a symbol
  // table.
  constexpr size_t kWorthwhile = 64;
  if (objects_seen_.size() <= object) objects_seen_.resize(object + size_t{1});
  if (next_.size() >= kWorthwhile || !objects_seen_[object]) hand_over();
  objects_seen_[object] = true;
  return numbers_++;
}

void FrameNamer::hand_over() {
  bool idle = false;
  {
    const std::lock_guard lock(mutex_);
    idle = waiting_.empty() && !busy_;
    waiting_.insert(waiting_.end(), next_.begin(), next_.end());
  }
  next_.clear();
  if (idle) asked_.notify_one();
}

void FrameNamer::wait() {
  if (!thread_.joinable()) return;
  hand_over();
  std::unique_lock lock(mutex_);
  answered_.wait(lock, [this] { return (waiting_.empty() && !busy_) || thrown_; });
  if (thrown_) std::rethrow_exception(thrown_);
}

void FrameNamer::run() {
  std::vector<Code> codes;
  std::unique_lock lock(mutex_);
  for (;;) {
    asked_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    codes.clear();
    codes.swap(waiting_);
    busy_ = true;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      for (const Code& code : codes) names_.push_back(name(code));
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (thrown) thrown_ = thrown;
    if (waiting_.empty() || thrown_) answered_.notify_one();
    if (thrown_) return;
  }
}

uint32_t FrameNamer::name(const Code& code) {
  const auto function = frames_.function_in(code.object, *code.file, code.offset);
  const Function key = {function.value_or(PerfDataFrames::kNoName),
                        code.object | (code.java ? uint32_t{1} << 31 : 0)};
  const auto [at, added] = functions_.try_emplace(key, static_cast<uint32_t>(texts_.size()));
  if (added) {
    const std::vector<CodeFrame> frame = {
        {frames_.line_in(code.object, *code.file, code.offset), "", false}};
    texts_.push_back(fold_code(frame, code.java ? "java" : "", rules_));
  }
  return at->second;
}

}  // namespace aiflame
