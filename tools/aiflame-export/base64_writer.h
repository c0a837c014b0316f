// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace aiflame::exporter {

// Writes bytes as base64 (RFC 4648), which JSON can hold.
class Base64Writer {
 public:
  explicit Base64Writer(std::function<void(std::string_view text)> write)
      : write_(std::move(write)) {}

  void write(std::string_view bytes);
  // Ends the text; the last call.
  void finish();

 private:
  std::function<void(std::string_view text)> write_;
  std::string left_;  // fewer bytes than a group of three
  std::string text_;
};

}  // namespace aiflame::exporter
