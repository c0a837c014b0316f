// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/frame_namer.h"

#include <utility>

namespace aiflame::collapse {

FrameNamer::~FrameNamer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    ready_.clear();
  }
  asked_.notify_all();
  threads_.clear();
}

uint32_t FrameNamer::ask(uint32_t object, const PerfObject& file, uint64_t offset, bool java,
                         bool is_return) {
  next_.push_back({offset, &file, object, unanswered_++, java, is_return});
  // Waking a thread costs more than naming one or two functions, but less than reading a symbol
  // table, as the first request for an object does.
  constexpr size_t kWorthwhile = 64;
  if (objects_seen_.size() <= object) objects_seen_.resize(object + size_t{1});
  if (next_.size() >= kWorthwhile || !objects_seen_[object]) hand_over();
  objects_seen_[object] = true;
  return numbers_++;
}

void FrameNamer::hand_over() {
  bool wake = false, start = false;
  // One thread is enough for symbol tables: they are read before a second one runs.
  const size_t most_threads = frames_.draws_functions() ? 1 : workers() - 1;
  {
    const std::lock_guard lock(mutex_);
    answers_.resize(unanswered_);
    for (const Code& code : next_) {
      while (objects_.size() <= code.object) objects_.emplace_back();
      Object& object = objects_[code.object];
      if (object.waiting.empty() && !object.in_work) ready_.push_back(code.object);
      object.waiting.push_back(code);
    }
    wake = !ready_.empty() && idle_ > 0;
    start = !ready_.empty() && idle_ == 0 && threads_.size() < most_threads;
  }
  next_.clear();
  if (wake) asked_.notify_one();
  // where no thread can be started, wait() does all the work
  if (!start) return;
  BackgroundThread thread([this] { run(); });
  if (thread.running()) threads_.push_back(std::move(thread));
}

void FrameNamer::wait() {
  hand_over();
  std::unique_lock lock(mutex_);
  while (!ready_.empty() || busy_ > 0)
    if (!ready_.empty())
      work(lock);
    else
      answered_.wait(lock);
  if (!thrown_.empty()) std::rethrow_exception(thrown_.begin()->second);
  // in the order of the requests, so that the result does not depend on timing
  for (const Answer& answer : answers_) {
    Object& object = objects_[answer.object];
    object.numbers.resize(object.texts.size(), kNone);
    uint32_t& number = object.numbers[answer.text];
    if (number == kNone) {
      number = static_cast<uint32_t>(texts_.size());
      texts_.push_back(std::move(object.texts[answer.text]));
    }
    names_.push_back(number);
  }
  answers_.clear();
  unanswered_ = 0;
}

void FrameNamer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    asked_.wait(lock, [this] { return stop_ || !ready_.empty(); });
    --idle_;
    if (stop_) return;
    work(lock);
  }
}

// Answers the waiting requests of the first object that is ready.
void FrameNamer::work(std::unique_lock<std::mutex>& lock) {
  const uint32_t number = ready_.front();
  ready_.pop_front();
  Object& object = objects_[number];
  std::vector<Code> codes;
  codes.swap(object.waiting);
  object.in_work = true;
  ++busy_;
  lock.unlock();
  std::vector<Answer> answers;
  std::exception_ptr thrown;
  try {
    answers.reserve(codes.size());
    for (const Code& code : codes) answers.push_back({number, name(object, code)});
  } catch (...) {
    thrown = std::current_exception();
  }
  lock.lock();
  for (size_t i = 0; i < answers.size(); ++i) answers_[codes[i].answer] = answers[i];
  if (thrown) thrown_.try_emplace(number, thrown);
  object.in_work = false;
  --busy_;
  if (!object.waiting.empty()) ready_.push_back(number);
  answered_.notify_one();
}

uint32_t FrameNamer::name(Object& object, const Code& code) {
  const auto next = static_cast<uint32_t>(object.texts.size());
  if (frames_.draws_functions()) {
    const auto function = frames_.function_in(code.object, *code.file, code.offset);
    const auto [at, added] = object.functions[code.java ? 1 : 0].try_emplace(
        function.value_or(PerfDataFrames::kNoName), next);
    if (!added) return at->second;
  }
  std::vector<CodeFrame> frames;
  frames_.code_in(code.object, *code.file, code.offset, code.is_return, frames);
  object.texts.push_back(fold_code(frames, code.java ? "java" : "", rules_));
  return next;
}

}  // namespace aiflame::collapse
