// SPDX-License-Identifier: MIT
#include "libcommon/process/answering_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <utility>
#include <vector>

#include "libcommon/process/limited_fork.h"
#include "libcommon/process/sandbox.h"

namespace aiflame {
namespace {

static_assert(AnsweringChild::kMaxMessage <= PIPE_BUF);

using Clock = std::chrono::steady_clock;

// A message, or empty at the end.
std::string receive(int fd) {
  std::string out(AnsweringChild::kMaxMessage, '\0');
  ssize_t n = 0;
  while ((n = ::read(fd, out.data(), out.size())) < 0 && errno == EINTR) {
  }
  out.resize(n < 0 ? 0 : static_cast<size_t>(n));
  return out;
}

bool send(int fd, std::string_view message) {
  ssize_t n = 0;
  while ((n = ::write(fd, message.data(), message.size())) < 0 && errno == EINTR) {
  }
  return n == static_cast<ssize_t>(message.size());
}

int serve(int requests, const AnsweringChild::Prepare& prepare) {
  // What this process reads and writes must not stay open in a child that outlives it. Standard
  // output is the pipe of answers.
  dup2(requests, STDERR_FILENO + 1);
  requests = STDERR_FILENO + 1;
  close_range(static_cast<unsigned>(requests) + 1, ~0U, 0);
  const AnsweringChild::Answerer answer = prepare();
  if (rights_dropped()) drop_rights({.files = std::vector<std::string>()});
  for (;;) {
    const std::string request = receive(requests);
    if (request.empty()) return 0;
    std::string text = answer(request);
    text.resize(std::min(text.size(), AnsweringChild::kMaxMessage));
    if (text.empty() || !send(STDOUT_FILENO, text)) return 0;
  }
}

bool readable_within(int fd, unsigned seconds) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd wait = {fd, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace

AnsweringChild::AnsweringChild(Prepare prepare, const ChildLimits& limits)
    : prepare_(std::move(prepare)), limits_(limits) {}

AnsweringChild::~AnsweringChild() {
  stop();
}

bool AnsweringChild::start() {
  if (starts_ >= kMaxStarts) return false;
  ++starts_;
  int answers[2];
  if (pipe2(requests_, O_CLOEXEC) != 0) return false;
  if (pipe2(answers, O_CLOEXEC) == 0) {
    Rights rights;
    rights.libraries = true;
    rights.children = true;  // it is to drop more rights; the right to fork goes with them
    child_ = fork_limited(
        answers[1], [this] { return serve(requests_[0], prepare_); }, limits_,
        rights_dropped() ? &rights : nullptr);
    ::close(answers[1]);
    answers_ = answers[0];
  }
  if (child_ < 0) stop();
  return child_ >= 0;
}

// Without its pipes the child ends: when it reads or writes, when its CPU time is over, or with
// this process, which may lack the right to kill it. So nobody waits for it to be gone.
void AnsweringChild::stop() {
  for (int* fd : {&requests_[0], &requests_[1], &answers_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
  if (child_ >= 0 && !rights_dropped()) kill(child_, SIGKILL);
  if (child_ >= 0) waitpid(child_, nullptr, rights_dropped() ? WNOHANG : 0);
  child_ = -1;
}

std::optional<std::string> AnsweringChild::ask(std::string_view request) {
  if (request.empty() || request.size() > kMaxMessage) return std::nullopt;
  if (child_ < 0 && !start()) return std::nullopt;
  std::string answer;
  if (send(requests_[1], request) && readable_within(answers_, limits_.seconds))
    answer = receive(answers_);
  if (!answer.empty()) return answer;
  stop();
  return std::nullopt;
}

}  // namespace aiflame
