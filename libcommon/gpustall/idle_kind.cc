// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/idle_kind.h"

#include <algorithm>
#include <iterator>

namespace aiflame {
namespace {

// By IdleKind.
constexpr std::string_view kWords[] = {"waits",    "copies",   "latency", "runtime", "host",
                                       "function", "untraced", "before",  "after",   "unplaced"};

}  // namespace

std::string_view idle_word(IdleKind kind) {
  return kWords[static_cast<size_t>(kind)];
}

std::optional<IdleKind> find_idle_kind(std::string_view word) {
  const auto* at = std::find(std::begin(kWords), std::end(kWords), word);
  if (at == std::end(kWords)) return std::nullopt;
  return static_cast<IdleKind>(at - kWords);
}

}  // namespace aiflame
