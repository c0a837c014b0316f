// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/cost_settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "libcommon/base/choices.h"
#include "libcommon/base/options.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/quantity.h"
#include "libcommon/folded/unit_scale.h"
#include "libcommon/process/sandbox.h"

namespace aiflame::cost {
namespace {

// In the order of Shown.
constexpr std::array<std::string_view, 4> kShown{"J", "kWh", "gCO2e", "money"};
constexpr std::array<std::string_view, 4> kTimeUnits{"ns", "us", "ms", "s"};

// The options as text.
struct Texts {
  std::string shown = "J", power, joules, reserved, idle_power, pue, grid, embodied, lifetime,
              embodied_share, price, work;
};

// A number that is not negative; `option` without dashes, `what` is expected.
Given parse_given(std::string_view text, const char* option, const char* what) {
  constexpr size_t kLongest = 32;
  const std::optional<double> value = parse_number<double>(text);
  if (!value || text.size() > kLongest || !std::isfinite(*value) || std::signbit(*value))
    throw UsageError(format("--%s '%s': expected %s", option, std::string(text).c_str(), what));
  return {*value, std::string(text)};
}

std::optional<Given> given(const std::string& text, const char* option, const char* what,
                           double least, double most = HUGE_VAL) {
  if (text.empty()) return std::nullopt;
  const Given out = parse_given(text, option, what);
  if (out.value < least || out.value > most)
    throw UsageError(format("--%s '%s': expected %s", option, text.c_str(), what));
  return out;
}

// "2.50USD/h", "0.30 EUR/kWh"
std::optional<Price> parse_price(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char* const what = "an amount, a currency, and /h or /kWh: 2.50USD/h, 0.30EUR/kWh";
  const size_t begin = std::min(text.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), text.size());
  const std::string_view rest = text.substr(begin);
  const std::string_view per = rest.size() > 3 ? rest.substr(3) : std::string_view();
  if (!is_currency(rest.substr(0, 3)) || (per != "/h" && per != "/kWh"))
    throw UsageError(format("--price '%s': expected %s", std::string(text).c_str(), what));
  return Price{parse_given(trim_right(text.substr(0, begin)), "price", what),
               std::string(rest.substr(0, 3)), per == "/kWh"};
}

// "1000 requests"
std::optional<Work> parse_work(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char* const what = "a number and its name: '1000 requests'";
  std::string_view rest = text;
  const std::string_view number = take_field(rest);
  rest = trim_left(rest);
  const Given value = parse_given(number, "per", what);
  if (value.value <= 0 || !is_unit(rest))
    throw UsageError(format("--per '%s': expected %s", std::string(text).c_str(), what));
  return Work{value, std::string(rest)};
}

Assumptions parse_assumptions(const Texts& texts) {
  constexpr double kMoreThanNothing = 1e-9;
  Assumptions out;
  out.power = given(texts.power, "power", "watts", 0);
  out.joules = given(texts.joules, "joules", "joules", 0);
  out.reserved = given(texts.reserved, "reserved", "seconds", 0);
  out.idle_power = given(texts.idle_power, "idle-power", "watts", 0);
  out.pue = given(texts.pue, "pue", "a ratio, 1 or more", 1);
  out.grid = given(texts.grid, "grid", "grams of CO2e per kWh", 0);
  out.embodied = given(texts.embodied, "embodied", "kilograms of CO2e", 0);
  out.lifetime = given(texts.lifetime, "lifetime", "years, more than 0", kMoreThanNothing);
  out.embodied_share =
      given(texts.embodied_share, "embodied-share", "a share of the device, up to 1", 0, 1);
  out.price = parse_price(texts.price);
  out.work = parse_work(texts.work);
  return out;
}

// Every assumption is given, or the result does not rest on it.
void check(const Assumptions& given, Shown shown, bool has_recording) {
  const auto need = [](bool is_there, const char* missing) {
    if (!is_there) throw UsageError(missing);
  };
  if (given.power.has_value() + given.joules.has_value() + has_recording > 1)
    throw UsageError("--power, --joules and --energy-from exclude each other");
  const bool knows_energy = given.knows_energy() || has_recording;
  const bool needs_energy = shown != Shown::money || given.grid || given.pue || given.idle_power ||
                            (given.price && given.price->of_energy);
  if (needs_energy)
    need(knows_energy,
         "how much energy? --power, the watts of a busy device, or --joules or --energy-from, as "
         "measured");
  if (knows_energy) need(given.pue.has_value(), "--pue is missing; 1 is the devices alone");
  if (shown == Shown::carbon) need(given.grid.has_value(), "--grid is missing, in gCO2e per kWh");
  if (shown == Shown::money)
    need(given.price.has_value(), "--price is missing, such as 2.50USD/h or 0.30EUR/kWh");
  if (given.idle_power) need(given.reserved.has_value(), "--idle-power needs --reserved");
  if (given.power && given.reserved)
    need(given.idle_power.has_value(),
         "--idle-power is missing: what a device takes that is reserved and idle");
  const int embodied =
      given.embodied.has_value() + given.lifetime.has_value() + given.embodied_share.has_value();
  need(embodied == 0 || embodied == 3,
       "--embodied, --lifetime and --embodied-share are given together");
  if (given.work && given.grid)
    need(embodied == 3,
         "carbon --per unit of work is SCI, which counts --embodied carbon, --lifetime and "
         "--embodied-share");
}

void declare_assumptions(Options& options, Texts& texts) {
  options.text("power", texts.power, "WATTS", "power draw of a busy device in watts");
  options.text("joules", texts.joules, "JOULES",
               "energy of the devices in joules, as a counter measured it");
  options.text("reserved", texts.reserved, "SECONDS",
               "seconds that all devices together were reserved; the rest is the frame [idle]");
  options.text("idle-power", texts.idle_power, "WATTS",
               "power draw of a reserved, idle device in watts");
  options.text("pue", texts.pue, "RATIO",
               "energy of the whole site for that of the devices; 1: the devices alone");
  options.text("grid", texts.grid, "GRAMS", "grams of CO2e for a kWh of electricity");
  options.text("embodied", texts.embodied, "KG",
               "kilograms of CO2e to make and dispose of a device");
  options.text("lifetime", texts.lifetime, "YEARS", "a device is in use for so long");
  options.text("embodied-share", texts.embodied_share, "SHARE",
               "of the device that was reserved, up to 1");
  options.text("price", texts.price, "PRICE", "such as 2.50USD/h, of device time, or 0.30EUR/kWh");
  options.text("per", texts.work, "WORK",
               "the work of the profile: '1000 requests'; with --grid, its SCI");
}

}  // namespace

std::optional<CostSettings> parse_cost_settings(int argc, char** argv) {
  CostSettings settings;
  Texts texts;
  std::vector<std::string> paths;
  Options options(Options::Style::gnu, "--power WATTS --pue RATIO [OPTION]... [FILE] > OUT.folded",
                  "Turns stacks with times into the same stacks with joules, kWh, gCO2e or money. "
                  "Nothing is assumed that is not given, and all of it is printed with the "
                  "result. FILE defaults to standard input.",
                  "Example: stackcollapse-aiflame --event gpu-time app.gpustall | aiflame-cost "
                  "--power 300 --pue 1.2 | aiflame-svg > energy.svg");
  options.text("in", texts.shown, "J|kWh|gCO2e|money", "what the stacks count, default J");
  declare_assumptions(options, texts);
  options.text("energy-from", settings.recording, "FILE",
               "the joules are those that FILE has, by gpustall-record --energy");
  options.list("counter", settings.counters, "TEXT",
               "which of its counters, where it has several; given again, it is added");
  options.text("unit", settings.unit, "ns|us|ms|s",
               "the unit of the times, for a file that does not say it");
  options.flag("summary", settings.summary, "print the totals and the assumptions alone");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.operands(paths);
  if (!options.parse(argc, argv)) return std::nullopt;
  if (paths.size() > 1) throw UsageError("one file at a time; aiflame-merge adds up several");
  if (!paths.empty()) settings.path = paths[0];
  const auto one = [](const char* option, const std::string& text, const auto& known) {
    const std::vector<size_t> found = parse_choices(option, text, known);
    if (found.size() != 1) throw UsageError(format("--%s takes one unit", option));
    return found[0];
  };
  settings.shown = static_cast<Shown>(one("in", texts.shown, kShown));
  if (!settings.unit.empty()) one("unit", settings.unit, kTimeUnits);
  settings.given = parse_assumptions(texts);
  if (!settings.counters.empty() && settings.recording.empty())
    throw UsageError("--counter needs --energy-from");
  if (settings.recording == "-" && settings.path == "-")
    throw UsageError("standard input can be read once");
  check(settings.given, settings.shown, !settings.recording.empty());
  return settings;
}

}  // namespace aiflame::cost
