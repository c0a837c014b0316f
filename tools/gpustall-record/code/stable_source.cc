// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/code/stable_source.h"

#include <algorithm>
#include <utility>

#include "libcommon/device/temporary_source.h"

namespace aiflame::record {
namespace {

constexpr size_t kName = kTemporarySourceBytes;

// PoCL writes four bits of its hash as a letter from A to P.
bool is_hash(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'P'; });
}

void replace_names(std::string& bytes, const std::string& name) {
  constexpr std::string_view kBegin = "tempfile_";
  for (size_t at = bytes.find(kBegin); at != std::string::npos; at = bytes.find(kBegin, at + 1))
    if (is_temporary_source(std::string_view(bytes).substr(at, kName)))
      bytes.replace(at, kName, name);
}

// Reads until `bytes` are there or the end is.
std::string read_whole(const ObjectReader& reader, uint64_t offset, size_t bytes) {
  std::string out(bytes, '\0');
  size_t size = 0;
  while (size < bytes) {
    const size_t more = reader(offset + size, out.data() + size, bytes - size);
    if (more == 0) break;
    size += more;
  }
  out.resize(size);
  return out;
}

}  // namespace

std::string stable_source_name(std::string_view path) {
  constexpr size_t kFirst = 2, kLeast = 30;  // letters of the two folders
  for (size_t at = path.find('/'); at != std::string_view::npos; at = path.find('/', at + 1)) {
    const std::string_view rest = path.substr(at + 1);
    if (rest.find('/') != kFirst || !is_hash(rest.substr(0, kFirst))) continue;
    const std::string_view hash = rest.substr(kFirst + 1, rest.find('/', kFirst + 1) - kFirst - 1);
    if (hash.size() >= kLeast && is_hash(hash)) return stable_source(hash);
  }
  return "";
}

ObjectReader with_source_name(ObjectReader reader, std::string name) {
  return [reader = std::move(reader), name = std::move(name)](uint64_t offset, char* to,
                                                              size_t bytes) -> size_t {
    // a name may begin before what is asked for, and end behind it
    const auto before = static_cast<size_t>(std::min<uint64_t>(offset, kName - 1));
    std::string read = read_whole(reader, offset - before, before + bytes + kName - 1);
    if (read.size() <= before) return 0;
    replace_names(read, name);
    const size_t size = std::min(bytes, read.size() - before);
    std::copy_n(read.data() + before, size, to);
    return size;
  };
}

}  // namespace aiflame::record
