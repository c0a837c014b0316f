// SPDX-License-Identifier: MIT
// Delivers a profile: one attempt, and others where they can help.
#pragma once

#include <cstdint>
#include <string>

#include "tools/push-profile/http_client.h"

namespace aiflame::push {

enum class Outcome {
  delivered,
  refused,      // this profile; others may be taken
  misdirected,  // whatever comes from here: wrong address, token or certificate
  unreachable,  // the server is away, or has too much to do
};

// What an answer means for the profile (pure).
Outcome outcome_of(const Answer& answer, const Request& request);

// How long to wait before the next attempt, in milliseconds, after `attempts` have failed (pure).
// `random` is any number: machines that failed together shall not come again together.
uint64_t wait_ms(const Answer& answer, uint64_t attempts, uint32_t random);

struct Delivery {
  Outcome outcome = Outcome::delivered;
  std::string why;  // it was not delivered
};
// `retries`: attempts after the first one.
Delivery deliver(HttpClient& client, const Request& request, const Body& body, uint64_t retries);

}  // namespace aiflame::push
