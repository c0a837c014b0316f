// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/object_build_id.h"

#include "libcommon/base/parse.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame {

std::optional<ObjectBuildId> parse_build_id(std::string_view key, std::string_view value) {
  ObjectBuildId out;
  if (!take_prefix(key, "build_id")) return std::nullopt;
  if (!key.empty()) {
    if (!take_prefix(key, " ")) return std::nullopt;
    out.pid = parse_number<int64_t>(key);
    if (!out.pid) return std::nullopt;
  }
  const size_t blank = value.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  out.build_id = value.substr(0, blank);
  out.path = value.substr(blank + 1);
  if (out.build_id == "?") out.build_id.clear();
  const bool is_good = out.build_id.empty() || is_build_id(out.build_id);
  return is_good && !out.path.empty() ? std::optional(std::move(out)) : std::nullopt;
}

std::string build_id_text(const ObjectBuildId& object) {
  std::string out = "build_id";
  if (object.pid) out.append(" ").append(std::to_string(*object.pid));
  out.append(" : ").append(object.build_id.empty() ? "?" : object.build_id);
  return out.append(" ").append(object.path);
}

}  // namespace aiflame
