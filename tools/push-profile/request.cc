// SPDX-License-Identifier: MIT
#include "tools/push-profile/request.h"

#include "libcommon/base/parse.h"
#include "libcommon/base/printable.h"

namespace aiflame::push {
namespace {

constexpr std::string_view kFirstLine = "# aiflame-push 1\n";

// Takes "NAME VALUE\n" off the front. What stands in a request is printable.
bool take_line(std::string_view& text, std::string_view name, std::string& value) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (!take_prefix(line, name) || !take_prefix(line, " ") || !is_printable(line)) return false;
  value = line;
  return true;
}

}  // namespace

std::string head_text(const Request& request, uint64_t size) {
  std::string out(kFirstLine);
  out += "door " + request.door + "\npath " + request.path + "\ntype " + request.type;
  return out + "\nencoding " + request.encoding + "\nsize " + std::to_string(size) + "\n\n";
}

std::optional<Head> parse_head(std::string_view text) {
  std::string_view rest = text;
  Head out;
  std::string size;
  if (!take_prefix(rest, kFirstLine) || !take_line(rest, "door", out.request.door) ||
      !take_line(rest, "path", out.request.path) || !take_line(rest, "type", out.request.type) ||
      !take_line(rest, "encoding", out.request.encoding) || !take_line(rest, "size", size) ||
      !take_prefix(rest, "\n"))
    return std::nullopt;
  const auto number = parse_number<uint64_t>(size);
  if (!number || !out.request.path.starts_with('/')) return std::nullopt;
  out.size = *number;
  out.length = text.size() - rest.size();
  return out;
}

}  // namespace aiflame::push
