// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/read/jit_codes.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"

namespace aiflame::collapse {
namespace {

// A dump holds the code itself, and grows as long as the program compiles.
constexpr size_t kMaxDump = size_t{1} << 30;

}  // namespace

void JitCodes::take(const PerfDataRecord& record, bool is_monotonic) {
  if (record.type != PERF_RECORD_MMAP && record.type != PERF_RECORD_MMAP2) return;
  // pid tid start size offset; in MMAP2 device, inode, protection and flags; then the path
  const size_t path_at = record.type == PERF_RECORD_MMAP ? 32 : 64;
  if (record.body.size() <= path_at || !record.body.substr(path_at).starts_with('/')) return;
  ByteCursor cursor(record.body);
  const auto pid = cursor.take<int32_t>();
  const std::string_view path = ByteCursor(record.body.substr(path_at)).text();
  if (pid <= 0 || jitdump_process(path) != pid) return;
  const auto [at, added] = dumps_.try_emplace(pid);
  Dump& dump = at->second;
  if (!added && dump.path == path) return;
  dump.path = path;
  dump.dump = std::make_unique<JitDump>(read_text(dump.path, kMaxDump));
  dump.next = 0;
  if (!is_monotonic) load(pid, UINT64_MAX);
}

void JitCodes::load(int32_t pid, uint64_t time) {
  const auto found = dumps_.find(pid);
  if (found == dumps_.end()) return;
  Dump& dump = found->second;
  const std::vector<JitCode>& codes = dump.dump->codes();
  const std::string directory = dump.path.substr(0, dump.path.rfind('/') + 1);
  for (; dump.next < codes.size() && codes[dump.next].time <= time; ++dump.next) {
    const JitCode& code = codes[dump.next];
    // the name of the object that `perf inject --jit` would make
    machine_.map_code(
        pid, code,
        directory + "jitted-" + std::to_string(pid) + "-" + std::to_string(code.index) + ".so");
  }
}

void JitCodes::report() const {
  std::vector<std::string> damaged;
  for (const auto& [pid, dump] : dumps_)
    if (dump.dump->is_damaged()) damaged.push_back(dump.path);
  std::sort(damaged.begin(), damaged.end());
  for (const std::string& path : damaged)
    warn("%s: is no jitdump, or only in part; code may lack its name", path.c_str());
}

}  // namespace aiflame::collapse
