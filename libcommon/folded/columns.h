// SPDX-License-Identifier: MIT
// Whether the lines of a folded(5) text have one count or two. A name may end in a number itself:
//
//   train;epoch 2 7     one count, of `epoch 2`, or from 2 to 7 in `epoch`?
//
// A `# aiflame:` line says it. Without one, a text has two counts only if each line has two
// numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "libcommon/folded/quantity.h"
#include "libcommon/io/input.h"

namespace aiflame {

// So much of a text is looked at, since a pipe is read once. A first block has as much.
inline constexpr size_t kColumnsBeginning = size_t{64} << 10;

// By the beginning of a text, of which only whole lines count, unless there is only a part of one.
// Nothing where no line says it.
std::optional<bool> has_two_counts(std::string_view beginning);

// The same for a reader at its first stack, `line`, which stays valid. `says`: what the comments
// before it say.
bool has_two_counts(const Quantity& says, LineReader& reader, std::string& line);

// The name of a frame that no reader takes for a name and a count: "epoch_2" of "epoch 2".
std::string escape_number(std::string_view frame);

}  // namespace aiflame
