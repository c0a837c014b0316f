/* SPDX-License-Identifier: MIT
 *
 * Parses what the recorder wants sampled: the text of AGENT_SAMPLE_ENVIRONMENT. Pure.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent::cupti {

struct Settings {
  bool sample = false;  // whether this agent samples at all
  bool exact = false;   // one kernel at a time, so that samples name their launch
  uint32_t interval_ms = 100;
  uint32_t period_log2 = 0;  // one sample each 2^n cycles; 0 = as CUPTI chooses
  uint32_t duty = 100;       // percent of the time
  char place[48] = "";       // the only device wanted; "" = all
};

// `text` may be null. A setting that is not understood keeps its default.
Settings parse_settings(const char* text);

}  // namespace aiflame::agent::cupti
