// SPDX-License-Identifier: MIT
// Runs fragile code on untrusted input, as bounded_child.h does, but in one child that answers many
// requests: for code that takes long to load and is asked small questions.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/process/bounded_child.h"

namespace aiflame {

class AnsweringChild {
 public:
  // Answers a request; runs in the child. An answer is not empty, and what exceeds kMaxMessage is
  // cut off.
  using Answerer = std::function<std::string(std::string_view)>;
  // Loads what the answerer needs; runs in the child, which then may open no file and load no
  // library any more where this process has dropped rights (sandbox.h).
  using Prepare = std::function<Answerer()>;

  // Pipes deliver as much as one piece.
  static constexpr size_t kMaxMessage = 4096;
  // A child that ended is replaced so many times. Damaged code that crashes the answerer each time
  // costs a bounded time then.
  static constexpr unsigned kMaxStarts = 8;

  // The child starts with the first request. `limits` are those of each child; limits.seconds is
  // for one answer.
  explicit AnsweringChild(Prepare prepare, const ChildLimits& limits = {});
  ~AnsweringChild();
  AnsweringChild(const AnsweringChild&) = delete;
  AnsweringChild& operator=(const AnsweringChild&) = delete;

  // The answer to a request of 1 to kMaxMessage bytes. Nothing where the child crashed or reached a
  // limit, or no more children may be started.
  std::optional<std::string> ask(std::string_view request);
  bool exhausted() const { return child_ < 0 && starts_ >= kMaxStarts; }

 private:
  [[nodiscard]] bool start();
  void stop();

  Prepare prepare_;
  ChildLimits limits_;
  unsigned starts_ = 0;
  pid_t child_ = -1;
  // The pipe of requests stays open at both ends here: a request to a child that is gone must not
  // raise SIGPIPE.
  int requests_[2] = {-1, -1};
  int answers_ = -1;
};

}  // namespace aiflame
