// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/wakeups.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

// On a full machine each wake-up takes a core from the program for a tenth of a millisecond. Slices
// do not need frequent ones, since samples and launches have times of their own. In 20 ms a program
// that does nothing but launch fills a third of an agent's ring; the busy tick is four times as
// fast.
constexpr uint64_t kTickMs = 20, kBusyTickMs = 5;

}  // namespace

Wakeups::Wakeups(pid_t watched_pid) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGUSR2}) sigaddset(&signals, number);
  // Under nohup(1) SIGHUP stays ignored; a blocked signal would reach the descriptor even then.
  // SIGINT is taken even when it is ignored: `record & …; kill -INT $!` in a script needs it.
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
    sigaddset(&signals, SIGHUP);
  // some parents ignore it, and then no child could be waited for
  signal(SIGCHLD, SIG_DFL);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  // A reader that goes away is seen as EPIPE instead: the recorder must live on, to look after the
  // command.
  signal(SIGPIPE, SIG_IGN);
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (signals_ < 0 || timer_ < 0)
    throw Error(format("cannot make a timer: %s", std::strerror(errno)));
  tick(false);
  if (watched_pid > 0) process_ = static_cast<int>(syscall(SYS_pidfd_open, watched_pid, 0));
  if (process_ < 0 && watched_pid > 0 && errno == ESRCH)
    throw Error(format("no process %d", watched_pid));
}

Wakeups::~Wakeups() {
  for (const int fd : {signals_, timer_, process_})
    if (fd >= 0) close(fd);
}

void Wakeups::tick(bool is_busy) {
  tick_every(is_busy ? kBusyTickMs : kTickMs);
}

void Wakeups::stop_ticking() {
  tick_every(0);
}

void Wakeups::tick_every(uint64_t ms) {
  if (ms == tick_ms_) return;
  tick_ms_ = ms;
  itimerspec period{};
  period.it_interval.tv_nsec = static_cast<long>(ms * 1000000);
  period.it_value = period.it_interval;
  timerfd_settime(timer_, 0, &period, nullptr);
}

Wakeups::Seen Wakeups::wait(const std::vector<int>& inputs) {
  std::vector<pollfd> polled{{signals_, POLLIN, 0}, {timer_, POLLIN, 0}, {process_, POLLIN, 0}};
  for (const int fd : inputs) polled.push_back({fd, POLLIN, 0});
  Seen seen;
  if (poll(polled.data(), polled.size(), -1) < 0) return seen;
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD)
      seen.child = true;
    else if (info.ssi_signo == SIGUSR2)
      seen.snapshot = true;
    else
      seen.interrupted = true;
  }
  uint64_t ticks = 0;
  [[maybe_unused]] const ssize_t n = read(timer_, &ticks, sizeof ticks);
  seen.process_ended = process_ >= 0 && polled[2].revents != 0;
  return seen;
}

}  // namespace aiflame::record
