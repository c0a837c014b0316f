// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/jitdump.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/perf_data/perf_event.h"

namespace aiflame {
namespace {

constexpr uint32_t kMagic = 0x4A695444;  // `DTiJ` in a file of this machine's byte order
constexpr uint32_t kVersion = 1;
constexpr size_t kHeader = 40, kPrefix = 16;
enum RecordKind : uint32_t { kLoad = 0, kMove = 1, kDebugInfo = 2, kUnwinding = 4 };
// A browser had half a million functions after a long day.
constexpr size_t kMaxCodes = size_t{1} << 19;
// Lines in memory. A function that moves takes its lines along, so many moves of one function could
// take any number: in addition, there are at most as many as an eighth of the bytes of the dump.
constexpr size_t kMaxLines = size_t{1} << 24, kAnyLines = size_t{1} << 16;
// Stands for the file of the previous entry.
constexpr std::string_view kSameFile = "\xff";

struct Lines {
  uint64_t start = 0;
  std::vector<JitLine> lines;
};

// code_addr nr_entry (addr line discriminator file\0)…
Lines read_lines(ByteCursor cursor, size_t& budget) {
  Lines out;
  out.start = cursor.u64();
  const uint64_t count = cursor.u64();
  std::string_view last;
  for (uint64_t i = 0; i < count && cursor.left() > 0 && budget > 0; ++i, --budget) {
    const uint64_t address = cursor.u64();
    const uint32_t line = cursor.u32();
    cursor.u32();
    const std::string_view file = cursor.text();
    if (!cursor.ok()) break;
    if (file != kSameFile) last = file;
    if (address >= out.start) out.lines.push_back({address - out.start, last, line});
  }
  std::stable_sort(out.lines.begin(), out.lines.end(),
                   [](const JitLine& a, const JitLine& b) { return a.offset < b.offset; });
  return out;
}

// unwinding_size eh_frame_hdr_size mapped_size, then the bytes, perhaps padded. Nothing where the
// sizes are wrong.
JitUnwinding read_unwinding(ByteCursor cursor) {
  const uint64_t size = cursor.u64(), header_size = cursor.u64();
  cursor.u64();
  const std::string_view bytes = cursor.bytes(size);
  if (!cursor.ok() || header_size > size) return {};
  return {bytes, header_size};
}

}  // namespace

const JitLine* JitCode::line_at(uint64_t offset) const {
  auto next = std::upper_bound(lines.begin(), lines.end(), offset,
                               [](uint64_t at, const JitLine& line) { return at < line.offset; });
  return next == lines.begin() ? nullptr : &*std::prev(next);
}

JitDump::JitDump(std::string bytes) : bytes_(std::move(bytes)) {
  read();
  std::stable_sort(codes_.begin(), codes_.end(),
                   [](const JitCode& a, const JitCode& b) { return a.time < b.time; });
}

void JitDump::read() {
  ByteCursor header(bytes_);
  const uint32_t magic = header.u32(), version = header.u32(), header_size = header.u32();
  if (magic != kMagic || version != kVersion || header_size < kHeader ||
      header_size > bytes_.size()) {
    damaged_ = true;
    return;
  }
  Lines pending;  // of the next function that is loaded
  JitUnwinding unwinding;
  size_t line_budget = std::min(kMaxLines, kAnyLines + bytes_.size() / 8);
  std::unordered_map<uint64_t, size_t> by_index;  // in codes_
  std::string_view left = std::string_view(bytes_).substr(header_size);
  while (left.size() >= kPrefix) {
    ByteCursor prefix(left);
    const uint32_t kind = prefix.u32(), size = prefix.u32();
    const uint64_t time = prefix.u64();
    // a program that was killed leaves its last record unfinished
    if (size < kPrefix || size > left.size() || codes_.size() >= kMaxCodes) {
      damaged_ = size < kPrefix || codes_.size() >= kMaxCodes;
      return;
    }
    ByteCursor cursor(left.substr(kPrefix, size - kPrefix));
    left.remove_prefix(size);
    if (kind == kDebugInfo) {
      pending = read_lines(cursor, line_budget);
      continue;
    }
    if (kind == kUnwinding) {
      unwinding = read_unwinding(cursor);
      continue;
    }
    if (kind != kLoad && kind != kMove) continue;
    cursor.u64();  // pid and tid
    cursor.u64();  // vma
    JitCode code;
    code.time = time;
    if (kind == kLoad) {
      code.start = cursor.u64();
      code.size = cursor.u64();
      code.index = cursor.u64();
      code.name = cursor.text();
      code.unwinding = std::exchange(unwinding, {});
      if (!cursor.ok() || code.size == 0) continue;
      if (pending.start == code.start) code.lines = std::move(pending.lines);
      pending = {};
      by_index[code.index] = codes_.size();
    } else {
      cursor.u64();  // the old address
      code.start = cursor.u64();
      code.size = cursor.u64();
      code.index = cursor.u64();
      const auto moved = by_index.find(code.index);
      if (!cursor.ok() || code.size == 0 || moved == by_index.end()) continue;
      code.name = codes_[moved->second].name;
      code.unwinding = codes_[moved->second].unwinding;
      const std::vector<JitLine>& lines = codes_[moved->second].lines;
      if (lines.size() <= line_budget) {
        line_budget -= lines.size();
        code.lines = lines;
      }
    }
    codes_.push_back(std::move(code));
  }
}

int32_t jitdump_process(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::string_view kEnd = ".dump";
  if (!take_prefix(name, "jit-") || !name.ends_with(kEnd)) return 0;
  name.remove_suffix(kEnd.size());
  return parse_number<int32_t>(name).value_or(0);
}

}  // namespace aiflame
