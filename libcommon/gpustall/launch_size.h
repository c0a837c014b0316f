// SPDX-License-Identifier: MIT
// How large a launch is, and the text of that in gpustall(5):
//
//   items 1024x1024x1 group 16x16x1 local 4096
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace aiflame {

// What is 0 is not known.
struct LaunchSize {
  std::array<uint64_t, 3> items{};  // work-items (CUDA: threads) in each dimension
  std::array<uint64_t, 3> group{};  // of them in a work-group (CUDA: block)
  uint64_t local = 0;  // bytes of local (CUDA: shared) memory that the launch asked for

  bool operator==(const LaunchSize&) const = default;
  bool operator<(const LaunchSize& other) const {
    return std::tie(items, group, local) < std::tie(other.items, other.group, other.local);
  }
  bool is_known() const { return *this != LaunchSize(); }
  // Work-items in a group; 0 where that is not known.
  uint64_t group_items() const;
};

// What is known, as above; "?" where that is nothing.
std::string launch_size_text(const LaunchSize& size);

// Parses that text. Keys that are not known are passed over, with their value.
std::optional<LaunchSize> parse_launch_size(std::string_view text);

// "64x64", "1024": without the dimensions at the end that are 1.
std::string extent_text(const std::array<uint64_t, 3>& extent);

}  // namespace aiflame
