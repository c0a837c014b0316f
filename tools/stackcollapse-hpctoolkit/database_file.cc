// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/database_file.h"

#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"

namespace aiflame::hpctoolkit {
namespace {

constexpr std::string_view kMagic = "HPCTOOLKIT";
constexpr uint64_t kMajorAt = 0xe, kHeader = 0x20;
constexpr unsigned kMajor = 4;

// Only texts this long are counted, and all of them together may be this many times the file: a
// writer may well point at one text from several places.
constexpr size_t kLong = 256, kMostTexts = 16;

}  // namespace

DatabaseFile::DatabaseFile(const std::string& path, std::string_view kind) : name_(path) {
  const ByteSource source(path);
  if (!source.seekable()) throw Error(path + ": not a plain file");
  const uint64_t size = source.size();
  if (size > 0) window_ = source.map_at(0, size);
  if (size > 0 && window_.bytes() == nullptr) throw Error(path + ": cannot be mapped");
  bytes_ = {window_.bytes(), size};
  check(kind);
}

DatabaseFile::DatabaseFile(std::string name, std::string_view bytes, std::string_view kind)
    : name_(std::move(name)), bytes_(bytes) {
  check(kind);
}

void DatabaseFile::check(std::string_view kind) const {
  if (bytes_.size() < kHeader || !bytes_.starts_with(kMagic) ||
      bytes_.substr(kMagic.size(), kind.size()) != kind)
    throw Error(name_ + ": not a file of HPCToolkit's database of the kind '" + std::string(kind) +
                "'");
  if (u8(kMajorAt) != kMajor)
    throw Error(name_ +
                format(": version %u; this program reads version %u", u8(kMajorAt), kMajor));
}

std::string_view DatabaseFile::text(uint64_t at) const {
  if (at == 0) return {};
  need(at, 1, 1);
  const std::string_view rest = bytes_.substr(at, kLongestText);
  const std::string_view text = rest.substr(0, rest.find('\0'));
  if (at + text.size() == bytes_.size()) fail(at, "a text without an end");
  if (text.size() >= kLong && long_texts_.insert(at).second) {
    text_bytes_ += text.size();
    if (text_bytes_ > kMostTexts * bytes_.size()) fail(at, "texts that overlap");
  }
  return text;
}

void DatabaseFile::need(uint64_t at, uint64_t count, uint64_t each) const {
  if (at > bytes_.size() || (each > 0 && count > (bytes_.size() - at) / each))
    fail(at, "outside of the file, which may be cut");
}

void DatabaseFile::need_size(uint64_t at, uint64_t size, uint64_t least) const {
  if (size < least) fail(at, "a structure that is too small");
}

void DatabaseFile::fail(uint64_t at, const char* what) const {
  throw Error(name_ + format(": 0x%llx: ", static_cast<unsigned long long>(at)) + what);
}

}  // namespace aiflame::hpctoolkit
