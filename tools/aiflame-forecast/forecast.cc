// SPDX-License-Identifier: MIT
#include "tools/aiflame-forecast/forecast.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcommon/timeline/work_class.h"
#include "tools/aiflame-forecast/operators.h"
#include "tools/aiflame-forecast/stack_parts.h"

namespace aiflame::forecast {
namespace {

constexpr double kNanoseconds = 1e9;

// What a kernel takes on any device, however little it does: it is started, and its last block ends
// later than the others. Of two models that TraceLens publishes of two devices, the shortest of 214
// kernels took 1.5 us on an H100, that of 215 took 1.9 us on an MI300X, and one in twenty took less
// than 1.6 to 3.6 us. Mode::scale has it alone: the tables of efficiencies were fitted without it.
constexpr double kKernelStart = 2e-6;

struct Range {
  double least, most;
};
// Of NeuSight's micro-benchmarks, whose medians are the efficiencies: operations of matrix
// operators, bytes of the others.
constexpr std::array<Range, kMeasuredFamilies> kMeasuredRanges = {{
    {6.0e8, 2.7e13},
    {5.9e7, 8.8e12},
    {1.0e8, 6.9e10},
    {5.0e7, 6.9e10},
    {5.0e7, 6.9e10},
}};

}  // namespace

bool is_in_range(const Work& work) {
  if (!is_measured(work.family)) return true;
  const Range& range = kMeasuredRanges[static_cast<size_t>(work.family)];
  const double amount = is_matrix(work.family) ? work.operations : work.bytes;
  return amount >= range.least && amount <= range.most;
}

Forecast::Effect Forecast::effect(std::string_view op, std::string_view kernel) const {
  Work work;
  // a kernel may compute in another type than its inputs have: tf32 of fp32
  std::optional<DataType> type = type_of_kernel(kernel);
  if (const std::optional<OperatorText> text = parse_operator(op)) {
    if (!type) type = text->type;
    work = work_of(*text, type.value_or(type_));
  } else {
    work.type = type.value_or(type_);
  }
  if (const std::optional<Family> family = family_of_kernel(kernel)) work.family = *family;
  return effect(work, type.has_value());
}

// The ratios of all peak rates that a kernel could be bound by.
Outcome Forecast::bounds(const Work& work) const {
  const Device &a = from_->device(), &b = to_.device();
  Outcome out;
  out.least = out.most = a.bandwidth / b.bandwidth;
  for (const bool of_matrix : {false, true}) {
    const double rate_a = a.rate(of_matrix, work.type), rate_b = b.rate(of_matrix, work.type);
    if (rate_a == 0 || rate_b == 0) continue;
    out.least = std::min(out.least, rate_a / rate_b);
    out.most = std::max(out.most, rate_a / rate_b);
  }
  return out;
}

Outcome Forecast::factor(const Work& work) const {
  if (mode_ == Mode::absolute) {
    if (work.family == Family::no_shapes || stays(work.family)) return {};
    if (work.family == Family::collective)
      return {collective_seconds(work, to_.device(), cluster_) * kNanoseconds, 0, 0};
    return {to_.seconds(work) * kNanoseconds, 0, 0};
  }
  const Device &a = from_->device(), &b = to_.device();
  if (stays(work.family)) return {1, 1, 1};
  if (work.family == Family::collective) {
    const double ratio = a.link > 0 && b.link > 0 ? a.link / b.link : 1;
    return {ratio, ratio, ratio};
  }
  if (mode_ == Mode::bounds) return bounds(work);
  if (work.family == Family::no_shapes) return {a.bandwidth / b.bandwidth, 0, 0};
  if (method_ == Method::habitat) return {wave_scaling(work, a, b), 0, 0};
  const double before = kKernelStart + from_->seconds(work);
  const double after = kKernelStart + to_.seconds(work);
  // an operator on nothing, 0 x 64, takes its time to start
  return {before > 0 && after > 0 ? after / before : 1, 0, 0};
}

void Forecast::add(std::string_view stack, double count) {
  const StackParts parts = split_stack(stack);
  if (parts.is_idle || parts.kernel.starts_with(kHostFunction)) {
    Work idle;
    idle.family = Family::idle;
    return add(stack, count, idle);
  }
  key_.assign(parts.op).append(";").append(parts.kernel);
  bool added = false;
  const uint32_t number = keys_.number(key_, &added);
  if (added) effects_.push_back(effect(parts.op, parts.kernel));
  add(parts.stack, count, effects_[number]);
}

void Forecast::add(std::string_view stack, double count, const Work& work) {
  add(stack, count, effect(work, true));
}

void Forecast::add(std::string_view stack, double count, const Effect& effect) {
  const Outcome& factor = effect.factor;
  const double value = count * (mode_ == Mode::bounds ? factor.most : factor.value);
  bool added = false;
  const uint32_t number = stacks_.number(stack, &added);
  if (added) outcomes_.push_back({});
  for (Outcome* out : {&outcomes_[number], &totals_.all}) {
    out->value += count * factor.value;
    out->least += count * factor.least;
    out->most += count * factor.most;
  }
  totals_.before += count;
  Amount& of_family = totals_.by_family[static_cast<size_t>(effect.family)];
  of_family.before += count;
  of_family.after += value;
  if (mode_ == Mode::absolute && factor.value == 0) totals_.without_time += count;
  for (size_t i = 0; i < kCaveats; ++i)
    if (effect.caveats[i]) totals_.by_caveat[i] += value;
  if (is_measured(effect.family) && !effect.caveats[static_cast<size_t>(Caveat::not_measured)])
    totals_.measured[static_cast<size_t>(effect.family)] += value;
}

std::bitset<kCaveats> Forecast::caveats(const Work& work, bool type_known) const {
  std::bitset<kCaveats> out;
  const auto set = [&](Caveat caveat, bool is) { out[static_cast<size_t>(caveat)] = is; };
  // what stays as it is has no error, and of servers that were measured another line tells it
  if (stays(work.family)) return out;
  if (work.family == Family::collective || work.family == Family::no_shapes) {
    set(Caveat::not_measured, work.family == Family::no_shapes || mode_ != Mode::absolute);
    return out;
  }
  const auto of_any = [&](auto&& is) { return is(to_) || (from_ != nullptr && is(*from_)); };
  set(Caveat::type_taken, !type_known);
  set(Caveat::other_rate, work.operations > 0 && of_any([&](const Predictor& one) {
                            return !one.device().has_type(work.type);
                          }));
  set(Caveat::by_mean,
      of_any([&](const Predictor& one) { return one.basis(work) == Basis::others; }));
  set(Caveat::by_network,
      of_any([&](const Predictor& one) { return one.basis(work) == Basis::network; }));
  set(Caveat::beyond_network, of_any([&](const Predictor& one) { return !one.is_in_range(work); }));
  set(Caveat::other_type, is_measured(work.family) && work.type != DataType::fp32);
  set(Caveat::out_of_range, !is_in_range(work));
  // lookups and copies of fp32 are in the models that were measured
  const bool known_family = is_measured(work.family) || work.family == Family::memory;
  set(Caveat::not_measured, !known_family || work.type != DataType::fp32);
  return out;
}

std::vector<OrderedText> Forecast::sorted() const {
  std::vector<OrderedText> order(stacks_.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    const std::string_view text = stacks_.text(i);
    order[i] = {0, text.data(), static_cast<uint32_t>(text.size()), i};
  }
  sort_texts(order, TextOrder::plain);
  return order;
}

}  // namespace aiflame::forecast
