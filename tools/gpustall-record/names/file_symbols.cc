// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/file_symbols.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace aiflame::record {

FileSymbols::~FileSymbols() {
  for (const File& file : files_)
    if (file.descriptor >= 0) ::close(file.descriptor);
}

uint64_t FileSymbols::add_file(int descriptor) {
  const bool fits = files_.size() < kMaxFiles;
  const int copy = fits ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1;
  // the last number is that of all files that are too many
  if (fits || files_.back().descriptor >= 0) files_.push_back({copy, false, copy < 0});
  return files_.size() - 1;
}

bool FileSymbols::is_readable(uint64_t file) const {
  return ends_ < kMaxEnds && !files_[file].is_beyond;
}

// False when the child has ended.
bool FileSymbols::ask(const std::vector<Place>& places) {
  bool has_all = true;
  for (const Place& place : places) {
    File& file = files_[place.file];
    if (!file.is_given) has_all = has_all && child_.add_file(place.file, file.descriptor);
    file.is_given = true;
  }
  std::optional<SymbolChild::Answers> answers;
  if (has_all) answers = child_.ask(places);
  if (!answers) {
    ++ends_;
    for (File& file : files_) file.is_given = false;
    return false;
  }
  if (kept_.size() + places.size() > kMaxKept) kept_.clear();
  for (size_t i = 0; i < places.size(); ++i)
    if ((*answers)[i].is_beyond)
      files_[places[i].file].is_beyond = true;
    else
      kept_[places[i]] = std::move((*answers)[i].symbol);
  return true;
}

void FileSymbols::read_ahead(const std::vector<Place>& places) {
  std::vector<Place> unknown;
  for (const Place& place : places)
    if (is_readable(place.file) && kept_.find(place) == kept_.end()) unknown.push_back(place);
  if (unknown.empty() || ask(unknown)) return;
  // The child has ended: each file for itself, to find the one that it was.
  std::stable_sort(unknown.begin(), unknown.end(),
                   [](const Place& a, const Place& b) { return a.file < b.file; });
  for (auto begin = unknown.begin(); begin != unknown.end();) {
    const auto end = std::find_if(begin, unknown.end(),
                                  [&](const Place& one) { return one.file != begin->file; });
    if (is_readable(begin->file) && !ask({begin, end})) files_[begin->file].is_beyond = true;
    begin = end;
  }
}

const FileSymbols::Symbol* FileSymbols::find(const Place& place) {
  read_ahead({place});
  const auto at = kept_.find(place);
  if (at == kept_.end()) {
    ++unread_;
    return nullptr;
  }
  return at->second ? &*at->second : nullptr;
}

}  // namespace aiflame::record
