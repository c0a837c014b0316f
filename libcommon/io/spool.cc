// SPDX-License-Identifier: MIT
#include "libcommon/io/spool.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(format("cannot %s a temporary file in " P_tmpdir ": %s", what, std::strerror(errno)));
}

}  // namespace

Spool::Spool() : file_(std::tmpfile()) {
  if (!file_) fail("make");
}

void Spool::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("write");
}

ByteSource Spool::read() {
  if (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) fail("write");
  ByteSource out(fcntl(fileno(file_.get()), F_DUPFD_CLOEXEC, 0), "a temporary file");
  file_.reset();
  return out;
}

}  // namespace aiflame
