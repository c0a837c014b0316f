// SPDX-License-Identifier: MIT
#include "libcommon/process/program_door.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "libcommon/process/descriptor_message.h"
#include "libcommon/process/find_program.h"
#include "libcommon/process/limited_fork.h"

namespace aiflame {
namespace {

// One packet asks for a program: this, the arguments with a 0 byte after each, and the descriptors
// of its input and output. When the output has been read, or a limit is reached, a second packet
// says which (kWait, kKill). The answer is the status that waitpid(2) has.
struct Request {
  uint64_t memory = 0;
  uint32_t cpu_seconds = 0;
};
constexpr size_t kMaxRequest = 65536;
constexpr char kWait = 'w', kKill = 'k';
constexpr int kNoSuchProgram = ChildResult::kNoProgram << 8;  // as waitpid(2) has the exit status

int door = -1;

using Descriptors = int[2];  // input and output

bool send_request(const Request& request, const std::vector<std::string>& command,
                  const Descriptors& files) {
  std::string bytes(reinterpret_cast<const char*>(&request), sizeof request);
  for (const std::string& argument : command) bytes.append(argument.c_str(), argument.size() + 1);
  return bytes.size() <= kMaxRequest &&
         send_with_descriptors(door, bytes.data(), bytes.size(), files);
}

// False at the end: the process that has the door is gone.
bool receive_request(Request& request, std::vector<std::string>& command, Descriptors& files) {
  std::string bytes(kMaxRequest, '\0');
  const ssize_t n = receive_with_descriptors(door, bytes.data(), bytes.size(), files);
  if (n < static_cast<ssize_t>(sizeof request) || bytes[static_cast<size_t>(n) - 1] != '\0' ||
      files[0] < 0)
    return false;
  std::memcpy(&request, bytes.data(), sizeof request);
  std::string_view rest(bytes.data() + sizeof request, static_cast<size_t>(n) - sizeof request);
  while (!rest.empty()) {
    const std::string_view argument = rest.substr(0, rest.find('\0'));
    command.emplace_back(argument);
    rest.remove_prefix(argument.size() + 1);
  }
  return !command.empty();
}

// Starts the program and waits for it; false when the process that asked for it is gone.
bool serve(const std::vector<std::string>& programs) {
  Request request;
  std::vector<std::string> command;
  Descriptors files;
  if (!receive_request(request, command, files)) return false;
  pid_t child = -1;
  if (std::find(programs.begin(), programs.end(), command[0]) != programs.end()) {
    ChildLimits limits;
    limits.memory = request.memory;
    limits.cpu_seconds = request.cpu_seconds;
    Rights rights;
    rights.programs = true;
    child = fork_limited(
        files[1], [&] { return become_program(command, files[0]); }, limits, &rights);
  }
  for (const int file : files) ::close(file);
  char order = kKill;
  const bool is_there = ::read(door, &order, 1) == 1;
  int status = kNoSuchProgram;
  if (child > 0) {
    if (order != kWait) kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return is_there && ::write(door, &status, sizeof status) == sizeof status;
}

[[noreturn]] void be_door(const std::vector<std::string>& programs) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_IGN);  // the filter outlives the first one, see outlive_interrupt()
  signal(SIGPIPE, SIG_IGN);
  // what the filter reads and writes must not stay open here
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) dup2(null, fd);
  dup2(door, STDERR_FILENO + 1);
  door = STDERR_FILENO + 1;
  fcntl(door, F_SETFD, FD_CLOEXEC);
  close_range(static_cast<unsigned>(door) + 1, ~0U, 0);
  while (serve(programs)) {
  }
  _exit(0);
}

}  // namespace

bool open_program_door(const std::vector<std::string>& programs) {
  std::array<int, 2> ends{};
  const auto is_installed = [](const std::string& program) {
    return access(find_program(program).c_str(), X_OK) == 0;
  };
  if (std::none_of(programs.begin(), programs.end(), is_installed) ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return false;
  door = ends[1];
  const pid_t process = fork();
  if (process == 0) be_door(programs);
  ::close(ends[1]);
  door = ends[0];
  return process > 0;
}

ChildResult run_through_door(const std::vector<std::string>& command, int input,
                             const ChildLimits& limits) {
  ChildResult out;
  out.status = ChildResult::kNoProgram;
  int ends[2];
  if (door < 0 || pipe2(ends, O_CLOEXEC) != 0) return out;
  const bool asked = send_request({limits.memory, limits.cpu_seconds}, command, {input, ends[1]});
  ::close(ends[1]);
  const ChildLimit limit = asked ? read_output(ends[0], limits, out.output) : ChildLimit::none;
  ::close(ends[0]);
  const char order = limit == ChildLimit::none ? kWait : kKill;
  int status = 0;
  if (!asked || ::write(door, &order, 1) != 1 ||
      ::read(door, &status, sizeof status) != sizeof status)
    return out;
  out.status = ChildResult::kKilled;
  take_status(status, limit, out);
  return out;
}

}  // namespace aiflame
