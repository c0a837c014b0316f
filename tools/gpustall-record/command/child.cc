// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "libcommon/base/program.h"

namespace aiflame::record {

Child::Child(const std::vector<std::string>& command,
             const std::vector<std::pair<std::string, std::string>>& environment,
             bool stdout_to_stderr, int descriptor, const InheritedSignals& inherited)
    : name_(command.front()) {
  int start[2], error[2];
  if (pipe2(start, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0)
    throw Error(format("cannot make a pipe: %s", std::strerror(errno)));
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // Orphans of the command would otherwise become init's children, which nobody could tell from
  // strangers. It is not inherited by the command.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_ = fork();
  if (pid_ < 0) throw Error(format("cannot fork: %s", std::strerror(errno)));
  if (pid_ == 0) {
    inherited.restore();
    ::close(start[1]);
    for (const auto& [key, value] : environment) setenv(key.c_str(), value.c_str(), 1);
    if (stdout_to_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, 0);
    char byte = 0;
    // end of file: the recorder died before start()
    if (read(start[0], &byte, 1) != 1) _exit(125);
    execvp(arguments[0], arguments.data());
    const int why = errno;
    [[maybe_unused]] const ssize_t written = write(error[1], &why, sizeof why);
    _exit(why == ENOENT ? 127 : 126);
  }
  ::close(start[0]);
  ::close(error[1]);
  start_pipe_ = start[1];
  error_pipe_ = error[0];
}

Child::~Child() {
  if (start_pipe_ >= 0) ::close(start_pipe_);
  if (error_pipe_ >= 0) ::close(error_pipe_);
}

bool Child::start() {
  const char go = 1;
  [[maybe_unused]] const ssize_t written = write(start_pipe_, &go, 1);
  int why = 0;
  ssize_t n = 0;
  do {
    n = read(error_pipe_, &why, sizeof why);
  } while (n < 0 && errno == EINTR);
  if (n != static_cast<ssize_t>(sizeof why)) return true;
  wait();
  say("cannot run '%s': %s", name_.c_str(), std::strerror(why));
  return false;
}

bool Child::reap_if_ended() {
  // An orphan's status is nobody's; left alone, each would keep its process number.
  int status = 0;
  for (pid_t got = 0; (got = waitpid(-1, &status, WNOHANG)) > 0;)
    if (got == pid_) set_status(status);
  return reaped_;
}

void Child::wait() {
  if (reaped_) return;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  set_status(status);
}

void Child::set_status(int status) {
  reaped_ = true;
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace aiflame::record
