// SPDX-License-Identifier: MIT
// The keys of events and of their arguments (pure).
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

struct Field {
  enum class Kind : uint8_t {
    skipped,
    phase,
    category,
    name,
    process,
    thread,
    start,
    duration,
    id,
    args,
    number,
    text
  };
  Kind kind = Kind::skipped;
  NumberArg number{};
  TextArg text{};
};

// Whether an event may have a key: of the Trace Event Format, or what profilers add.
bool is_event_key(std::string_view key);
Field::Kind event_field(std::string_view key);
Field argument_field(std::string_view key);
void set_field(Event& event, const Field& field, std::string_view value);

}  // namespace aiflame::trace
