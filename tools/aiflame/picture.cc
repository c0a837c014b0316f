// SPDX-License-Identifier: MIT
#include "tools/aiflame/picture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/io/file_kind.h"
#include "libcommon/io/read_text.h"

namespace aiflame::front {
namespace {

bool is_picture(const std::string& path) {
  const FileKind kind = find_file_kind(read_text(path, kKindBytes), path);
  return kind == FileKind::svg || kind == FileKind::html;
}

}  // namespace

Picture::Picture(std::string path, bool is_asked_for) : path_(std::move(path)) {
  struct stat status {};
  const bool is_there = path_ != "-" && lstat(path_.c_str(), &status) == 0;
  const bool is_special = path_ == "-" || (is_there && !S_ISREG(status.st_mode));
  if (is_special && !is_asked_for) throw Error(path_ + ": is there, and is no regular file");
  if (is_there && !is_asked_for && !is_picture(path_))
    throw Error(path_ + ": is there, and is no picture; name another with -o");
  if (is_special)
    open_unnamed();
  else
    open_named();
}

Picture::~Picture() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

void Picture::open_named() {
  unfinished_ = path_ + ".XXXXXX";
  file_.reset(mkostemp(unfinished_.data(), O_CLOEXEC));
  if (file_.get() < 0) {
    unfinished_.clear();
    throw Error(format("cannot write '%s': %s", path_.c_str(), std::strerror(errno)));
  }
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(file_.get(), 0666 & ~mask);  // mkostemp() lets nobody else read it
}

void Picture::open_unnamed() {
  special_.emplace(path_);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (file) file_.reset(fcntl(fileno(file.get()), F_DUPFD_CLOEXEC, 0));
  if (file_.get() < 0)
    throw Error(format("cannot make a temporary file: %s", std::strerror(errno)));
}

void Picture::copy() {
  std::vector<char> block(size_t{256} << 10);
  for (off_t place = 0;;) {
    const ssize_t size = ::pread(file_.get(), block.data(), block.size(), place);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw Error(format("cannot read a temporary file: %s", std::strerror(errno)));
    if (size == 0) break;
    special_->write({block.data(), static_cast<size_t>(size)});
    place += size;
  }
  special_->close();
}

void Picture::finish() {
  if (special_) return copy();
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0)
    throw Error(format("cannot write '%s': %s", path_.c_str(), std::strerror(errno)));
  unfinished_.clear();
}

}  // namespace aiflame::front
