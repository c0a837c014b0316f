// SPDX-License-Identifier: MIT
// What aiflame-export asks of this program. It is no program for users: the arguments stand in a
// fixed order, and have been checked.
//
//   push-profile URL DOOR PATH TYPE ENCODING TOKEN-FILE SPOOL SPOOL-BYTES RETRIES SECONDS < BODY
//
// An empty word means none. A body that is no file, as /dev/null: there is no new profile.
#pragma once

#include <cstdint>
#include <string>

#include "tools/push-profile/request.h"

namespace aiflame::push {

struct Job {
  std::string url;
  Request request;
  std::string token_file, spool;
  uint64_t spool_bytes = 0, retries = 0;
  uint64_t timeout_s = 0;  // of an attempt
};

// Throws Error.
Job parse_job(int argc, char** argv);

}  // namespace aiflame::push
