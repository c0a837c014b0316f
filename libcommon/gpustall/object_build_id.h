// SPDX-License-Identifier: MIT
// The lines of gpustall(5) that say which build id a CPU object has, as `perf buildid-list` prints
// it behind the colon:
//
//   # build_id : 3f2a9c… /usr/lib/libc.so.6            of all processes but those that have a line
//   # build_id 4711 : 77aa01… /usr/lib/libc.so.6       of their own: in a container, for example
//
// They have the form of a header line, so readers that do not know them pass over them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aiflame {

struct ObjectBuildId {
  std::optional<int64_t> pid;  // nothing: of all other processes
  std::string build_id;        // hexadecimal; "" for `?`: not known, or there is none
  std::string path;            // as frames name the object
};

// Whether a header line is of a build id: by its key, "build_id 4711".
inline bool is_build_id_key(std::string_view key) {
  return key == "build_id" || key.starts_with("build_id ");
}
// Parses such a line; nothing where it is malformed.
std::optional<ObjectBuildId> parse_build_id(std::string_view key, std::string_view value);
// The line without "# ".
std::string build_id_text(const ObjectBuildId& object);

}  // namespace aiflame
