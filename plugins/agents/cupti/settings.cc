/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/settings.h"

#include <cstring>

namespace aiflame::agent::cupti {
namespace {

constexpr char kSource[] = "cupti";

// The bounds of the interval. CUPTI reads the hardware every 100 ms (cupti_pcsampling.h,
// WORKER_THREAD_PERIODIC_SLEEP_SPAN), so a shorter interval gains nothing.
constexpr uint32_t kMinInterval = 100, kMaxInterval = 60000;

// The decimal number in [text, end); 0 when it is none, or too large.
uint64_t number_in(const char* text, const char* end) {
  uint64_t value = 0;
  if (end - text > 12) return 0;
  for (; text < end; ++text) {
    if (*text < '0' || *text > '9') return 0;
    value = value * 10 + static_cast<uint64_t>(*text - '0');
  }
  return value;
}

bool is_word(const char* text, const char* end, const char* word) {
  const size_t bytes = std::strlen(word);
  return static_cast<size_t>(end - text) == bytes && std::memcmp(text, word, bytes) == 0;
}

void set(Settings& settings, const char* key, const char* key_end, const char* value,
         const char* end) {
  const uint64_t number = number_in(value, end);
  if (is_word(key, key_end, "interval")) {
    settings.interval_ms = static_cast<uint32_t>(
        number < kMinInterval ? kMinInterval : (number > kMaxInterval ? kMaxInterval : number));
  } else if (is_word(key, key_end, "period")) {
    uint32_t log2 = 0;
    while (log2 < 31 && (uint64_t{1} << log2) < number) ++log2;
    settings.period_log2 = log2 < 5 ? 0 : log2;
  } else if (is_word(key, key_end, "duty")) {
    settings.duty = number == 0 || number > 100 ? 100 : static_cast<uint32_t>(number);
  } else if (is_word(key, key_end, "mode")) {
    settings.exact = is_word(value, end, "exact");
  } else if (is_word(key, key_end, "place")) {
    const auto bytes = static_cast<size_t>(end - value);
    if (bytes < sizeof settings.place) std::memcpy(settings.place, value, bytes);
  }
}

}  // namespace

Settings parse_settings(const char* text) {
  Settings settings;
  if (text == nullptr) return settings;
  const char* end = text + std::strlen(text);
  bool first = true;
  while (text < end) {
    const auto* blank =
        static_cast<const char*>(std::memchr(text, ' ', static_cast<size_t>(end - text)));
    const char* word_end = blank == nullptr ? end : blank;
    if (first && !is_word(text, word_end, kSource)) return settings;
    if (first) settings.sample = true;
    first = false;
    const auto* equals =
        static_cast<const char*>(std::memchr(text, '=', static_cast<size_t>(word_end - text)));
    if (equals != nullptr) set(settings, text, equals, equals + 1, word_end);
    text = blank == nullptr ? end : blank + 1;
  }
  return settings;
}

}  // namespace aiflame::agent::cupti
