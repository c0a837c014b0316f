// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/facts.h"

#include <cmath>

#include "libcommon/base/program.h"

namespace aiflame::cost {
namespace {

std::string seconds_text(double seconds) {
  if (seconds > 1e9) return format("%.4g s", seconds);  // in ns it may not fit
  return format_quantity(static_cast<uint64_t>(std::llround(seconds * 1e9)), 0, kNanoseconds);
}

// "2.50 USD/h of device time"
std::string price_text(const Price& price) {
  return price.amount.text + " " + price.currency +
         (price.of_energy ? "/kWh" : "/h of device time");
}

void add_time(const Cost& cost, const Assumptions& given, std::vector<std::string>& out) {
  std::string text = "device time " + seconds_text(cost.seconds.stacks);
  if (given.reserved)
    text += ", reserved " + given.reserved->text + " s, idle " + seconds_text(cost.seconds.idle);
  out.push_back(text);
}

void add_energy(const Cost& cost, const Assumptions& given, std::vector<std::string>& out) {
  if (!cost.joules) return;
  const std::string counters = given.counters.empty() ? "" : " (" + given.counters + ")";
  std::string source = given.power ? "power " + given.power->text + " W while busy"
                                   : "measured energy " + given.joules->text + " J" + counters +
                                         ", apportioned by share of the device time";
  if (given.idle_power) source += ", " + given.idle_power->text + " W while idle";
  out.push_back(source);
  out.push_back("PUE " + given.pue->text + " (energy of the site for that of the devices)");
  const double joules = cost.joules->total();
  out.push_back("energy " + joules_text(joules) + ", that is " + watt_hours_text(joules) +
                (given.power ? ", an estimate" : ", apportioned"));
}

void add_carbon(const Cost& cost, const Assumptions& given, std::vector<std::string>& out) {
  if (cost.operational) {
    out.push_back("grid " + given.grid->text + " gCO2e/kWh");
    out.push_back("operational carbon " + carbon_text(cost.operational->total()) + ", an estimate");
  }
  if (cost.embodied)
    out.push_back("embodied carbon " + carbon_text(cost.embodied->total()) + ", an estimate: of " +
                  given.embodied->text + " kgCO2e in " + given.lifetime->text + " years, share " +
                  given.embodied_share->text + " of the device");
  else if (cost.operational)
    out.push_back("embodied carbon is not counted");
}

void add_money(const Cost& cost, const Assumptions& given, std::vector<std::string>& out) {
  if (!cost.money) return;
  out.push_back("price " + price_text(*given.price));
  out.push_back("money " + money_text(cost.money->total(), given.price->currency) +
                ", an estimate");
}

// "12.3 mJ for each of 1000 requests"
void add_per_work(const Cost& cost, const Assumptions& given, std::vector<std::string>& out) {
  if (!given.work) return;
  const double number = given.work->number.value;
  const std::string each = " for each of " + given.work->number.text + " " + given.work->name;
  if (cost.joules) out.push_back("energy " + joules_text(cost.joules->total() / number) + each);
  if (cost.operational) out.push_back("SCI " + carbon_text(cost.carbon()->total() / number) + each);
  if (cost.money)
    out.push_back("money " + money_text(cost.money->total() / number, given.price->currency) +
                  each);
}

}  // namespace

std::vector<std::string> facts(const Cost& cost, const CountedCost& counted,
                               const Assumptions& given) {
  std::vector<std::string> out{"total " + format_quantity(counted.total(), 0, counted.unit) +
                               (given.joules ? ", apportioned" : ", an estimate")};
  add_time(cost, given, out);
  add_energy(cost, given, out);
  add_carbon(cost, given, out);
  add_money(cost, given, out);
  add_per_work(cost, given, out);
  return out;
}

Quantity quantity_of(const CountedCost& counted, const Assumptions& given, Shown shown,
                     const std::string& event) {
  const std::string time = event.empty() ? "time" : event;
  Quantity out;
  out.unit = counted.unit;
  if (shown == Shown::money && !given.price->of_energy)
    out.event = "estimate from " + time + " at " + price_text(*given.price);
  else if (given.power)
    out.event = "estimate from " + time + " at " + given.power->text + " W";
  else
    out.event = "measured energy apportioned by " + time;
  return out;
}

}  // namespace aiflame::cost
