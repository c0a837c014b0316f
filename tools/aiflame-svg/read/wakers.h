// SPDX-License-Identifier: MIT
// Stacks of chain graphs, which show who woke whom.
#pragma once

#include <string>
#include <string_view>

namespace aiflame::svg {

// Annotates each frame after the first `--` as a waker's, `_[w]`, for the palette `chain`.
std::string mark_wakers(std::string_view stack);

}  // namespace aiflame::svg
