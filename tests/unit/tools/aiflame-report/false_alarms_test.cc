// SPDX-License-Identifier: MIT
// Reports of simulated profiles: how often one that has no difference shows one, and how often a
// planted one is found. Where each interval stood on its own, all of 1000 reports had a false
// alarm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/tools/aiflame-report/alarms.h"
#include "tools/aiflame-report/report.h"

namespace aiflame::report {
namespace {

#if defined(__OPTIMIZE__) && !defined(AIFLAME_SANITIZED)
constexpr int kPairs = 1000;
#else
constexpr int kPairs = 60;  // as slow as a thousand optimised ones
#endif

constexpr int kKernels = 20, kInstructions = 50;
constexpr double kSamples = 100000;

struct Stack {
  std::string text;
  double rate;  // samples of a run
  int kernel;
};

// Twenty kernels, the first with a tenth of the samples, and in each fifty instructions, of which
// the hottest has a fifth of the kernel and the coldest less than a sample.
std::vector<Stack> stacks() {
  const char* const reasons[] = {"sbid", "sync", "dist_acc", "inst_fetch", "active"};
  std::vector<Stack> out;
  for (int kernel = 0; kernel < kKernels; ++kernel) {
    // the others share the rest, the last of them with least
    const double of_kernel = kernel == 0 ? 0.1 : 0.9 * (kKernels - kernel) / 190;
    const std::string before = "app;main;step" + std::to_string(kernel % 4) + ";-;k.cl_[G];kernel" +
                               std::to_string(kernel) + "_[G];k.cl:";
    for (int i = 0; i < kInstructions; ++i)
      out.push_back({before + std::to_string(100 * kernel + i / 3) + "_[G];mad_[g];" +
                         reasons[i % 5] + "_[g];0x" + std::to_string(i * 10) + "_[g]",
                     kSamples * of_kernel * 0.2 * std::pow(0.8, i), kernel});
  }
  return out;
}

class Simulation {
 public:
  explicit Simulation(unsigned seed) : random_(seed) {
    for (const Stack& stack : stacks_) counts_.emplace_back(stack.rate);
  }

  // `spread`: the standard deviation of a kernel's cost between runs, beyond counting, as a part of
  // it. `slower`: what the first kernel's cost after is multiplied by.
  Report pair(size_t runs_before, size_t runs_after, double spread, bool shares,
              double slower = 1) {
    Profile profile({}, true);
    ReportSettings settings;
    settings.normalize = shares;
    settings.sections = {Kind::reason, Kind::kernel,      Kind::function,
                         Kind::line,   Kind::instruction, Kind::frame};
    settings.top = 0;
    settings.runs[0].assign(runs_before, "b");
    settings.runs[1].assign(runs_after, "a");
    for (size_t run = 0; run < runs_before + runs_after; ++run) {
      profile.begin_run();
      std::vector<double> factors(kKernels, 1);
      if (spread > 0)
        for (double& one : factors) one = std::max(0.0, 1 + spread * normal_(random_));
      if (run >= runs_before) factors[0] *= slower;
      for (size_t i = 0; i < stacks_.size(); ++i) {
        const double factor = factors[static_cast<size_t>(stacks_[i].kernel)];
        const uint64_t count =
            factor == 1 ? counts_[i](random_) : Poisson(stacks_[i].rate * factor)(random_);
        EXPECT_TRUE(profile.add(stacks_[i].text, {count, 0}));
      }
    }
    profile.finish();
    return make_report(profile, settings);
  }

 private:
  using Poisson = std::poisson_distribution<uint64_t>;

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  const std::vector<Stack> stacks_ = stacks();
  std::vector<Poisson> counts_;  // constructing one takes longer than a draw
};

bool is_found(const Report& report, Kind kind, const std::string& name) {
  for (const Section& section : report.sections)
    for (const Row& row : section.rows)
      if (section.kind == kind && row.name == name) return row.total.low > 0;
  return false;
}

struct Runs {
  size_t before, after;
  double spread;
  bool shares;  // --normalize
};

TEST(FalseAlarms, InAtMostOneOfTwentyReportsWithoutADifference) {
  for (const auto& [before, after, spread, shares] :
       {Runs{5, 5, 0, false}, Runs{5, 5, 0.03, false}, Runs{5, 5, 0.03, true}, Runs{1, 1, 0, false},
        Runs{2, 2, 0.03, false}, Runs{1, 5, 0.03, false}}) {
    Simulation simulation(7);
    int alarms = 0;
    // all pairs in the case that the promise is made for
    const int pairs = before == 5 && spread == 0 ? kPairs : kPairs / 20;
    for (int i = 0; i < pairs; ++i)
      alarms += has_alarm(simulation.pair(before, after, spread, shares)) ? 1 : 0;
    // of few pairs, twice as many may be chance
    EXPECT_LE(alarms, pairs >= 1000 ? pairs / 20 : pairs / 10 + 1)
        << before << " " << after << " " << spread << " " << shares;
  }
}

TEST(FalseAlarms, ASlowdownOfFivePercentIsFound) {
  Simulation simulation(11);
  int kernels = 0, others = 0;
  const int pairs = kPairs / 5;
  for (int i = 0; i < pairs; ++i) {
    const Report report = simulation.pair(5, 5, 0, false, 1.05);
    kernels += is_found(report, Kind::kernel, "kernel0") ? 1 : 0;
    others += is_found(report, Kind::kernel, "kernel1") ? 1 : 0;
  }
  EXPECT_GE(kernels, pairs * 0.95);
  EXPECT_LE(others, pairs * 0.05);
}

// One recording a side, in which a kernel runs in bursts of ten slices. Counting samples alone
// takes the chance number of bursts for a change.
TEST(FalseAlarms, BurstsWithinARecordingAreSeenInItsSlices) {
  const auto pair = [](unsigned seed, bool by_time) {
    std::mt19937 random(seed);
    Profile profile({}, false);
    if (by_time) profile.keep_slices();
    ReportSettings settings;
    for (auto& side : settings.runs) {
      side = {"file"};
      profile.begin_run();
      int burst = 0;
      for (uint64_t slice = 0; slice < 3000; ++slice) {
        profile.begin_slice(10000000 * slice);
        if (random() % 30 == 0) burst = 10;
        const uint64_t bursting = burst-- > 0 ? 20 : 2;
        EXPECT_TRUE(profile.add(
            "app;-;k_[G];add_[g]",
            {std::poisson_distribution<uint64_t>(static_cast<double>(bursting))(random), 0}));
        EXPECT_TRUE(profile.add("app;-;l_[G];add_[g]",
                                {std::poisson_distribution<uint64_t>(9)(random), 0}));
      }
    }
    profile.finish();
    return make_report(profile, settings);
  };
  const int pairs = kPairs / 10;
  int with = 0, without = 0;
  for (int i = 0; i < pairs; ++i) {
    const auto seed = static_cast<unsigned>(i);
    const Report report = pair(seed, true);
    EXPECT_GT(report.blocks_reach, report.counting_reach);
    with += has_alarm(report) ? 1 : 0;
    without += has_alarm(pair(seed, false)) ? 1 : 0;
  }
  EXPECT_LE(with, pairs / 10 + 1);
  EXPECT_GT(without, pairs / 2);
}

}  // namespace
}  // namespace aiflame::report
