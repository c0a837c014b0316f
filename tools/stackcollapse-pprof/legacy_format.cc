// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/legacy_format.h"

#include <cstddef>
#include <cstdint>

namespace aiflame::pprof {
namespace {

// The first line of each text:
//
//   heap profile:      3:     4096 [     3:     4096] @ heap_v2/524288
//   goroutine profile: total 3
//   --- contentionz 1 ---
struct Text {
  std::string_view beginning, name;
};
constexpr Text kTexts[] = {
    {"heap profile:", "a heap profile"},
    {"heapprofile", "a heap profile"},
    {"--- heapz", "a heap profile"},
    {"MAPPED_LIBRARIES:", "a heap profile"},
    {"goroutine profile:", "a goroutine profile"},
    {"threadcreate profile:", "a profile of threads"},
    {"--- thread", "a profile of threads"},
    {"--- Thread", "a profile of threads"},
    {"--- contention", "a contention profile"},
    {"--- mutex", "a contention profile"},
    {"--- growth", "a growth profile"},
    {"--- fragmentation", "a fragmentation profile"},
    {"--- symbol", "a profile with symbols"},
};

// The number at a word's place, of so many bytes.
uint64_t word_at(std::string_view bytes, size_t index, size_t size, bool big) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    const size_t at = index * size + (big ? i : size - 1 - i);
    value = value << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return value;
}

// gperftools' header: 0, the 3 words that follow, version 0, the period in microseconds, 0
bool is_cpu_profile(std::string_view bytes, size_t size, bool big) {
  constexpr uint64_t kMaxPeriod = 1000000000;
  if (bytes.size() < 5 * size) return false;
  const auto word = [&](size_t index) { return word_at(bytes, index, size, big); };
  return word(0) == 0 && word(1) == 3 && word(2) == 0 && word(3) > 0 && word(3) <= kMaxPeriod &&
         word(4) == 0;
}

}  // namespace

std::string_view find_legacy_format(std::string_view profile) {
  for (const Text& text : kTexts)
    if (profile.starts_with(text.beginning)) return text.name;
  for (const size_t size : {size_t{8}, size_t{4}})
    for (const bool big : {false, true})
      if (is_cpu_profile(profile, size, big)) return "a CPU profile";
  return {};
}

}  // namespace aiflame::pprof
