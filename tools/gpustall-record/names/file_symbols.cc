// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/file_symbols.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "libcommon/symbols/find_object.h"

namespace aiflame::record {

FileSymbols::~FileSymbols() {
  for (const File& file : files_)
    if (file.descriptor >= 0) ::close(file.descriptor);
}

uint64_t FileSymbols::add_file(int descriptor, Kind kind) {
  const bool fits = files_.size() < kMaxFiles;
  const int copy = fits ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : -1;
  // the last number is that of all files that are too many
  if (fits || files_.back().descriptor >= 0) {
    File& file = files_.emplace_back();
    file.descriptor = copy;
    file.kind = kind;
    file.is_beyond = copy < 0;
  }
  return files_.size() - 1;
}

bool FileSymbols::is_readable(uint64_t file) const {
  return ends_ < kMaxEnds && !files_[file].is_beyond;
}

// A map of functions grows, so that it may know a function later.
bool FileSymbols::is_known(const Place& place) const {
  const auto at = kept_.find(place);
  return at != kept_.end() && (at->second || place.kind != Kind::jitted);
}

// False when the child has ended.
bool FileSymbols::ask(std::vector<Place> places) {
  bool has_all = true;
  const size_t count = places.size();
  for (size_t i = 0; i < count; ++i) {
    const uint64_t number = places[i].file;
    File& file = files_[number];
    if (!file.is_given) {
      has_all = has_all && child_.add_file(number, file.descriptor, file.kind);
      if (!file.has_build_id && file.kind == Kind::function)
        places.push_back({number, 0, Kind::build_id});
    }
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
  for (size_t i = 0; i < places.size(); ++i) keep(places[i], std::move((*answers)[i]));
  return true;
}

void FileSymbols::keep(const Place& place, SymbolChild::Answer&& answer) {
  File& file = files_[place.file];
  if (answer.is_beyond) {
    file.is_beyond = true;
  } else if (place.kind == Kind::build_id) {
    file.has_build_id = true;
    // the child has read an untrusted file: what it says names files of ours
    if (answer.symbol && is_build_id(answer.symbol->name)) file.build_id = answer.symbol->name;
  } else {
    kept_[place] = std::move(answer.symbol);
  }
}

void FileSymbols::read_ahead(const std::vector<Place>& places) {
  std::vector<Place> unknown;
  for (const Place& place : places)
    if (is_readable(place.file) && !is_known(place)) unknown.push_back(place);
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
  if (kept_.find(place) == kept_.end()) read_ahead({place});
  const auto at = kept_.find(place);
  if (at == kept_.end()) {
    ++unread_;
    return nullptr;
  }
  return at->second ? &*at->second : nullptr;
}

}  // namespace aiflame::record
