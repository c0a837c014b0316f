// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/flight/control.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "libcommon/base/descriptor.h"
#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

// perf takes as much of a line.
constexpr size_t kMaxLine = 64;

// Open in both directions, as perf does: the other end may be opened and closed again and again.
int open_fifo(const std::string& path) {
  Descriptor fd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat its {};
  if (fd.get() < 0 || fstat(fd.get(), &its) != 0)
    throw Error(format("cannot open '%s': %s", path.c_str(), std::strerror(errno)));
  // "ack" must not get into a file that somebody has put there
  if (!S_ISFIFO(its.st_mode)) throw Error(format("'%s' is no FIFO", path.c_str()));
  return fd.release();
}

// A copy of an inherited descriptor, which the command does not get.
int take_descriptor(int fd) {
  const int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (copy < 0) throw Error(format("--control: descriptor %d: %s", fd, std::strerror(errno)));
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  return copy;
}

bool is_ready(int fd, short event) {
  pollfd polled{fd, event, 0};
  return poll(&polled, 1, 0) > 0;
}

}  // namespace

std::optional<Command> parse_command(std::string_view line) {
  static constexpr std::pair<std::string_view, Command> kCommands[] = {
      {"enable", Command::enable}, {"disable", Command::disable}, {"snapshot", Command::snapshot},
      {"stop", Command::stop},     {"ping", Command::ping},
  };
  for (const auto& [name, command] : kCommands)
    if (line == name) return command;
  return std::nullopt;
}

Control::Control(const ControlAddress& address) {
  commands_ =
      address.commands.empty() ? take_descriptor(address.commands_fd) : open_fifo(address.commands);
  if (!address.answers.empty())
    answers_ = open_fifo(address.answers);
  else if (address.answers_fd >= 0)
    answers_ = take_descriptor(address.answers_fd);
}

Control::~Control() {
  for (const int fd : {commands_, answers_})
    if (fd >= 0) close(fd);
}

std::vector<Command> Control::take() {
  std::vector<Command> out;
  // bounded: a writer that never pauses must not hold the recorder up
  constexpr int kReads = 16;
  for (int i = 0; i < kReads && commands_ >= 0 && is_ready(commands_, POLLIN); ++i) {
    char bytes[4096];
    const ssize_t count = read(commands_, bytes, sizeof bytes);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {  // an inherited pipe was closed
      close(std::exchange(commands_, -1));
      break;
    }
    for (const char byte : std::string_view(bytes, static_cast<size_t>(count)))
      if (byte == '\n' || byte == '\0')
        take_lines(out);
      else if (line_.size() < kMaxLine)
        line_ += byte;
      else
        is_too_long_ = true;
  }
  return out;
}

// The line is whole.
void Control::take_lines(std::vector<Command>& out) {
  const std::string line = std::exchange(line_, {});
  const auto command = std::exchange(is_too_long_, false) ? std::nullopt : parse_command(line);
  if (command)
    out.push_back(*command);
  else if (!line.empty())
    say("--control: unknown command '%s'", line.c_str());
}

void Control::acknowledge() {
  constexpr std::string_view kAnswer = "ack\n";
  // a reader that has gone: SIGPIPE is ignored
  if (answers_ >= 0 && is_ready(answers_, POLLOUT)) [[maybe_unused]]
    const ssize_t written = write(answers_, kAnswer.data(), kAnswer.size());
}

}  // namespace aiflame::record
