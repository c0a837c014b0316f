// SPDX-License-Identifier: MIT
#include "libcommon/io/legacy_pprof.h"

#include <cstddef>
#include <cstdint>

namespace aiflame {
namespace {

// The first line of each text:
//
//   heap profile:      3:     4096 [     3:     4096] @ heap_v2/524288
//   goroutine profile: total 3
//   --- contentionz 1 ---
constexpr std::string_view kTexts[] = {
    "MAPPED_LIBRARIES:",
    "goroutine profile: total ",
    "threadcreate profile: total ",
    "--- contention",
    "--- fragmentation",
    "--- growth",
    "--- heapz",
    "--- mutex",
    "--- symbol",
    "--- thread",
    "--- Thread",
};
constexpr std::string_view kHeap = "heap profile:", kJemalloc = "heap_v2/";  // heap_v2/524288

// Whether a text begins so, and then with a number, behind any blanks.
bool begins_with_number(std::string_view text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  const size_t at = text.find_first_not_of(' ', beginning.size());
  return at != std::string_view::npos && text[at] >= '0' && text[at] <= '9';
}

// The number at a word's place, of so many bytes.
uint64_t word_at(std::string_view bytes, size_t index, size_t size, bool big) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t at = index * size + (big ? i : size - 1 - i);
    value = value << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return value;
}

// gperftools' header: 0, the 3 words that follow, version 0 (1 of Java), the period in microseconds
// and 0.
bool is_cpu_profile(std::string_view bytes, size_t size, bool big) {
  constexpr uint64_t kMaxPeriod = 1000000000;
  if (bytes.size() < 5 * size) return false;
  const auto word = [&](size_t index) { return word_at(bytes, index, size, big); };
  return word(0) == 0 && word(1) == 3 && word(2) <= 1 && word(3) > 0 && word(3) <= kMaxPeriod &&
         word(4) == 0;
}

}  // namespace

LegacyPprof find_legacy_pprof(std::string_view profile) {
  if (begins_with_number(profile, kJemalloc)) return LegacyPprof::jemalloc;
  if (begins_with_number(profile, kHeap)) return LegacyPprof::pprof;
  for (const std::string_view beginning : kTexts)
    if (profile.starts_with(beginning)) return LegacyPprof::pprof;
  for (const size_t size : {size_t{8}, size_t{4}})
    for (const bool big : {false, true})
      if (is_cpu_profile(profile, size, big)) return LegacyPprof::pprof;
  return LegacyPprof::none;
}

}  // namespace aiflame
