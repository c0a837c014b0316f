// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/energy/energy_program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "libcommon/base/clock.h"
#include "libcommon/base/program.h"
#include "libcommon/process/limited_fork.h"

namespace aiflame::record {
namespace {

// Level Zero's driver, the largest of these libraries, takes a tenth.
constexpr uint64_t kMemory = uint64_t{1} << 30;

[[noreturn]] void be_program(const std::string& path, int socket, pid_t recorder) {
  // an interrupt at the terminal ends the recording, whose last readings are still to come
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != recorder) _exit(0);  // it died before that
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(socket, STDIN_FILENO);
  dup2(socket, STDOUT_FILENO);
  // whatever the recorder has open is none of its business
  close_range(STDERR_FILENO + 1, ~0U, 0);
  limit_memory(kMemory);
  const char* const arguments[] = {path.c_str(), nullptr};
  execv(path.c_str(), const_cast<char* const*>(arguments));
  _exit(ChildResult::kNoProgram);
}

}  // namespace

EnergyProgram::EnergyProgram(const std::string& path) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    failure_ = format("cannot make a socket: %s", std::strerror(errno));
    return;
  }
  const pid_t recorder = getpid();
  process_ = fork();
  if (process_ == 0) be_program(path, sockets[1], recorder);
  ::close(sockets[1]);
  socket_ = sockets[0];
  if (process_ < 0)
    fail(format("cannot fork: %s", std::strerror(errno)));
  else
    ask();
}

void EnergyProgram::ask() {
  if (is_asked() || has_ended()) return;
  asked_ = monotonic_ns();
  if (send(socket_, "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) hear(0);  // its last words
}

void EnergyProgram::hear(int patience_ms) {
  const uint64_t end = monotonic_ns() + static_cast<uint64_t>(patience_ms) * 1000000;
  while (!has_ended()) {
    const uint64_t now = monotonic_ns();
    const uint64_t left = is_asked() && now < end ? end - now : 0;
    pollfd wait = {socket_, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>((left + 999999) / 1000000));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || !hear_once()) return;
  }
}

// False where nothing was there.
bool EnergyProgram::hear_once() {
  char bytes[4096];
  const ssize_t n = recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n < 0 && errno == EINTR) return true;
  if (n < 0 && errno == EAGAIN) return false;
  if (n <= 0) {
    fail(report_.has_none() ? "" : "it crashed");
    return true;
  }
  try {
    report_.take(std::string_view(bytes, static_cast<size_t>(n)));
  } catch (const Error& error) {
    fail(error.what());
  }
  if (report_.has_next()) asked_ = 0;
  return true;
}

void EnergyProgram::give_up() {
  if (!has_ended()) fail("it does not answer");
}

void EnergyProgram::fail(const std::string& why) {
  failure_ = why;
  asked_ = 0;
  end();
}

void EnergyProgram::end() {
  const pid_t process = std::exchange(process_, -1);
  // One that ended already was perhaps waited for elsewhere: the number may be another process's.
  // Killed before the socket is closed, or it complains that nobody reads.
  if (process > 0 && waitpid(process, nullptr, WNOHANG) == 0) {
    kill(process, SIGKILL);
    // Not waited for: one that hangs in its driver ends when that lets it.
    waitpid(process, nullptr, WNOHANG);
  }
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

}  // namespace aiflame::record
