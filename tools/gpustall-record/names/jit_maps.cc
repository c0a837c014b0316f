// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/jit_maps.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"

namespace aiflame::record {

// The last number of the line `NStgid: 4711 7`, which has one for each namespace.
uint32_t innermost_pid(const std::string& status) {
  constexpr std::string_view kKey = "\nNStgid:";
  const size_t at = status.find(kKey);
  if (at == std::string::npos) return 0;
  const size_t begin = at + kKey.size();
  const std::string_view line =
      std::string_view(status).substr(begin, status.find('\n', begin) - begin);
  const size_t blank = line.find_last_of(" \t");
  return parse_number<uint32_t>(blank == std::string_view::npos ? line : line.substr(blank + 1))
      .value_or(0);
}

JitMaps::Process& JitMaps::process(uint32_t pid) {
  const auto [at, is_new] = processes_.try_emplace(pid);
  if (is_new) at->second.number = innermost_pid(read_text(format("/proc/%u/status", pid), 65536));
  return at->second;
}

void JitMaps::see(uint32_t pid) {
  process(pid);
}

std::string JitMaps::object(uint32_t pid) {
  return format("/tmp/perf-%u.map", pid);
}

// Anybody may write to /tmp, so perf looks whose the file is, too.
std::optional<ProcessFile> JitMaps::open_below(uint64_t root, uint32_t pid, uint32_t number) const {
  try {
    ProcessFile file = roots_.open(root, object(number), false);
    struct stat map {
    }, program{};
    if (fstat(file.descriptor(), &map) != 0) return std::nullopt;
    const bool is_trusted = map.st_uid == 0 || map.st_uid == geteuid();
    if (is_trusted ||
        (stat(format("/proc/%u", pid).c_str(), &program) == 0 && program.st_uid == map.st_uid))
      return file;
  } catch (const Error&) {
    // there is none
  }
  return std::nullopt;
}

std::optional<ProcessFile> JitMaps::open(uint32_t pid) {
  constexpr uint32_t kMostPatience = 1023;
  Process& known = process(pid);
  if (known.left > 0) {
    --known.left;
    return std::nullopt;
  }
  const uint64_t root = roots_.number_of(pid);
  for (const uint32_t number : {known.number, pid}) {
    if (number == 0) continue;
    if (std::optional<ProcessFile> found = open_below(root, pid, number)) return found;
  }
  known.patience = std::min(2 * known.patience + 1, kMostPatience);
  known.left = known.patience;
  return std::nullopt;
}

}  // namespace aiflame::record
