// SPDX-License-Identifier: MIT
// The script that every picture embeds.
#pragma once

#include <span>
#include <string_view>

namespace aiflame::svg {

// Its parts in order, from the files of page/ without their comments.
std::span<const std::string_view> page_script();

// What comes before them in a file of several pictures.
std::span<const std::string_view> tabs_script();

// What comes before them in a picture with listings, and its style.
std::span<const std::string_view> listing_script();
std::string_view listing_style();

}  // namespace aiflame::svg
