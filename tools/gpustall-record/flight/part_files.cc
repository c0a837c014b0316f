// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/flight/part_files.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

uint64_t hundredths_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 100 + static_cast<uint64_t>(now.tv_nsec) / 10000000;
}

// rename(2) that fails with EEXIST instead of replacing a file.
bool rename_new(const OutputPlace& from, const std::string& to) {
  const int in = from.directory.get();
  if (renameat2(in, from.name.c_str(), in, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // a file system without it, such as NFS: a link does not replace a file either
  return linkat(in, from.name.c_str(), in, to.c_str(), 0) == 0 &&
         unlinkat(in, from.name.c_str(), 0) == 0;
}

bool remove_file(const std::string& path) {
  const OutputPlace place = find_output_place(path);
  return unlinkat(place.directory.get(), place.name.c_str(), 0) == 0;
}

// One write(2), so that it does not mix with the command's messages.
void say_dump(const std::string& name) {
  const std::string line = format("[ %s: dump %s ]\n", program_name(), printable(name).c_str());
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

std::string part_timestamp(uint64_t hundredths) {
  const auto seconds = static_cast<time_t>(hundredths / 100);
  tm parts{};
  localtime_r(&seconds, &parts);
  char text[32];
  strftime(text, sizeof text, "%Y%m%d%H%M%S", &parts);
  return format("%s%02u", text, static_cast<unsigned>(hundredths % 100));
}

PartFiles::PartFiles(std::string file, bool timestamps, uint64_t most)
    : file_(std::move(file)), timestamps_(timestamps), most_(most) {
  output();
}

Output& PartFiles::output() {
  if (out_) return *out_;
  // The last part has left its name. What has it now is not this recorder's, but no reason to lose
  // the next part.
  const bool left = timestamps_ && finished_ > 0;
  out_.emplace(file_, Output::Existing::kept_until_written, Output::Readers::owner,
               left ? Planted::replaced : Planted::refused);
  out_->claim();
  return *out_;
}

void PartFiles::finish() {
  output().close();
  ++finished_;
  if (timestamps_) names_.push_back(rename_whole());
  out_.reset();
  if (!timestamps_) return;
  say_dump(names_.back());
  if (most_ == 0) {
    names_.clear();
  } else if (names_.size() > most_) {
    // somebody may have taken it away already
    if (remove_file(names_.front())) ++removed_;
    names_.pop_front();
  }
}

// Returns the new name. A second part within a hundredth of a second gets the next hundredth's,
// also when the first one is removed by now: the names are in the order of the parts.
std::string PartFiles::rename_whole() {
  for (uint64_t at = std::max(hundredths_now(), latest_ + 1);; ++at) {
    const std::string ending = "." + part_timestamp(at);
    std::string name = file_ + ending;
    latest_ = at;
    if (rename_new(out_->place(), out_->place().name + ending)) return name;
    if (errno != EEXIST)
      throw Error(format("cannot rename '%s' to '%s': %s", file_.c_str(), name.c_str(),
                         std::strerror(errno)));
  }
}

}  // namespace aiflame::record
