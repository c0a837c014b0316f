// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/launch_size.h"

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

std::string extent_in_full(const std::array<uint64_t, 3>& extent) {
  return std::to_string(extent[0]) + "x" + std::to_string(extent[1]) + "x" +
         std::to_string(extent[2]);
}

// "1024x1024x1"
bool parse_extent(std::string_view text, std::array<uint64_t, 3>& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t end = i + 1 < out.size() ? text.find('x') : text.size();
    if (end == std::string_view::npos) return false;
    const auto number = parse_number<uint64_t>(text.substr(0, end));
    if (!number) return false;
    out[i] = *number;
    if (i + 1 < out.size()) text.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

uint64_t LaunchSize::group_items() const {
  constexpr uint64_t kMost = UINT64_C(1) << 20;  // of a dimension: no device has more
  if (group[0] > kMost || group[1] > kMost || group[2] > kMost) return 0;
  return group[0] * group[1] * group[2];
}

std::string launch_size_text(const LaunchSize& size) {
  std::string out;
  const auto add = [&out](const char* key, const std::string& value) {
    out.append(out.empty() ? "" : " ").append(key).append(" ").append(value);
  };
  if (size.items[0] != 0) add("items", extent_in_full(size.items));
  if (size.group[0] != 0) add("group", extent_in_full(size.group));
  if (size.local != 0) add("local", std::to_string(size.local));
  return out.empty() ? "?" : out;
}

std::optional<LaunchSize> parse_launch_size(std::string_view text) {
  LaunchSize out;
  if (text == "?") return out;
  while (!text.empty()) {
    const std::string_view key = take_field(text), value = take_field(text);
    if (value.empty()) return std::nullopt;
    if (key == "items") {
      if (!parse_extent(value, out.items)) return std::nullopt;
    } else if (key == "group") {
      if (!parse_extent(value, out.group)) return std::nullopt;
    } else if (key == "local") {
      const auto bytes = parse_number<uint64_t>(value);
      if (!bytes) return std::nullopt;
      out.local = *bytes;
    }
  }
  return out;
}

std::string extent_text(const std::array<uint64_t, 3>& extent) {
  std::string out = std::to_string(extent[0]);
  if (extent[1] > 1 || extent[2] > 1) out += "x" + std::to_string(extent[1]);
  if (extent[2] > 1) out += "x" + std::to_string(extent[2]);
  return out;
}

}  // namespace aiflame
