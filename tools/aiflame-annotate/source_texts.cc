// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/source_texts.h"

#include <filesystem>
#include <map>

namespace aiflame::annotate {
namespace {

// A name in debug information may be of any file. No source that a person reads is longer.
constexpr size_t kMaxFile = size_t{16} << 20;
constexpr size_t kMaxAll = size_t{256} << 20;
// Parts of a path that are tried; deeper ones are no honest paths.
constexpr size_t kMaxParts = 64;

}  // namespace

std::string SourceTexts::read(const std::string& file) {
  std::string outside;
  const auto try_path = [&](const std::string& path) {
    std::optional<SourceRoots::Found> found = roots_.read(path, kMaxFile);
    if (found && !found->outside.empty()) outside = found->outside;
    return found ? std::move(found->text) : "";
  };
  for (const std::string& prefix : prefixes_) {
    const std::string normal = std::filesystem::path(file).lexically_normal();
    std::string_view rest = normal;
    for (size_t part = 0; part < kMaxParts && !rest.empty(); ++part) {
      while (rest.starts_with('/')) rest.remove_prefix(1);
      if (std::string text = try_path(prefix + "/" + std::string(rest)); !text.empty()) return text;
      const size_t slash = rest.find('/');
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash);
    }
  }
  std::string text = try_path(file);
  if (!outside.empty() && text.empty())
    outside_.insert(outside);
  else if (text.empty())
    missing_.insert(file);
  return text;
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
  if (out.text.empty()) return out;
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

std::string directory_of_most(const std::set<std::string>& files) {
  std::map<std::string, size_t> below, directly;
  for (const std::string& file : files) {
    size_t slash = file.rfind('/');
    ++directly[file.substr(0, slash)];
    for (; slash != 0 && slash != std::string::npos; slash = file.rfind('/', slash - 1))
      ++below[file.substr(0, slash)];
  }
  std::string deepest;
  for (const auto& [directory, count] : below)
    if (2 * count > files.size() && directory.size() > deepest.size()) deepest = directory;
  if (!deepest.empty()) return deepest;
  std::string most;
  for (const auto& [directory, count] : directly)
    if (!directory.empty() && (most.empty() || count > directly[most])) most = directory;
  return most;
}

}  // namespace aiflame::annotate
