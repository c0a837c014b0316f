// SPDX-License-Identifier: MIT
#include "libcommon/process/bounded_child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "libcommon/process/limited_fork.h"
#include "libcommon/process/program_door.h"

namespace aiflame {
namespace {

ChildResult run(const std::function<int()>& body, const ChildLimits& limits, const Rights& rights) {
  ChildResult out;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return out;
  const pid_t child = fork_limited(ends[1], body, limits, rights_dropped() ? &rights : nullptr);
  ::close(ends[1]);
  const ChildLimit limit = child > 0 ? read_output(ends[0], limits, out.output) : ChildLimit::none;
  ::close(ends[0]);
  if (child < 0) return out;
  // At a limit. A child that has merely closed its output is waited for. One that cannot be killed,
  // for lack of rights, ends when it writes, when its CPU time is over, or with this process.
  if (limit != ChildLimit::none && kill(child, SIGKILL) != 0) {
    out.limit = limit;
    return out;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  take_status(status, limit, out);
  return out;
}

}  // namespace

ChildResult run_in_child(const std::function<int()>& body, const ChildLimits& limits) {
  Rights rights;
  rights.libraries = true;
  return run(body, limits, rights);
}

ChildResult run_in_child(const std::vector<std::string>& command, int input,
                         const ChildLimits& limits) {
  if (rights_dropped()) return run_through_door(command, input, limits);
  return run([&] { return become_program(command, input); }, limits, {});
}

}  // namespace aiflame
