// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/code_objects.h"

#include <elf.h>

#include <filesystem>

#include "libcommon/base/program.h"

namespace aiflame::hpctoolkit {
namespace {

constexpr std::string_view kGpubins = "/gpubins";

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

CodeObjects::CodeObjects(const std::string& database, const std::vector<std::string>& folders) {
  const auto add = [&](const std::string& folder) {
    folders_.push_back(folder);
    folders_.push_back(folder + std::string(kGpubins));
  };
  for (const std::string& folder : folders) add(without_slashes(folder));
  std::string measured = without_slashes(database);
  add(measured);
  constexpr std::string_view kDatabase = "-database", kMeasurements = "-measurements";
  if (!measured.ends_with(kDatabase)) return;
  measured.resize(measured.size() - kDatabase.size());
  add(measured.append(kMeasurements));
}

// The database is untrusted, so it does not choose the folder.
const std::string& CodeObjects::path_of(std::string_view module) {
  const auto [at, added] = paths_.try_emplace(std::string(module));
  if (!added) return at->second;
  const std::string file(module.substr(module.rfind('/') + 1));
  for (const std::string& folder : folders_) {
    if (file.empty()) break;
    std::string path = folder;
    path.append("/").append(file);
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    at->second = std::move(path);
    return at->second;
  }
  missing_.push_back(at->first);
  return at->second;
}

std::optional<CodePlace> CodeObjects::place(std::string_view module, uint64_t offset) {
  const std::string& path = path_of(module);
  if (path.empty()) return std::nullopt;
  if (opened_ != path) {
    opened_ = path;
    elf_.reset();
    try {
      elf_.emplace(path);
    } catch (const Error& error) {
      warn("%s; no instructions from it", error.what());
    }
  }
  if (!elf_) return std::nullopt;
  const std::optional<uint64_t> at = elf_->offset_of_vaddr(offset);
  return at ? std::optional(CodePlace{path, *at}) : std::nullopt;
}

bool CodeObjects::is_intel() const {
  return elf_ && elf_->machine() == EM_INTELGT;
}

}  // namespace aiflame::hpctoolkit
