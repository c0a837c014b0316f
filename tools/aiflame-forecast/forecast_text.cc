// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/forecast_text.h"

#include <cmath>
#include <utility>

#include "libcommon/base/program.h"
#include "tools/aiflame-forecast/expected_error.h"

namespace aiflame::forecast {
namespace {

std::string method_text(Method method) {
  switch (method) {
    case Method::table:
      return "peak rates and measured efficiencies (table)";
    case Method::network:
      return "peak rates, a network's utilisation of them by products, and mean efficiencies of "
             "other devices (network)";
    case Method::others:
      return "peak rates and the mean efficiencies of other devices (others)";
    case Method::roofline:
      return "peak rates alone (roofline)";
    case Method::regression:
      return "a line for each family of operators (regression)";
    case Method::habitat:
      return "wave scaling (habitat)";
  }
  return {};
}

std::string mode_text(Mode mode) {
  switch (mode) {
    case Mode::scale:
      return "measured time by the ratio of predictions (scale)";
    case Mode::absolute:
      return "calls by predicted time, nothing was measured (absolute)";
    case Mode::bounds:
      return "measured time by the least and the greatest ratio of peak rates (bounds)";
  }
  return {};
}

double percent(double part, double all) {
  return all > 0 ? 100 * part / all : 0;
}

// ", 3.1% elem" for each family that is there
std::string shares(const Totals& totals, double all) {
  std::string out;
  for (size_t i = 0; i < kFamilies; ++i) {
    const double part = totals.by_family[i].after;
    if (part <= 0) continue;
    out += format("%s%.1f%% %s", out.empty() ? "" : ", ", percent(part, all),
                  std::string(kFamilyNames[i]).c_str());
  }
  return out;
}

// A caveat for a part of the prediction, where it is not nothing.
void add_share(std::vector<std::string>& out, double part, double all, const char* what) {
  if (part > 0) out.push_back(format("%.1f%% of it: ", percent(part, all)) + what);
}

// From this share on, in percent, errors of whole models say nothing: their models were measured.
constexpr double kUnknown = 5;

double unknown_percent(const Totals& totals) {
  return percent(totals.of(Caveat::not_measured), totals.all.value);
}

// For the first line, which nobody misses.
std::string unknown_text(const ForecastFacts& facts, const Totals& totals) {
  const double unknown = facts.mode == Mode::bounds ? 0 : unknown_percent(totals);
  if (unknown < kUnknown) return {};
  return format("; error unknown: nothing was measured of %.1f%% of it", unknown);
}

// The error of what is forecast: of the families that are there, and of whole models only where
// nearly all of it is such as was measured. Empty where nothing is.
std::string error_text(const ForecastFacts& facts, const Totals& totals) {
  if (facts.mode == Mode::bounds)
    return "expected error: of 266 measured changes of the device 65% were inside such bounds, 89% "
           "with a margin of 15%";
  const auto error = expected_error(facts.mode, facts.method, facts.target_is_measured);
  if (!error) return "expected error: not known for this method";
  std::string families;
  for (size_t i = 0; i < kMeasuredFamilies; ++i)
    if (totals.measured[i] > 0)
      families += format("%s %.0f%% %s", families.empty() ? "" : ",", error->of_family[i],
                         std::string(kFamilyNames[i]).c_str());
  if (families.empty()) return {};
  const double unknown = unknown_percent(totals);
  std::string out =
      unknown < kUnknown
          ? format(
                "expected error: %.0f%% of the total in inference, %.0f%% in training; of an "
                "operator:",
                error->inference, error->training)
          : format("expected error of the other %.1f%%, of an operator:", 100 - unknown);
  out += families + "; shares are better than totals";
  if (totals.of(Caveat::type_taken) > 0)
    out += "; if the data are " + std::string(kDataTypeNames[static_cast<size_t>(facts.type)]);
  if (!facts.target_is_measured) out += "; of NVIDIA's GPUs, since this device was not measured";
  return out;
}

}  // namespace

std::vector<std::string> forecast_lines(const ForecastFacts& facts, const Totals& totals) {
  const double all = facts.mode == Mode::bounds ? totals.all.most : totals.all.value;
  std::vector<std::string> out;
  out.push_back("a forecast for " + facts.to->name +
                (facts.from != nullptr ? ", measured on " + facts.from->name : "") + ": " +
                mode_text(facts.mode) + unknown_text(facts, totals));
  if (facts.mode != Mode::bounds) {
    out.push_back("predictor: " + method_text(facts.method));
    if (all > 0) out.push_back("of the predicted time: " + shares(totals, all));
  }
  if (std::string text = error_text(facts, totals); !text.empty()) out.push_back(std::move(text));
  if (facts.mode == Mode::bounds) return out;
  const auto part = [&](Family family) {
    return totals.by_family[static_cast<size_t>(family)].after;
  };
  add_share(out, part(Family::unknown), all,
            "operators that are not known, taken as memory traffic");
  add_share(out, part(Family::no_shapes), all,
            "stacks without an operator and its shapes, by the ratio of memory bandwidths");
  add_share(out, part(Family::attention) + part(Family::convolution), all,
            "attention or convolution, without a measured efficiency");
  add_share(out, part(Family::host), all, "copies from or to the host, left as they are");
  add_share(out, part(Family::idle), all, "idle time and its causes, left as they are");
  add_share(
      out, part(Family::collective), all,
      facts.mode == Mode::absolute
          ? facts.nodes > 1
                ? "collectives, at 72% of the link's rate in one direction, and between servers "
                  "as the network was said to be"
                : "collectives, at 72% of the link's rate in one direction"
      : facts.from != nullptr && facts.from->link > 0 && facts.to->link > 0
          ? "collectives, by the ratio of the links"
          : "collectives, left as they are: a device's link is not known");
  add_share(out, totals.of(Caveat::type_taken), all,
            ("neither operator nor kernel tells the type of data, taken for " +
             std::string(kDataTypeNames[static_cast<size_t>(facts.type)]) + " data")
                .c_str());
  add_share(out, totals.of(Caveat::other_rate), all,
            "a device's file has no rate of its type of data: that of the next type stands in");
  add_share(out, totals.of(Caveat::other_type), all,
            "of another type of data than fp32, which was not measured");
  if (facts.method == Method::table) {
    add_share(out, totals.of(Caveat::by_network), all,
              "a device's utilisation was not measured: a network tells it, of its rates");
    add_share(out, totals.of(Caveat::by_mean), all,
              "the mean efficiency of other devices stands in for one that was not measured");
  }
  add_share(out, totals.of(Caveat::beyond_network), all,
            "beyond what the network was trained on, taken as at its edge");
  add_share(out, totals.of(Caveat::out_of_range), all,
            "larger or smaller than all operators that were measured");
  out.insert(out.end(), facts.beyond.begin(), facts.beyond.end());
  if (facts.mode == Mode::absolute && (part(Family::collective) > 0 || facts.hidden > 0))
    out.emplace_back(
        facts.nodes > 1
            ? "expected error of a training on several servers: not known, none was measured"
            : "expected error of a training on four devices of a server: 9%");
  if (facts.hidden > 0)
    out.push_back(
        "not in it: " + format_quantity(static_cast<uint64_t>(facts.hidden), 0, kNanoseconds) +
        " of all-reduces, hidden beside the backward pass");
  if (totals.without_time > 0)
    out.push_back(format("%.0f calls without shapes, or between devices, have no time here",
                         totals.without_time));
  return out;
}

std::string result_line(const ForecastFacts& facts, const Totals& totals, const Quantity& before,
                        const Quantity& after, unsigned decimals) {
  const double scale = std::pow(10.0, decimals);
  const auto text = [&](double value, const Quantity& quantity) {
    return format_quantity(static_cast<uint64_t>(std::llround(value * scale)), decimals,
                           quantity.is_known() ? quantity.unit : "samples");
  };
  const std::string from = facts.from != nullptr
                               ? text(totals.before, before) + " on " + facts.from->name
                               : format("%.0f calls", totals.before);
  if (facts.mode == Mode::bounds)
    return from + " are " + text(totals.all.least, after) + " to " + text(totals.all.most, after) +
           " on " + facts.to->name;
  return from + " are " + text(totals.all.value, after) + " on " + facts.to->name;
}

std::string devices_text(const std::vector<Device>& devices) {
  const auto rate = [](const Device& device, DataType type) {
    return device.has_type(type) ? format("%.4g", device.rate(true, type) / 1e12) : "-";
  };
  std::string out = format("%-16s %-42s %8s %8s %8s %8s %s\n", "# DEVICE", "NAME", "FP32", "BF16",
                           "GB/S", "GB", "EFFICIENCY");
  for (const Device& device : devices)
    out += format("%-16s %-42s %8s %8s %8.4g %8.4g %s\n", device.file.c_str(), device.name.c_str(),
                  rate(device, DataType::fp32).c_str(), rate(device, DataType::bf16).c_str(),
                  device.bandwidth / 1e9, device.memory / 1e9,
                  device.is_measured() ? "measured" : "predicted");
  return out;
}

}  // namespace aiflame::forecast
