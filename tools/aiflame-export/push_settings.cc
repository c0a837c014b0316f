// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/push_settings.h"

#include <algorithm>
#include <string_view>

#include "libcommon/base/parse.h"
#include "libcommon/base/parse_units.h"
#include "libcommon/base/program.h"
#include "tools/aiflame-export/label_key.h"

namespace aiflame::exporter {
namespace {

struct Name {
  Door door;
  const char* name;
};
constexpr Name kDoors[] = {
    {Door::pyroscope, "pyroscope"}, {Door::parca, "parca"}, {Door::otlp, "otlp"}};

constexpr uint64_t kMostRetries = 100;
constexpr uint64_t kMostSeconds = 3600;

Door parse_door(const std::string& text) {
  for (const Name& one : kDoors)
    if (text == one.name) return one.door;
  if (text.empty()) throw UsageError("--push needs --to pyroscope, parca or otlp");
  throw UsageError("option '--to': '" + text + "' is none of pyroscope, parca and otlp");
}

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A name, or an address: IPv6 in brackets. With a port, or none.
bool is_authority(std::string_view text) {
  const size_t address_end = text.starts_with('[') ? text.find(']') : 0;
  if (address_end == std::string_view::npos) return false;
  const size_t colon = text.find(':', address_end);
  const std::string_view host = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const auto port = parse_number<uint16_t>(text.substr(colon + 1));
    if (!port || *port == 0) return false;
  }
  if (address_end > 0)
    return address_end + 1 == host.size() && address_end > 1 &&
           host.substr(1, address_end - 1).find_first_not_of("0123456789abcdefABCDEF:.") ==
               std::string_view::npos;
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
  });
}

bool is_path(std::string_view text) {
  constexpr std::string_view kOthers = "/-._~%!$&'()*+,;=:@";
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter_or_digit(c) || kOthers.find(c) != std::string_view::npos;
  });
}

// The server's, without a slash at the end. No user and no password: a command line can be read by
// everybody.
std::string parse_url(const std::string& text) {
  std::string_view rest = text;
  const bool is_http = take_prefix(rest, "http://") || take_prefix(rest, "https://");
  const size_t path = std::min(rest.find('/'), rest.size());
  if (rest.substr(0, path).find('@') != std::string_view::npos)
    throw UsageError("option '--push': no user or password in the URL; see --token-file");
  if (!is_http || !is_authority(rest.substr(0, path)) || !is_path(rest.substr(path)))
    throw UsageError("option '--push': '" + text + "' is not http[s]://HOST[:PORT][/PATH]");
  return text.substr(0, text.find_last_not_of('/') + 1);
}

// "rank=3,zone=b". Values have no characters that are signs in Pyroscope's lists of labels.
std::vector<SeriesLabel> parse_series(const std::string& list) {
  constexpr size_t kMost = 32;
  std::vector<SeriesLabel> out;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string one = list.substr(begin, end - begin);
    begin = end + 1;
    const size_t sign = std::min(one.find('='), one.size());
    SeriesLabel label{one.substr(0, sign), one.substr(std::min(sign + 1, one.size()))};
    if (!is_label_key(label.key) || label.value.empty() || !is_printable(label.value) ||
        label.value.find_first_of("={}\"\\") != std::string::npos)
      throw UsageError("option '--series': '" + one + "' is not KEY=VALUE");
    if (label.key == "service_name" || label.key.starts_with("__"))
      throw UsageError("option '--series': '" + label.key + "' is set by this program");
    for (const SeriesLabel& other : out)
      if (other.key == label.key)
        throw UsageError("option '--series': '" + label.key + "' is there twice");
    out.push_back(std::move(label));
    if (out.size() > kMost) throw UsageError("option '--series': more than 32 labels");
  }
  return out;
}

}  // namespace

const char* door_name(Door door) {
  return std::find_if(std::begin(kDoors), std::end(kDoors),
                      [&](const Name& one) { return one.door == door; })
      ->name;
}

void PushArguments::declare(Options& options) {
  options.text("push", url, "URL",
               "send the profile to the server at URL, http or https; needs --to and --start");
  options.text("to", door, "pyroscope|parca|otlp", "the server's door");
  options.text("series", series, "LIST",
               "labels of what is pushed, KEY=VALUE, separated by commas");
  options.text("token-file", token_file, "FILE", "authorize by the bearer token in FILE");
  options.text("spool", spool, "DIR",
               "keep in DIR what cannot be delivered, and send first what is kept there");
  options.text("spool-size", spool_size, "SIZE", "how much DIR may hold (default 1G)");
  options.number("retries", retries, "N", "try again N times (default 4)");
  options.number("timeout", timeout_s, "SECONDS", "end an attempt after that long (default 30)");
}

std::optional<PushSettings> PushArguments::parse() const {
  if (url.empty()) {
    if (!door.empty() || !series.empty() || !token_file.empty() || !spool.empty() ||
        !spool_size.empty() || retries || timeout_s)
      throw UsageError(
          "--to, --series, --token-file, --spool, --spool-size, --retries and --timeout need "
          "--push");
    return std::nullopt;
  }
  PushSettings out;
  out.url = parse_url(url);
  out.door = parse_door(door);
  out.series = parse_series(series);
  out.token_file = token_file;
  out.spool = spool;
  if (!spool_size.empty()) {
    const auto bytes = parse_bytes(spool_size);
    if (!bytes)
      throw UsageError("option '--spool-size': '" + spool_size + "' is not a size such as 100M");
    if (spool.empty()) throw UsageError("--spool-size needs --spool");
    out.spool_bytes = *bytes;
  }
  out.retries = retries.value_or(PushSettings::kRetries);
  if (out.retries > kMostRetries) throw UsageError("option '--retries': more than 100");
  out.timeout_s = timeout_s.value_or(PushSettings::kTimeoutSeconds);
  if (out.timeout_s == 0 || out.timeout_s > kMostSeconds)
    throw UsageError("option '--timeout': not between 1 and 3600 seconds");
  return out;
}

}  // namespace aiflame::exporter
