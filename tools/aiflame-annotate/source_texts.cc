// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/source_texts.h"

#include <filesystem>

#include "libcommon/io/read_text.h"

namespace aiflame::annotate {
namespace {

// A name in debug information may be of any file. No source that a person reads is longer.
constexpr size_t kMaxFile = size_t{16} << 20;
constexpr size_t kMaxAll = size_t{256} << 20;
// Parts of a path that are tried; deeper ones are no honest paths.
constexpr size_t kMaxParts = 64;

}  // namespace

std::string SourceTexts::read(const std::string& file) const {
  for (const std::string& prefix : prefixes_) {
    const std::string normal = std::filesystem::path(file).lexically_normal();
    std::string_view rest = normal;
    for (size_t part = 0; part < kMaxParts && !rest.empty(); ++part) {
      while (rest.starts_with('/')) rest.remove_prefix(1);
      if (std::string text = read_text(prefix + "/" + std::string(rest), kMaxFile); !text.empty())
        return text;
      const size_t slash = rest.find('/');
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash);
    }
  }
  return read_text(file, kMaxFile);
}

const SourceTexts::Text& SourceTexts::open(const std::string& file) {
  if (bytes_ > kMaxAll) {
    texts_.clear();
    bytes_ = 0;
  }
  const auto [at, added] = texts_.try_emplace(file);
  if (!added) return at->second;
  Text& out = at->second;
  out.text = read(file);
  if (out.text.empty()) {
    missing_.insert(file);
    return out;
  }
  bytes_ += out.text.size();
  out.starts.push_back(0);
  for (size_t end = 0; (end = out.text.find('\n', end)) != std::string::npos;)
    out.starts.push_back(++end);
  if (out.starts.back() != out.text.size()) out.starts.push_back(out.text.size() + 1);
  return out;
}

std::optional<std::string_view> SourceTexts::line(const std::string& file, uint64_t number) {
  if (file.empty() || number == 0) return std::nullopt;
  const Text& source = open(file);
  if (source.starts.size() < 2 || number >= source.starts.size()) return std::nullopt;
  const size_t start = source.starts[number - 1];
  std::string_view out =
      std::string_view(source.text).substr(start, source.starts[number] - 1 - start);
  if (out.ends_with('\r')) out.remove_suffix(1);
  return out;
}

}  // namespace aiflame::annotate
