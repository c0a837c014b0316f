// SPDX-License-Identifier: MIT
// Buffered writing to a file descriptor, with every failure reported.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/base/output_place.h"

namespace aiflame {

// The call that meets a failure throws Error ("write error: No space left on device").
class Output {
 public:
  // What happens to a file that exists: it is truncated when it is opened, or when it is first
  // written to, so that a run that fails before leaves it as it was.
  enum class Existing { truncated, kept_until_written };
  // Who may read a file that is created: whom umask(2) lets, or its owner alone.
  enum class Readers { by_umask, owner };

  // Standard output; `path` other than "" or "-" is created, or else treated as `existing` says, or
  // as `planted` says where it is not this user's. A file that this has created is removed again
  // if nothing is ever written to it.
  explicit Output(const std::string& path = "", Existing existing = Existing::truncated,
                  Readers readers = Readers::by_umask, Planted planted = Planted::refused);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text) {
    if (buffer_.size() + text.size() > kBufferSize) flush();
    if (text.size() > kBufferSize)
      write_all(text);
    else
      buffer_.append(text);
  }
  // Keeps the file for this program alone, until it is closed. Throws Error where another program
  // has claimed it. Does nothing for what is no regular file.
  void claim();
  void flush();
  // Flushes and closes; the last step of every filter. Without it the buffer is dropped, so that a
  // failed run does not add to its output.
  void close();
  // Where the file is; of standard output, nowhere.
  const OutputPlace& place() const { return place_; }

 private:
  // A part of a second-level cache. 64 KiB and 1 MiB take as long within 1 % (`make bench`, diff,
  // sorted).
  static constexpr size_t kBufferSize = size_t{256} * 1024;
  bool is_there() const;
  void truncate_once();
  void write_all(std::string_view text);

  std::string name_;
  std::string buffer_;
  OutputPlace place_;  // of a file
  int fd_;
  bool truncates_ = false;  // at the first write
  bool is_new_ = false;     // created, and not written to yet
};

}  // namespace aiflame
