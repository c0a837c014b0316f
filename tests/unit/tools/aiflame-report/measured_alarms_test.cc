// SPDX-License-Identifier: MIT
// Reports of simulated programs whose durations were measured, or sampled: how often one that has
// no difference shows one, and how often a planted one is found. aiflame-report(1) has the table.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/tools/aiflame-report/alarms.h"
#include "tools/aiflame-report/report.h"

namespace aiflame::report {
namespace {

#if defined(__OPTIMIZE__) && !defined(AIFLAME_SANITIZED)
constexpr int kPairs = 200;
#else
constexpr int kPairs = 40;
#endif

constexpr int kKernels = 20;
constexpr double kLaunch = 40000;  // ns, of a launch of the first kernel
constexpr uint64_t kTick = 32;     // ns, of the device's clock
constexpr uint64_t kSlice = 10000000;

enum class Text { plain, by_step, by_time };

// Training steps of twenty kernels, of which the first takes a twentieth of the time. Each launch
// takes longer or shorter than the last by a few percent, and each run by `between_runs`.
class Training {
 public:
  Training(unsigned seed, bool sampled) : random_(seed), sampled_(sampled) {}

  Report pair(size_t runs, Text text, double between_runs, double slower) {
    Profile profile({}, false);
    if (text != Text::plain) profile.keep_slices();
    ReportSettings settings;
    settings.top = 0;
    settings.runs[0].assign(runs, "b");
    settings.runs[1].assign(runs, "a");
    for (size_t run = 0; run < 2 * runs; ++run) {
      profile.begin_run();
      FileQuantity says;
      says.read(sampled_ ? "# aiflame: event gpu-clock, unit samples, period 150 ns"
                         : "# aiflame: event gpu-time, unit ns, weights measured",
                1);
      profile.add_quantity(says);
      record(profile, text, between_runs, run < runs ? 1 : slower);
    }
    profile.finish();
    return make_report(profile, settings);
  }

 private:
  // `slower`: what the launches of the first kernel are multiplied by.
  void record(Profile& profile, Text text, double between_runs, double slower) {
    const int steps = text == Text::by_time ? 800 : 20;
    std::vector<double> factors(kKernels, slower);
    for (int kernel = 1; kernel < kKernels; ++kernel) factors[static_cast<size_t>(kernel)] = 1;
    // samples vary by counting, which is all that a single run shows of theirs
    const double jitter = sampled_ ? 0 : kJitter;
    const double machine = 1 + between_runs * normal_(random_);
    for (double& one : factors) one *= machine * (1 + between_runs / 2 * normal_(random_));
    uint64_t now = 5012000000000;
    for (int step = 0; step < steps; ++step) {
      if (text == Text::by_step) profile.begin_step(static_cast<uint64_t>(step) + 3);
      for (int kernel = 0; kernel < kKernels; ++kernel) {
        // one to four launches; the later kernels are the shorter ones
        for (int launch = 0; launch <= kernel % 4; ++launch) {
          const double mean = kLaunch * factors[static_cast<size_t>(kernel)] / (1 + kernel % 7);
          const double took = mean * std::exp(jitter * normal_(random_));
          const uint64_t duration = static_cast<uint64_t>(took) / kTick * kTick;
          if (text == Text::by_time) profile.begin_slice(now / kSlice * kSlice);
          EXPECT_TRUE(profile.add("py::train;aten::op" + std::to_string(kernel % 5) + "_[o];-;k" +
                                      std::to_string(kernel) + "_[G]",
                                  {sampled_ ? samples_of(took) : duration, 0}));
          now += duration + 2000 + random_() % 1000;
        }
      }
    }
  }

  // A run of twenty steps has 100,000.
  uint64_t samples_of(double nanoseconds) {
    return std::poisson_distribution<uint64_t>(nanoseconds / 150)(random_);
  }

  static constexpr double kJitter = 0.03;  // of a launch
  std::mt19937_64 random_;
  const bool sampled_;
  std::normal_distribution<double> normal_;
};

const Row* find(const Report& report, const std::string& name) {
  for (const Section& section : report.sections)
    for (const Row& row : section.rows)
      if (section.kind == Kind::kernel && row.name == name) return &row;
  return nullptr;
}

struct Case {
  const char* name;
  bool sampled;
  size_t runs;
  Text text;
  double between_runs;
  // Of a hundred pairs in which the first kernel is 3 or 10 % slower, so many are found at least.
  int found_3, found_10;
};

class MeasuredAlarms : public ::testing::TestWithParam<Case> {};

TEST_P(MeasuredAlarms, InAtMostOneOfTwentyReportsWithoutADifference) {
  const auto& [name, sampled, runs, text, between, found_3, found_10] = GetParam();
  Training training(3, sampled);
  // long recordings take long to simulate
  const int pairs = text == Text::by_time ? kPairs / 4 : kPairs;
  int alarms = 0, slower_3 = 0, slower_10 = 0;
  for (int i = 0; i < pairs; ++i) {
    alarms += has_alarm(training.pair(runs, text, between, 1)) ? 1 : 0;
    slower_3 += find(training.pair(runs, text, between, 1.03), "k0")->total.low > 0 ? 1 : 0;
    slower_10 += find(training.pair(runs, text, between, 1.1), "k0")->total.low > 0 ? 1 : 0;
  }
  RecordProperty("alarms", alarms);
  RecordProperty("slower_3", slower_3);
  RecordProperty("slower_10", slower_10);
  // of few pairs, some more or less may be chance
  EXPECT_LE(alarms, pairs >= 200 ? pairs / 20 : pairs / 10 + 1);
  EXPECT_GE(slower_3 + pairs / 8, pairs * found_3 / 100);
  EXPECT_GE(slower_10 + pairs / 8, pairs * found_10 / 100);
}

INSTANTIATE_TEST_SUITE_P(
    , MeasuredAlarms,
    ::testing::Values(Case{"durations_of_five_runs", false, 5, Text::plain, 0, 92, 100},
                      Case{"durations_of_five_runs_that_differ", false, 5, Text::plain, 0.01, 23,
                           100},
                      Case{"durations_of_three_runs", false, 3, Text::plain, 0, 20, 94},
                      Case{"durations_of_one_run_by_step", false, 1, Text::by_step, 0, 39, 100},
                      Case{"durations_of_one_run_by_time", false, 1, Text::by_time, 0, 100, 100},
                      Case{"durations_of_one_run", false, 1, Text::plain, 0, 0, 0},
                      Case{"samples_of_five_runs", true, 5, Text::plain, 0, 18, 99},
                      Case{"samples_of_five_runs_that_differ", true, 5, Text::plain, 0.01, 9, 99},
                      Case{"samples_of_one_run_by_time", true, 1, Text::by_time, 0, 96, 100},
                      Case{"samples_of_one_run", true, 1, Text::plain, 0, 8, 97}),
    [](const auto& one) { return std::string(one.param.name); });

// A single measurement each: whether it is noise is not known, so the gate judges the change.
TEST(MeasuredDurations, OfOneMeasurementEachNothingIsClaimed) {
  Training training(5, false);
  const Report report = training.pair(1, Text::plain, 0, 10);
  const Row* const row = find(report, "k0");
  EXPECT_FALSE(row->total.is_noise_known());
  EXPECT_FALSE(row->total.beyond_noise());
  EXPECT_FALSE(report.knows_noise);
}

}  // namespace
}  // namespace aiflame::report
