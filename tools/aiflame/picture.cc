// SPDX-License-Identifier: MIT
#include "tools/aiflame/picture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

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

Picture::Picture(std::string path, bool is_asked_for)
    : path_(std::move(path)), unfinished_(path_ + ".XXXXXX") {
  struct stat status {};
  if (lstat(path_.c_str(), &status) == 0 && (!S_ISREG(status.st_mode) || !is_asked_for)) {
    if (!S_ISREG(status.st_mode)) throw Error(path_ + ": is there, and is no regular file");
    if (!is_picture(path_))
      throw Error(path_ + ": is there, and is no picture; name another with -o");
  }
  file_.reset(mkostemp(unfinished_.data(), O_CLOEXEC));
  if (file_.get() < 0)
    throw Error(format("cannot write '%s': %s", path_.c_str(), std::strerror(errno)));
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(file_.get(), 0666 & ~mask);  // mkostemp() lets nobody else read it
}

Picture::~Picture() {
  if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
}

void Picture::finish() {
  if (std::rename(unfinished_.c_str(), path_.c_str()) != 0)
    throw Error(format("cannot write '%s': %s", path_.c_str(), std::strerror(errno)));
  unfinished_.clear();
}

}  // namespace aiflame::front
