// SPDX-License-Identifier: MIT
// A profile on its way, and how it is kept in a file meanwhile (pure). The file has all that is
// needed to send it again, but neither the server nor the token:
//
//   # aiflame-push 1
//   door parca
//   path /profiles/writeraw
//   type application/json
//   encoding
//   size 1234
//
//   {"series":[...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aiflame::push {

struct Request {
  std::string door;      // pyroscope, parca or otlp
  std::string path;      // with the query
  std::string type;      // Content-Type
  std::string encoding;  // Content-Encoding; "": none
};

// Bytes of a file.
struct Body {
  int fd = -1;
  uint64_t offset = 0, size = 0;
};

struct Head {
  Request request;
  uint64_t length = 0;  // of the head itself
  uint64_t size = 0;    // of the body behind it
};

// A longer text has no head.
inline constexpr size_t kMostHead = size_t{64} << 10;

std::string head_text(const Request& request, uint64_t size);
// Of the text that a file begins with. Nothing for other text.
std::optional<Head> parse_head(std::string_view text);

}  // namespace aiflame::push
