// SPDX-License-Identifier: MIT
#include "tools/push-profile/http_client.h"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "libcommon/base/program.h"
#include "tools/push-profile/token.h"

namespace aiflame::push {
namespace {

constexpr long kConnectSeconds = 10;
// What is read of an answer: a message, and no page of an endless one.
constexpr size_t kMostText = 4096;
constexpr size_t kMostAnswer = size_t{64} << 10;

struct Exchange {
  const Body& body;
  uint64_t sent = 0;
  int error = 0;        // errno of a body that cannot be read
  std::string text{};   // of the answer
  size_t received = 0;  // of it
};

size_t give_body(char* data, size_t size, size_t count, void* context) {
  Exchange& exchange = *static_cast<Exchange*>(context);
  const uint64_t left = exchange.body.size - exchange.sent;
  const size_t wanted = static_cast<size_t>(std::min<uint64_t>(left, size * count));
  if (wanted == 0) return 0;
  const ssize_t n = pread(exchange.body.fd, data, wanted,
                          static_cast<off_t>(exchange.body.offset + exchange.sent));
  if (n <= 0) {
    exchange.error = n < 0 ? errno : EIO;  // 0: the file has become shorter
    return CURL_READFUNC_ABORT;
  }
  exchange.sent += static_cast<uint64_t>(n);
  return static_cast<size_t>(n);
}

// libcurl begins again where a connection that it kept has gone.
int seek_body(void* context, curl_off_t offset, int origin) {
  if (origin != SEEK_SET || offset < 0) return CURL_SEEKFUNC_FAIL;
  static_cast<Exchange*>(context)->sent = static_cast<uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// Fewer bytes than there are end the exchange.
size_t count_bytes(Exchange& exchange, size_t size) {
  exchange.received += size;
  return exchange.received > kMostAnswer ? 0 : size;
}

size_t take_header(char*, size_t size, size_t count, void* context) {
  return count_bytes(*static_cast<Exchange*>(context), size * count);
}

size_t take_text(char* data, size_t size, size_t count, void* context) {
  Exchange& exchange = *static_cast<Exchange*>(context);
  const size_t room = kMostText - exchange.text.size();
  exchange.text.append(data, std::min(room, size * count));
  return count_bytes(exchange, size * count);
}

bool is_final(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
}

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Headers = std::unique_ptr<curl_slist, FreeList>;

void add_header(Headers& headers, const std::string& line) {
  curl_slist* list = curl_slist_append(headers.get(), line.c_str());
  if (list == nullptr) throw std::bad_alloc();
  [[maybe_unused]] curl_slist* old = headers.release();
  headers.reset(list);
}

Headers make_headers(const Request& request) {
  Headers out;
  add_header(out, "Content-Type: " + request.type);
  if (!request.encoding.empty()) add_header(out, "Content-Encoding: " + request.encoding);
  add_header(out, "Expect:");  // no round trip before the body
  return out;
}

}  // namespace

struct HttpClient::Curl {
  CURL* handle = nullptr;
};

HttpClient::HttpClient(const std::string& url, const std::string& token, uint64_t timeout_s)
    : curl_(std::make_unique<Curl>()), url_(url), token_(token), timeout_s_(timeout_s) {
  signal(SIGPIPE, SIG_IGN);
  curl_->handle = curl_global_init(CURL_GLOBAL_DEFAULT) == 0 ? curl_easy_init() : nullptr;
  if (curl_->handle == nullptr) throw Error("libcurl cannot be used");
}

HttpClient::~HttpClient() {
  curl_easy_cleanup(curl_->handle);
}

Answer HttpClient::post(const Request& request, const Body& body) {
  CURL* curl = curl_->handle;
  curl_easy_reset(curl);  // connections stay
  const Headers headers = make_headers(request);
  Exchange exchange{body};
  char message[CURL_ERROR_SIZE] = "";
  const std::string url = url_ + request.path;
  const std::string agent = std::string("aiflame-export/") + kVersion;
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  // a token may go to this machine without TLS, but not by way of a proxy
  if (is_on_this_machine(url_)) curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_USERAGENT, agent.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  if (!token_.empty()) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, token_.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, static_cast<long>(timeout_s_));
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message);
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size));
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body);
  curl_easy_setopt(curl, CURLOPT_READDATA, &exchange);
  curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, seek_body);
  curl_easy_setopt(curl, CURLOPT_SEEKDATA, &exchange);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_text);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &exchange);
  const CURLcode code = curl_easy_perform(curl);
  if (exchange.error != 0)
    throw Error(format("cannot read the profile: %s", std::strerror(exchange.error)));

  Answer out;
  long status = 0;
  curl_off_t retry_after = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
  // An answer that is too long, or was cut, is one: its status was read. What a server has said 200
  // to is not sent a second time, if it had all of it.
  const bool is_success = status >= 200 && status < 300;
  const bool is_answer =
      code == CURLE_OK || !is_success ? status >= 200 : exchange.sent == body.size;
  if (is_answer) {
    out.status = status;
    out.text = std::move(exchange.text);
    out.retry_after_s = static_cast<uint64_t>(std::max<curl_off_t>(retry_after, 0));
  } else {
    out.failure = *message != '\0' ? message : curl_easy_strerror(code);
    out.is_final = is_final(code);
  }
  return out;
}

}  // namespace aiflame::push
