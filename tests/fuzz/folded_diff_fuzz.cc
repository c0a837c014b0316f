// SPDX-License-Identifier: MIT
// folded(5) as input of aiflame-diff: what stands before the first form feed, and what behind it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcommon/folded.h"
#include "libcommon/program.h"
#include "tests/fuzz/memory_file.h"
#include "tools/aiflame-diff/diff.h"

using namespace aiflame;

namespace {

bool read(const std::string& path, bool strip, CountTable& table) {
  LineReader reader(path);
  std::string stripped;
  std::string_view line;
  while (reader.next(line)) {
    FoldedLine folded;
    if (!split_folded(line, false, folded)) return false;
    strip_hex(folded.stack, stripped);
    const auto count = parse_count(folded.count);
    if (!count || !table.add(strip ? stripped : folded.stack, *count)) return false;
  }
  table.finish();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile before_file, after_file;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t half = std::min(text.find('\f'), text.size());
  before_file.set(text.substr(0, half));
  after_file.set(half == text.size() ? "" : text.substr(half + 1));
  try {
    CountTable before, after;
    const bool strip = size % 2 == 0;
    if (!read(before_file.path(), strip, before) || !read(after_file.path(), strip, after))
      return 0;
    const unsigned decimals = std::max(before.decimals(), after.decimals());
    if (!before.widen_to(decimals) || !after.widen_to(decimals)) return 0;
    if (size % 3 != 0 && before.total() != 0) {
      before.scale_to(after.total());
      if (before.total() != after.total()) abort();
    }
    uint64_t was_all = 0, is_all = 0;
    std::string last;
    bool first = true;
    join(before, after, [&](std::string_view stack, uint64_t was, uint64_t is) {
      if (!first && stack <= last) abort();
      first = false;
      last = stack;
      was_all += was;
      is_all += is;
    });
    if (was_all != before.total() || is_all != after.total()) abort();
  } catch (const Error&) {
  }
  return 0;
}
