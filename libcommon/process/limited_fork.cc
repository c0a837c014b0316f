// SPDX-License-Identifier: MIT
#include "libcommon/process/limited_fork.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

#include "libcommon/base/parse.h"
#include "libcommon/io/read_text.h"

namespace aiflame {
namespace {

using Clock = std::chrono::steady_clock;

void set_limit(decltype(RLIMIT_CORE) resource, rlim_t soft, rlim_t hard) {
  const rlimit limit = {soft, hard};
  setrlimit(resource, &limit);
}

// The bytes that this process may write to: the sixth number of /proc/self/statm, in pages.
uint64_t writable_bytes() {
  const std::string text = read_text("/proc/self/statm", 4096);
  std::string_view rest = text;
  for (int field = 0; field < 5; ++field) take_field(rest);
  const auto pages = parse_number<uint64_t>(take_field(rest));
  return pages.value_or(0) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void be_child(int output, const std::function<int()>& body, const ChildLimits& limits,
                           const Rights* rights) {
  // an interrupt of the pipeline ends this process too, and so does its parent's end: a parent that
  // has dropped rights cannot kill it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGBUS, SIG_DFL);  // file_window.h has set a handler
  // SIGXCPU at the soft limit tells this end from others; the hard one is for who ignores it
  signal(SIGXCPU, SIG_DFL);
  set_limit(RLIMIT_CPU, limits.cpu_seconds, rlim_t{limits.cpu_seconds} + 1);
  limit_memory(limits.memory);
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  // with fewer rights: writing to it fails, which matters to nobody
  if (null < 0) null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(null, STDERR_FILENO);
  dup2(output, STDOUT_FILENO);
  if (rights != nullptr) drop_rights(*rights);
  int status = 126;
  try {
    status = body();
  } catch (...) {  // the child must not return into the parent's code
  }
  _exit(status);
}

}  // namespace

pid_t fork_limited(int output, const std::function<int()>& body, const ChildLimits& limits,
                   const Rights* rights) {
  const pid_t child = fork();
  if (child == 0) be_child(output, body, limits, rights);
  return child;
}

void limit_memory(uint64_t more) {
  set_limit(RLIMIT_CORE, 0, 0);
  const rlim_t bytes = writable_bytes() + more;
  set_limit(RLIMIT_DATA, bytes, bytes);
}

int become_program(const std::vector<std::string>& command, int input) {
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  // dup2() clears the close-on-exec flag, but does nothing when both numbers are the same
  if (input == 3)
    fcntl(3, F_SETFD, 0);
  else
    dup2(input, 3);
  execvp(arguments[0], arguments.data());
  return ChildResult::kNoProgram;
}

ChildLimit read_output(int fd, const ChildLimits& limits, std::string& out) {
  const auto end = Clock::now() + std::chrono::seconds(limits.seconds);
  char buffer[65536];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return ChildLimit::time;
    pollfd wait = {fd, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left.count()));
    if (ready == 0) return ChildLimit::time;
    if (ready < 0 && errno != EINTR) return ChildLimit::time;
    if (ready < 0) continue;
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return ChildLimit::none;
    if (n < 0 && errno != EINTR) return ChildLimit::time;
    if (n < 0) continue;
    out.append(buffer, static_cast<size_t>(n));
    if (out.size() > limits.output) return ChildLimit::output;
  }
}

void take_status(int status, ChildLimit limit, ChildResult& out) {
  out.limit = limit;
  if (limit != ChildLimit::none) return;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) out.limit = ChildLimit::time;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) out.limit = ChildLimit::killed;
  if (WIFEXITED(status)) out.status = WEXITSTATUS(status);
}

}  // namespace aiflame
