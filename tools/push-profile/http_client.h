// SPDX-License-Identifier: MIT
// HTTP by libcurl, whose trust in servers (https) is the system's.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tools/push-profile/request.h"

namespace aiflame::push {

// What a server has said, or why it has not.
struct Answer {
  long status = 0;             // of HTTP; 0: no answer
  std::string text;            // the beginning of its body
  uint64_t retry_after_s = 0;  // Retry-After; 0: not said
  std::string failure;         // libcurl's words, where status is 0
  bool is_final = false;       // no other attempt can end otherwise: no certificate to trust, ...
};

class HttpClient {
 public:
  // `token`: the bearer token, "" = none. `timeout_s`: the most seconds of an attempt. Throws
  // Error.
  HttpClient(const std::string& url, const std::string& token, uint64_t timeout_s);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // One attempt. Throws Error when the body cannot be read.
  Answer post(const Request& request, const Body& body);

 private:
  struct Curl;
  std::unique_ptr<Curl> curl_;
  std::string url_, token_;
  uint64_t timeout_s_;
};

}  // namespace aiflame::push
