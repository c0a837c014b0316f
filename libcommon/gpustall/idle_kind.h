// SPDX-License-Identifier: MIT
// What a `# idle` line of gpustall(5) tells of a device's time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aiflame {

enum class IdleKind : uint8_t {
  // why a device did nothing, as IdleCause of libcommon/timeline/idle_causes.h
  waits,
  copies,
  latency,
  runtime,
  host,
  function,
  untraced,
  // the time around a device's window
  before,
  after,
  // no idle time: launches of which only the duration is known
  unplaced,
};

// "waits"
std::string_view idle_word(IdleKind kind);
// Nothing for another word.
std::optional<IdleKind> find_idle_kind(std::string_view word);

}  // namespace aiflame
