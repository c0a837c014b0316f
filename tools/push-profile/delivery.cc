// SPDX-License-Identifier: MIT
#include "tools/push-profile/delivery.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <protozero/pbf_reader.hpp>

#include "libcommon/base/program.h"
#include "libcommon/base/secret.h"

namespace aiflame::push {
namespace {

constexpr uint64_t kFirstWaitMs = 500;
constexpr uint64_t kMostWaitMs = 60000;
constexpr size_t kMostQuoted = 200;  // bytes of an answer in a message

// OTLP's servers may take a part of what they answer 200 to: ExportProfilesServiceResponse
// {1 partial_success {1 rejected_profiles, 2 error_message}}.
bool is_partial(const std::string& text) {
  try {
    protozero::pbf_reader response(text);
    while (response.next(1)) {
      protozero::pbf_reader partial = response.get_message();
      while (partial.next(1))
        if (partial.get_int64() > 0) return true;
    }
  } catch (const protozero::exception&) {
    // no such message, and no claim that something was left out
  }
  return false;
}

// The first line, cut. Messages escape what is not printable.
std::string quoted(const Answer& answer) {
  const std::string line = answer.text.substr(0, answer.text.find_first_of("\r\n"));
  if (line.empty()) return "";
  return ": " + line.substr(0, kMostQuoted) + (line.size() > kMostQuoted ? "..." : "");
}

std::string describe(const Answer& answer, const Request& request, uint64_t attempts) {
  std::string out = request.path.substr(0, request.path.find('?')) + ": ";
  if (answer.status == 0)
    out += answer.failure;
  else if (answer.status >= 300)
    out += format("the server answered %ld", answer.status) + quoted(answer);
  else
    out += "the server took a part only" + quoted(answer);
  if (attempts > 1) out += format(" (%" PRIu64 " attempts)", attempts);
  return out;
}

void wait(uint64_t ms) {
  timespec left{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000 * 1000000)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace

Outcome outcome_of(const Answer& answer, const Request& request) {
  switch (answer.status) {
    case 0:
      return answer.is_final ? Outcome::misdirected : Outcome::unreachable;
    case 408:  // Request Timeout
    case 429:  // Too Many Requests
      return Outcome::unreachable;
    case 401:  // Unauthorized
    case 403:  // Forbidden
    case 404:  // Not Found
    case 405:  // Method Not Allowed
    case 407:  // Proxy Authentication Required
      return Outcome::misdirected;
    default:
      break;
  }
  if (answer.status >= 500) return Outcome::unreachable;
  if (answer.status >= 400) return Outcome::refused;
  if (answer.status >= 300) return Outcome::misdirected;  // redirections are not followed
  return request.door == "otlp" && is_partial(answer.text) ? Outcome::refused : Outcome::delivered;
}

uint64_t wait_ms(const Answer& answer, uint64_t attempts, uint32_t random) {
  if (answer.retry_after_s > 0) return std::min(answer.retry_after_s, kMostWaitMs / 1000) * 1000;
  const uint64_t doubled = kFirstWaitMs << std::min<uint64_t>(attempts - 1, 7);
  // up to a quarter more
  return std::min(doubled + random % (doubled / 4 + 1), kMostWaitMs);
}

Delivery deliver(HttpClient& client, const Request& request, const Body& body, uint64_t retries) {
  for (uint64_t attempts = 1;; ++attempts) {
    const Answer answer = client.post(request, body);
    const Outcome outcome = outcome_of(answer, request);
    if (outcome == Outcome::delivered) return {};
    // who is asked to wait longer than this program waits comes again another time
    const bool is_patient = answer.retry_after_s <= kMostWaitMs / 1000;
    if (outcome != Outcome::unreachable || attempts > retries || !is_patient)
      return {outcome, describe(answer, request, attempts)};
    uint32_t random = 0;
    fill_with_secret(reinterpret_cast<unsigned char*>(&random), sizeof random);
    wait(wait_ms(answer, attempts, random));
  }
}

}  // namespace aiflame::push
