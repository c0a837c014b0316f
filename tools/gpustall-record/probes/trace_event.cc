// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/probes/trace_event.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/io/read_text.h"

namespace aiflame::record {
namespace {

// systemd mounts it at the first place, the kernel at the second one along with debugfs.
std::string find_tracefs() {
  bool is_hidden = false;  // the directory is there, and root's alone
  for (const char* directory : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    if (access(format("%s/uprobe_events", directory).c_str(), F_OK) == 0) return directory;
    is_hidden = is_hidden || errno == EACCES;
  }
  if (is_hidden) throw Error("tracefs is root's alone");
  // none integrity [confidentiality]
  if (read_text("/sys/kernel/security/lockdown", 64).find("[confidentiality]") != std::string::npos)
    throw Error("this kernel is locked down, with lockdown=confidentiality, and has no tracefs");
  throw Error("tracefs is not mounted; as root: mount -t tracefs tracefs /sys/kernel/tracing");
}

// Writes a line to uprobe_events. Returns 0 or errno.
int command(const std::string& directory, const std::string& text) {
  const int fd = open((directory + "/uprobe_events").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return errno;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = written ? 0 : errno;
  close(fd);
  return error;
}

// Removes the probes of recorders that were killed: without a perf event they do nothing, but they
// would stay until the next boot.
void remove_stale(const std::string& directory) {
  std::vector<std::string> stale;
  LineReader lines(directory + "/uprobe_events");
  std::string_view line;
  // p:aiflame/p4711_3 /usr/lib/x86_64-linux-gnu/libze_loader.so.1.8.0:0x000000000000fd00 …
  // with an r in front for probes at returns, and a line for each probe of an event
  const std::string start = format(":%s/p", TraceEvent::kGroup);
  while (lines.next(line)) {
    if (line.find(start) != 1) continue;
    line.remove_prefix(1 + start.size());
    const std::string_view name = line.substr(0, line.find(' '));
    const auto pid = parse_number<int32_t>(name.substr(0, name.find('_')));
    if (pid && *pid > 0 && kill(*pid, 0) != 0 && errno == ESRCH)
      stale.push_back("p" + std::string(name));
  }
  stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
  for (const std::string& name : stale)
    command(directory, format("-:%s/%s\n", TraceEvent::kGroup, name.c_str()));
}

}  // namespace

TraceEvent::TraceEvent(const std::vector<Point>& points, bool at_return)
    : directory_(find_tracefs()) {
  static unsigned count = 0;
  if (count == 0) remove_stale(directory_);
  name_ = format("p%d_%u", getpid(), count++);
  try {
    for (const Point& point : points) define(point, at_return);
  } catch (const Error&) {
    remove();
    throw;
  }
  LineReader lines(format("%s/events/%s/%s/id", directory_.c_str(), kGroup, name_.c_str()));
  std::string_view line;
  if (lines.next(line)) id_ = parse_number<uint64_t>(line).value_or(0);
}

TraceEvent::~TraceEvent() {
  remove();
}

// A second definition of the same name adds a probe to the event (since Linux 5.5).
void TraceEvent::define(const Point& point, bool at_return) {
  // named by its descriptor, since the path may have blanks
  const int fd = open(point.library.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    throw Error(format("cannot open '%s': %s", point.library.c_str(), std::strerror(errno)));
  const int error =
      command(directory_, format("%c:%s/%s /proc/self/fd/%d:0x%" PRIx64 " point=\\%zu:u32 %s\n",
                                 at_return ? 'r' : 'p', kGroup, name_.c_str(), fd, point.offset,
                                 point.number, point.fetch));
  close(fd);
  if (error != 0)
    throw Error(format("cannot define a uprobe in '%s/uprobe_events': %s", directory_.c_str(),
                       std::strerror(error)));
}

void TraceEvent::remove() {
  command(directory_, format("-:%s/%s\n", kGroup, name_.c_str()));
}

}  // namespace aiflame::record
