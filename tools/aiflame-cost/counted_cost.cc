// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/counted_cost.h"

#include <cmath>

#include "libcommon/base/program.h"
#include "libcommon/folded/quantity.h"
#include "libcommon/folded/unit_scale.h"

namespace aiflame::cost {
namespace {

constexpr double kNano = 1e9, kPico = 1e12;
constexpr double kJoulesPerWattHour = 3600;
// Both parts together stay below 2^64.
constexpr double kMost = 9e18;

struct Unit {
  std::string name;
  double counts;  // of 1 J, gCO2e or of money
};

Unit unit_of(Shown shown, const std::string& currency) {
  switch (shown) {
    case Shown::joules:
      return {std::string(kNanojoules), kNano};
    case Shown::kilowatt_hours:
      return {std::string(kNanowattHours), kNano / kJoulesPerWattHour};
    case Shown::carbon:
      return {std::string(kNanogramsCo2e), kNano};
    case Shown::money:
      break;
  }
  return {std::string(kPicoMoney) + currency, kPico};
}

Parts parts_of(const Cost& cost, Shown shown) {
  switch (shown) {
    case Shown::joules:
    case Shown::kilowatt_hours:
      return *cost.joules;
    case Shown::carbon:
      return *cost.carbon();
    case Shown::money:
      break;
  }
  return *cost.money;
}

// Whole counts of both parts that add up to `all`, by the largest remainder. Each rounded by
// itself, 12345.6 and 54321.6 would add up to one more than their sum, 66667.2.
CountedCost counted_parts(const std::string& unit, double stacks, double idle, uint64_t all) {
  CountedCost out{unit, static_cast<uint64_t>(stacks), static_cast<uint64_t>(idle)};
  const double of_stacks = stacks - std::floor(stacks), of_idle = idle - std::floor(idle);
  const bool stacks_first = of_stacks >= of_idle;
  if (out.stacks + out.idle < all) ++(stacks_first ? out.stacks : out.idle);
  if (out.stacks + out.idle < all) ++(stacks_first ? out.idle : out.stacks);
  return out;
}

uint64_t count(double amount, const Unit& unit) {
  const double counts = amount * unit.counts;
  if (!(counts < kMost))
    throw Error(format("the cost does not fit 64 bits in %s; is one of the options wrong?",
                       unit.name.c_str()));
  return static_cast<uint64_t>(std::llround(counts));
}

std::string text(double amount, const Unit& unit) {
  const double counts = amount * unit.counts;
  // of a single request there may be less than one count
  constexpr unsigned kDecimals = 3;
  if (counts < kNano) return format_quantity(count(amount * 1e3, unit), kDecimals, unit.name);
  return format_quantity(count(amount, unit), 0, unit.name);
}

}  // namespace

CountedCost counted(const Cost& cost, Shown shown, const std::string& currency) {
  const Unit unit = unit_of(shown, currency);
  const Parts parts = parts_of(cost, shown);
  return counted_parts(unit.name, parts.stacks * unit.counts, parts.idle * unit.counts,
                       count(parts.stacks + parts.idle, unit));
}

std::string joules_text(double joules) {
  return text(joules, unit_of(Shown::joules, ""));
}
std::string watt_hours_text(double joules) {
  return text(joules, unit_of(Shown::kilowatt_hours, ""));
}
std::string carbon_text(double grams) {
  return text(grams, unit_of(Shown::carbon, ""));
}
std::string money_text(double amount, const std::string& currency) {
  return text(amount, unit_of(Shown::money, currency));
}

}  // namespace aiflame::cost
