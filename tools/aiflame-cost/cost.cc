// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/cost.h"

#include "libcommon/base/program.h"

namespace aiflame::cost {
namespace {

constexpr double kJoulesPerKilowattHour = 3.6e6;
constexpr double kSecondsPerHour = 3600, kGramsPerKilogram = 1000;
// The guide and the tools of SCI count years of 365 days: 4 years are 35 040 hours.
constexpr double kSecondsPerYear = 365 * 24 * kSecondsPerHour;

Parts seconds_of(double busy, const Assumptions& given) {
  if (!given.reserved) return {busy, 0};
  const double idle = given.reserved->value - busy;
  if (idle < 0)
    throw Error(
        format("--reserved %s s is less than the time of the stacks, %.9g s; it counts "
               "the time of all devices together",
               given.reserved->text.c_str(), busy));
  return {busy, idle};
}

// Of the devices alone.
Parts joules_of(const Parts& seconds, const Assumptions& given) {
  const double idle = given.idle_power ? given.idle_power->value * seconds.idle : 0;
  if (given.power) return {given.power->value * seconds.stacks, idle};
  const double rest = given.joules->value - idle;
  if (rest < 0)
    throw Error(format("the idle time takes %.9g J by --idle-power, more than the %s J measured",
                       idle, given.joules->text.c_str()));
  return {rest, idle};
}

}  // namespace

std::optional<Parts> Cost::carbon() const {
  if (!operational) return std::nullopt;
  return embodied ? *operational + *embodied : *operational;
}

Cost cost_of(double seconds, const Assumptions& given) {
  Cost out;
  out.seconds = seconds_of(seconds, given);
  if (given.knows_energy()) {
    out.joules = joules_of(out.seconds, given) * given.pue->value;
    if (given.grid) out.operational = *out.joules * (given.grid->value / kJoulesPerKilowattHour);
  }
  if (given.embodied)
    out.embodied =
        out.seconds * (given.embodied->value * kGramsPerKilogram * given.embodied_share->value /
                       (given.lifetime->value * kSecondsPerYear));
  if (given.price && given.price->of_energy)
    out.money = *out.joules * (given.price->amount.value / kJoulesPerKilowattHour);
  else if (given.price)
    out.money = out.seconds * (given.price->amount.value / kSecondsPerHour);
  return out;
}

}  // namespace aiflame::cost
