// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/energy_reading.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/gpustall/gpustall_writer.h"

namespace aiflame {
namespace {

// Cuts the text up to the next ", " off the front of `text`; nothing where there is none.
std::optional<std::string_view> take_item(std::string_view& text) {
  const size_t end = text.find(", ");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view item = text.substr(0, end);
  text.remove_prefix(end + 2);
  return item;
}

// "64.103271 J" or "? J"
bool parse_joules(std::string_view text, std::optional<uint64_t>& out) {
  const std::string_view number = take_field(text);
  if (trim_left(text) != "J") return false;
  out.reset();
  if (number == "?") return true;
  // in nanojoules, as seconds are read in nanoseconds
  const auto nanojoules = parse_seconds(number);
  if (!nanojoules || *nanojoules % 1000 != 0) return false;
  out = *nanojoules / 1000;
  return true;
}

std::string without_commas(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  return text;
}

}  // namespace

std::optional<EnergyReading> parse_energy(std::string_view key, std::string_view value) {
  EnergyReading out;
  if (!take_prefix(key, "energy ")) return std::nullopt;
  const auto counter = parse_number<uint64_t>(key);
  const auto source = take_item(value);
  const auto name = take_item(value);
  std::optional<std::string_view> times = take_item(value);
  if (!counter || !source || !name || !times || source->empty() || name->empty())
    return std::nullopt;
  const bool has_from = take_field(*times) == "from";
  const auto start = parse_seconds(take_field(*times));
  const bool has_to = take_field(*times) == "to";
  const auto stop = parse_seconds(take_field(*times));
  if (!has_from || !has_to || !start || !stop || *stop < *start || !times->empty() ||
      !parse_joules(value, out.microjoules))
    return std::nullopt;
  out.counter = *counter;
  out.source = *source;
  out.name = *name;
  out.start = *start;
  out.stop = *stop;
  return out;
}

std::string energy_text(const EnergyReading& reading) {
  std::string out = "energy " + std::to_string(reading.counter) + " : " +
                    without_commas(reading.source) + ", " + without_commas(reading.name) +
                    ", from " + gpustall_seconds(reading.start) + " to " +
                    gpustall_seconds(reading.stop) + ", ";
  if (!reading.microjoules) return out + "? J";
  const uint64_t microjoules = *reading.microjoules;
  return out + format("%llu.%06llu J", static_cast<unsigned long long>(microjoules / 1000000),
                      static_cast<unsigned long long>(microjoules % 1000000));
}

}  // namespace aiflame
