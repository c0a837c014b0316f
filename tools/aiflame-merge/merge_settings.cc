// SPDX-License-Identifier: MIT
#include "tools/aiflame-merge/merge_settings.h"

#include <algorithm>

#include "libcommon/base/options.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/process/sandbox.h"

namespace aiflame::merge {
namespace {

// The paths of a list, each ended by a NUL, as find -print0 writes them.
void read_list(const std::string& list, std::vector<std::string>& paths) {
  constexpr size_t kLongest = 4096;  // PATH_MAX
  ByteSource source(list);
  std::string path;
  const auto end_path = [&] {
    if (path.empty()) throw Error(source.name() + ": an empty path");
    paths.push_back(std::move(path));
    path.clear();
  };
  char bytes[65536];
  while (const size_t size = source.read(bytes, sizeof bytes))
    for (const char c : std::string_view(bytes, size)) {
      if (c == '\0') {
        end_path();
      } else {
        if (path.size() == kLongest)
          throw Error(source.name() +
                      ": a path of more than 4096 bytes; each ends with a NUL byte");
        path += c;
      }
    }
  if (!path.empty()) end_path();
}

}  // namespace

std::optional<MergeSettings> parse_merge_settings(int argc, char** argv) {
  MergeSettings settings;
  std::string list;
  bool strict = false;  // there is no other way
  Options options(
      Options::Style::gnu, "[OPTION]... FILE... > OUT.folded",
      "Adds up sorted files of folded stacks, `frame;frame;... COUNT`, in little memory, "
      "however many there are. '-' is standard input.",
      "Example: aiflame-merge rank*.folded | aiflame-svg > all.svg");
  options.text("files0-from", list, "FILE",
               "also merge the files whose names are in FILE, each ended by a NUL byte");
  options.flag("mixed", settings.mixed, "add counts of different units or periods all the same");
  options.flag("strict", strict, "fail at the first malformed line, as is done without it, too");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.operands(settings.paths);
  if (!options.parse(argc, argv)) return std::nullopt;
  if (settings.paths.empty() && list.empty()) throw UsageError("no files; '-' is standard input");
  if (!list.empty()) read_list(list, settings.paths);
  if (std::count(settings.paths.begin(), settings.paths.end(), "-") + (list == "-" ? 1 : 0) > 1)
    throw UsageError("standard input can be read once");
  return settings;
}

}  // namespace aiflame::merge
