// SPDX-License-Identifier: MIT
#include "libcommon/process/bounded_child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

namespace aiflame {
namespace {

using Clock = std::chrono::steady_clock;

void set_limit(decltype(RLIMIT_CORE) resource, rlim_t value) {
  const rlimit limit = {value, value};
  setrlimit(resource, &limit);
}

[[noreturn]] void be_child(int output, const std::function<int()>& body,
                           const ChildLimits& limits) {
  // an interrupt of the pipeline ends this process too
  signal(SIGINT, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGBUS, SIG_DFL);  // file_window.h has set a handler
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, limits.cpu_seconds);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(null, STDERR_FILENO);
  dup2(output, STDOUT_FILENO);
  int status = 126;
  try {
    status = body();
  } catch (...) {  // the child must not return into the parent's code
  }
  _exit(status);
}

// Reads to the end; false when a limit is reached.
bool read_all(int fd, const ChildLimits& limits, std::string& out) {
  const auto end = Clock::now() + std::chrono::seconds(limits.seconds);
  char buffer[65536];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd wait = {fd, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left.count()));
    if (ready == 0) return false;
    if (ready < 0 && errno != EINTR) return false;
    if (ready < 0) continue;
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n < 0 && errno != EINTR) return false;
    if (n < 0) continue;
    out.append(buffer, static_cast<size_t>(n));
    if (out.size() > limits.output) return false;
  }
}

}  // namespace

ChildResult run_in_child(const std::function<int()>& body, const ChildLimits& limits) {
  ChildResult out;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return out;
  const pid_t child = fork();
  if (child == 0) be_child(ends[1], body, limits);
  ::close(ends[1]);
  const bool whole = child > 0 && read_all(ends[0], limits, out.output);
  ::close(ends[0]);
  if (child < 0) return out;
  // at a limit; a child that has merely closed its output is waited for
  if (!whole) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // the kernel kills it at its limit of CPU time
  out.limited = !whole || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  if (whole && WIFEXITED(status)) out.status = WEXITSTATUS(status);
  return out;
}

ChildResult run_in_child(const std::vector<std::string>& command, int input,
                         const ChildLimits& limits) {
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  return run_in_child(
      [&] {
        // dup2() clears the close-on-exec flag, but does nothing when both numbers are the same
        if (input == 3)
          fcntl(3, F_SETFD, 0);
        else
          dup2(input, 3);
        execvp(arguments[0], arguments.data());
        return ChildResult::kNoProgram;
      },
      limits);
}

}  // namespace aiflame
