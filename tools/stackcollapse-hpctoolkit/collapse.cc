// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/collapse.h"

#include <algorithm>

#include "libcommon/base/choices.h"
#include "libcommon/base/program.h"
#include "tools/stackcollapse-hpctoolkit/code_objects.h"
#include "tools/stackcollapse-hpctoolkit/context_frames.h"
#include "tools/stackcollapse-hpctoolkit/database.h"
#include "tools/stackcollapse-hpctoolkit/metric_choice.h"

namespace aiflame::hpctoolkit {
namespace {

constexpr const char *kNoMeta = "contexts that meta.db lacks", *kNoLaunch = "without a launch";

// Adds the values of one database to stacks.
class Collapse {
 public:
  Collapse(const std::string& folder, const Settings& settings, ImportedStacks& stacks);
  void run();

 private:
  // The part of a metric that a number in the files is: 0 the metric itself, i the reason i - 1.
  static constexpr uint32_t kNoPart = UINT32_MAX;

  void check_identifiers() const;
  void begin(std::span<const Identifier> identifiers);
  void add(uint32_t id, std::span<const MetricValue> values);
  void add(uint32_t context, std::string_view reason, uint64_t weight);
  void hint_missing() const;
  // Whether values are drawn by what contexts have together with all that they have called.
  bool draws_inclusive() const;
  void run_inclusive();
  void run_points();
  void draw_inclusive();

  const std::string folder_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  const Database database_;
  const MetricChoice metric_;
  std::vector<uint32_t> part_of_;
  std::vector<std::string_view> kinds_;  // of identifiers
  DeviceFrames device_;
  CodeObjects objects_;
  ContextFrames frames_;
  uint32_t root_ = ImportedStacks::kEmpty, profile_ = ImportedStacks::kEmpty;
  std::vector<uint64_t> weights_;  // by part
  std::vector<double> inclusive_;  // by context, of the profile that is read
  bool drawn_ = false, lost_ = false;
};

MetricChoice choose(const Database& database, const std::string& folder, const std::string& name) {
  const std::vector<bool> has_values = database.metrics_with_values();
  try {
    return choose_metric(database.metadata().metrics(), name,
                         [&](uint16_t number) { return has_values[number]; });
  } catch (const Error& error) {
    throw Error(folder + ": " + error.what());
  }
}

Collapse::Collapse(const std::string& folder, const Settings& settings, ImportedStacks& stacks)
    : folder_(folder),
      settings_(settings),
      stacks_(stacks),
      database_(folder, !settings.identifiers.empty()),
      metric_(choose(database_, folder, settings.metric)),
      part_of_(UINT16_MAX + 1, kNoPart),
      kinds_(database_.metadata().identifier_kinds()),
      device_(settings.device),
      objects_(folder, settings.objects),
      frames_(database_.metadata(), device_, objects_, stacks) {
  check_identifiers();
  part_of_[metric_.number] = 0;
  for (size_t i = 0; i < metric_.reasons.size(); ++i)
    if (metric_.reasons[i].number != metric_.number)
      part_of_[metric_.reasons[i].number] = static_cast<uint32_t>(i + 1);
  const std::string_view title = database_.metadata().title();
  root_ = profile_ = stacks_.root(title.empty() ? "[unknown]" : title);
  const Quantity& quantity = metric_.quantity;
  if (stacks_.quantity.is_known() &&
      (stacks_.quantity.unit != quantity.unit || stacks_.quantity.event != quantity.event))
    throw Error(folder + ": " + describe(quantity) + ", where the databases before have " +
                describe(stacks_.quantity) + "; --metric chooses");
  stacks_.quantity = quantity;
}

void Collapse::check_identifiers() const {
  for (const std::string& wanted : settings_.identifiers)
    if (std::find(kinds_.begin(), kinds_.end(), wanted) == kinds_.end())
      throw Error(folder_ + ": no identifier '" + wanted + "'; there are: " + choice_names(kinds_));
}

void Collapse::begin(std::span<const Identifier> identifiers) {
  profile_ = ImportedStacks::kEmpty;
  for (const std::string& wanted : settings_.identifiers)
    for (const Identifier& one : identifiers)
      if (one.kind < kinds_.size() && kinds_[one.kind] == wanted)
        profile_ = stacks_.child(profile_, wanted + " " + std::to_string(one.value));
  profile_ = stacks_.append(profile_, root_);
}

void Collapse::add(uint32_t id, std::span<const MetricValue> values) {
  weights_.assign(metric_.reasons.size() + 1, 0);
  for (const auto& [metric, value] : values) {
    uint64_t& sum = weights_[part_of_[metric]];
    const auto weight = weight_of(value, metric_.quantity);
    if (!weight || __builtin_add_overflow(sum, *weight, &sum))
      throw Error(folder_ + ": " + std::string(metric_.name) + format(": %g is no count", value));
  }
  const uint64_t whole = weights_[0];
  if (whole == 0) return;
  stacks_.read(whole);
  const auto context = database_.metadata().context_with(id);
  if (!context) {
    stacks_.lose(kNoMeta, whole);
    lost_ = true;
    return;
  }
  if (frames_.is_unlaunched(*context)) stacks_.part(kNoLaunch, whole);
  uint64_t parts = 0;
  bool are_parts = true;  // reasons that are more than the whole are not
  for (size_t i = 1; i < weights_.size(); ++i)
    are_parts = are_parts && !__builtin_add_overflow(parts, weights_[i], &parts) && parts <= whole;
  if (!are_parts) stacks_.part("whose reasons are more than all of it", whole);
  for (size_t i = 1; are_parts && i < weights_.size(); ++i)
    if (weights_[i] > 0) add(*context, metric_.reasons[i - 1].name, weights_[i]);
  const uint64_t left = are_parts ? whole - parts : whole;
  // a metric may be one reason itself
  const bool is_reason = metric_.reasons.size() == 1 && metric_.reasons[0].number == metric_.number;
  if (left > 0) add(*context, is_reason ? metric_.reasons[0].name : "", left);
}

void Collapse::add(uint32_t context, std::string_view reason, uint64_t weight) {
  drawn_ = true;
  stacks_.add(frames_.stack(profile_, context, reason), weight);
  if (frames_.is_on_device(context) && frames_.is_instruction(context) &&
      frames_.unnamed() != Unnamed::no)
    stacks_.part(std::string("without a mnemonic (") + unnamed_phrase(frames_.unnamed()) + ")",
                 weight);
}

// A database may have the values of instructions without their contexts (HPCToolkit 2023, for what
// a CPU did): each is part of its line, loop or function. Reasons are told by instructions alone.
bool Collapse::draws_inclusive() const {
  if (!metric_.inclusive || !metric_.reasons.empty()) return false;
  bool lacks = false;
  database_.read([&](uint16_t metric) { return metric == metric_.number; },
                 [](std::span<const Identifier>) {},
                 [&](uint32_t id, std::span<const MetricValue>) {
                   lacks = lacks || !database_.metadata().context_with(id);
                 });
  return lacks;
}

void Collapse::run_inclusive() {
  inclusive_.assign(database_.metadata().contexts().size(), 0);
  database_.read([&](uint16_t metric) { return metric == *metric_.inclusive; },
                 [&](std::span<const Identifier> identifiers) {
                   draw_inclusive();
                   begin(identifiers);
                 },
                 [&](uint32_t id, std::span<const MetricValue> values) {
                   const auto context = database_.metadata().context_with(id);
                   for (const MetricValue& one : values)
                     if (context) inclusive_[*context] += one.value;
                 });
  draw_inclusive();
}

// Each context without those that it has called.
void Collapse::draw_inclusive() {
  const std::vector<Context>& contexts = database_.metadata().contexts();
  std::vector<double> own = inclusive_;
  for (uint32_t i = 0; i < contexts.size(); ++i)
    if (contexts[i].parent != i) own[contexts[i].parent] -= inclusive_[i];
  for (uint32_t i = 0; i < contexts.size(); ++i) {
    // what is left of two equal sums is less than a billionth of them
    if (own[i] <= inclusive_[i] * 1e-9) continue;
    const auto weight = weight_of(own[i], metric_.quantity);
    if (!weight)
      throw Error(folder_ + ": " + std::string(metric_.name) + format(": %g is no count", own[i]));
    stacks_.read(*weight);
    if (frames_.is_unlaunched(i)) stacks_.part(kNoLaunch, *weight);
    add(i, "", *weight);
  }
  inclusive_.assign(contexts.size(), 0);
}

void Collapse::run() {
  if (draws_inclusive())
    run_inclusive();
  else
    run_points();
  if (lost_ && !drawn_)
    throw Error(folder_ + ": " + std::string(metric_.name) +
                ": its values are all of contexts that meta.db lacks");
  device_.report();
  hint_missing();
}

void Collapse::run_points() {
  database_.read([&](uint16_t metric) { return part_of_[metric] != kNoPart; },
                 [&](std::span<const Identifier> identifiers) { begin(identifiers); },
                 [&](uint32_t id, std::span<const MetricValue> values) { add(id, values); });
}

void Collapse::hint_missing() const {
  const std::vector<std::string>& missing = objects_.missing();
  if (missing.empty()) return;
  hint("%zu code %s not found, such as %s: --objects DIR, for the names of instructions",
       missing.size(), missing.size() == 1 ? "object was" : "objects were",
       missing.front().c_str());
}

}  // namespace

void collapse(const std::string& folder, const Settings& settings, ImportedStacks& stacks) {
  Collapse(folder, settings, stacks).run();
}

}  // namespace aiflame::hpctoolkit
