// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/process_tree.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"

namespace aiflame::record {
namespace {

// Deeper trees are attacks: each step up is a file to read.
constexpr int kMaxDepth = 1024;

// More than a program may have: variables take a quarter of its stack at most, 2 MB as a rule.
constexpr size_t kEnvironBytes = size_t{8} << 20;

std::string read_proc(pid_t pid, const char* file) {
  return read_text(format("/proc/%d/%s", pid, file), 1024);
}

struct Status {
  char state = '?';  // as in ps(1): Z has ended
  pid_t parent = 0;
};

// /proc/PID/stat is "PID (COMM) STATE PARENT …", and COMM may contain anything. A process that has
// just been released is in state X, and has no parent (do_task_stat() in the kernel's
// fs/proc/array.c).
std::optional<Status> read_status(pid_t pid) {
  const std::string content = read_proc(pid, "stat");
  const size_t comm_end = content.rfind(')');
  if (comm_end == std::string::npos || comm_end + 4 > content.size()) return std::nullopt;
  const std::string_view rest = std::string_view(content).substr(comm_end + 4);  // ") S "
  const auto parent = parse_number<pid_t>(rest.substr(0, rest.find(' ')));
  const char state = content[comm_end + 2];
  if (!parent || state == 'X') return std::nullopt;
  return Status{state, *parent};
}

std::optional<Status> status_of(pid_t pid) {
  std::optional<Status> status = read_status(pid);
  // the kernel may have noted the state just before the release, and the parent just after it
  if (status && status->parent == 0) status = read_status(pid);
  return status;
}

std::optional<pid_t> parent_of(pid_t pid) {
  const std::optional<Status> status = status_of(pid);
  return status ? std::optional(status->parent) : std::nullopt;
}

// The file that a process executes, "" when that cannot be seen.
std::string program_of(pid_t pid) {
  std::error_code error;
  return std::filesystem::read_symlink(format("/proc/%d/exe", pid), error).string();
}

// The same, unless a process on the way up ended meanwhile.
std::optional<Descent> try_descent(pid_t pid, pid_t ancestor) {
  pid_t at = pid;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    if (at == ancestor) return Descent::below;
    if (at <= 1) return Descent::elsewhere;
    const std::optional<pid_t> parent = parent_of(at);
    if (!parent) return at == pid ? std::optional(Descent::gone) : std::nullopt;
    at = *parent;
  }
  return Descent::elsewhere;
}

}  // namespace

Descent descent_of(pid_t pid, pid_t ancestor) {
  // the children of a process that ends get another parent, so the way up changes
  for (int attempt = 0; attempt < 8; ++attempt)
    if (const auto descent = try_descent(pid, ancestor)) return *descent;
  return Descent::gone;
}

std::vector<pid_t> processes_below(pid_t ancestor) {
  std::vector<pid_t> out;
  const std::string own_program = program_of(ancestor);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto pid = parse_number<pid_t>(entry.path().filename().string());
    if (!pid || *pid == ancestor) continue;
    const std::optional<Status> status = status_of(*pid);
    if (!status || status->state == 'Z' || descent_of(*pid, ancestor) != Descent::below) continue;
    const bool is_copy =
        status->parent == ancestor && !own_program.empty() && program_of(*pid) == own_program;
    if (!is_copy) out.push_back(*pid);
  }
  std::ranges::sort(out);
  return out;
}

std::string environment_of(uint32_t pid) {
  return read_text(format("/proc/%u/environ", pid), kEnvironBytes);
}

std::string_view variable_in(std::string_view environ, std::string_view name) {
  while (!environ.empty()) {
    const std::string_view line = environ.substr(0, environ.find('\0'));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=')
      return line.substr(name.size() + 1);
    environ.remove_prefix(std::min(environ.size(), line.size() + 1));
  }
  return {};
}

std::string comm_of(pid_t pid) {
  std::string comm = read_proc(pid, "comm");
  if (comm.ends_with('\n')) comm.pop_back();
  return comm;
}

}  // namespace aiflame::record
