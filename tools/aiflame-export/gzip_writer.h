// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace aiflame::exporter {

// Compresses by gzip, without a name or a time in its head: the same bytes each time.
class GzipWriter {
 public:
  explicit GzipWriter(std::function<void(std::string_view bytes)> write);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view bytes);
  // Ends the file; the last call.
  void finish();

 private:
  void compress(int flush);

  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::function<void(std::string_view bytes)> write_;
  std::string out_;
};

}  // namespace aiflame::exporter
