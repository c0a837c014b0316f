// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/report.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/program.h"

namespace aiflame::report {
namespace {

// A smallest count of at least this is taken for the period of a sample.
constexpr double kLeastPeriod = 1000;

class Maker {
 public:
  Maker(const Profile& profile, const ReportSettings& settings)
      : profile_(profile),
        settings_(settings),
        comparison_(settings.confidence / 100),
        unit_(std::pow(10.0, profile.decimals())) {}

  Report make() {
    report_.two_sides = settings_.two_sides();
    report_.decimals = profile_.decimals();
    // a single side counts as `after`
    border_ = report_.two_sides ? settings_.runs[0].size() : 0;
    choose_scales();
    for (size_t run = 0; run < runs().size(); ++run) {
      const size_t side = run < border_ ? 0 : 1;
      ++report_.runs[side];
      report_.stacks[side] += runs()[run].stacks;
    }
    choose_samples();
    if (!report_.two_sides) report_.total = runs()[0].total;
    report_.change = compare([&](size_t run) { return runs()[run].total; });
    for (const Kind kind : settings_.sections) add_section(kind);
    size_t pattern = 0;
    for (const Condition& condition : settings_.fail_on) judge(condition, pattern);
    return std::move(report_);
  }

 private:
  const std::vector<Profile::Run>& runs() const { return profile_.runs(); }

  double scaled(uint64_t count, size_t run) const {
    return static_cast<double>(count) * scales_[run] / unit_;
  }

  double mean_total(size_t begin, size_t end) const {
    double sum = 0;
    for (size_t run = begin; run < end; ++run) sum += static_cast<double>(runs()[run].total);
    return sum / static_cast<double>(end - begin);
  }

  void choose_scales() {
    scales_.assign(runs().size(), 1);
    if (settings_.normalize) {
      const double target = mean_total(border_, runs().size());
      for (size_t run = 0; run < runs().size(); ++run) {
        if (runs()[run].total == 0)
          throw Error("cannot normalize: '" +
                      (run < border_ ? settings_.runs[0][run] : settings_.runs[1][run - border_]) +
                      "' has no counts");
        scales_[run] = target / static_cast<double>(runs()[run].total);
      }
    } else if (settings_.work) {
      // scaled to the mean work of the runs after
      const auto [before, after] = *settings_.work;
      const double scale = (after / static_cast<double>(runs().size() - border_)) /
                           (before / static_cast<double>(border_));
      std::fill(scales_.begin(), scales_.begin() + static_cast<std::ptrdiff_t>(border_), scale);
    }
  }

  // With one run, the noise of a side comes from its samples alone. Its smallest count is the most
  // that one sample can have added, and too much noise is better than too little. With more runs,
  // the noise of samples is only a lower bound for the variance.
  void choose_samples() {
    for (size_t run = 0; run < runs().size(); ++run) {
      const size_t side = run < border_ ? 0 : 1;
      double sample = settings_.sample > 0 ? settings_.sample : 1;
      const double smallest = static_cast<double>(runs()[run].smallest) / unit_;
      if (settings_.sample <= 0 && report_.runs[side] == 1 && smallest >= kLeastPeriod)
        sample = smallest;
      // runs may be scaled differently; the last one decides
      report_.sample[side] = sample * scales_[run];
    }
  }

  // `count(run)` gives the count of a thing in a run.
  template <typename CountOf>
  Change compare(CountOf count) const {
    Measured sides[2];
    for (size_t run = 0; run < runs().size(); ++run)
      sides[run < border_ ? 0 : 1].runs.push_back(scaled(count(run), run));
    for (size_t side = 0; side < 2; ++side) sides[side].sample = report_.sample[side];
    if (report_.two_sides) return comparison_.compare(sides[0], sides[1]);
    Change out;
    out.after = sides[1].mean();
    return out;
  }

  bool by_self(Kind kind) const {
    return (kind == Kind::function && settings_.functions_by_self) ||
           (kind == Kind::kernel && settings_.kernels_by_self);
  }

  Row make_row(Kind kind, uint32_t number) const {
    Row row;
    row.name = profile_.name(kind, number);
    if (!report_.two_sides) {
      row.cost = profile_.cost(kind, number, 0);
      return row;
    }
    row.total = compare([&](size_t run) { return profile_.cost(kind, number, run).total; });
    row.self = compare([&](size_t run) { return profile_.cost(kind, number, run).self; });
    return row;
  }

  bool occurs(Kind kind, uint32_t number) const {
    for (size_t run = 0; run < runs().size(); ++run)
      if (profile_.cost(kind, number, run).total > 0) return true;
    return false;
  }

  // Orders by cost, or by change with those beyond noise first.
  static bool before(const Row& a, const Row& b, bool two_sides, bool by_self) {
    if (two_sides) {
      const Change& one = by_self ? a.self : a.total;
      const Change& other = by_self ? b.self : b.total;
      if (one.beyond_noise() != other.beyond_noise()) return one.beyond_noise();
      if (std::fabs(one.change()) != std::fabs(other.change()))
        return std::fabs(one.change()) > std::fabs(other.change());
      if (a.total.after != b.total.after) return a.total.after > b.total.after;
    } else {
      const auto key = [&](const Cost& c) {
        return by_self ? std::pair(c.self, c.total) : std::pair(c.total, c.self);
      };
      if (key(a.cost) != key(b.cost)) return key(a.cost) > key(b.cost);
    }
    return a.name < b.name;
  }

  void add_section(Kind kind) {
    Section section;
    section.kind = kind;
    section.by_self = by_self(kind);
    std::vector<Row>& rows = section.rows;
    for (uint32_t number = 0; number < profile_.size(kind); ++number)
      if (occurs(kind, number)) rows.push_back(make_row(kind, number));
    auto end = rows.end();
    if (settings_.top > 0) {
      // rows without the cost that the section is sorted by are not worth a line
      end = std::partition(rows.begin(), rows.end(), [&](const Row& row) {
        if (!report_.two_sides) return (section.by_self ? row.cost.self : row.cost.total) > 0;
        const Change& change = section.by_self ? row.self : row.total;
        return change.before > 0 || change.after > 0;
      });
    }
    size_t kept = static_cast<size_t>(end - rows.begin());
    if (settings_.top > 0) kept = std::min<size_t>(kept, settings_.top);
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), end,
                      [&](const Row& a, const Row& b) {
                        return before(a, b, report_.two_sides, section.by_self);
                      });
    section.left_out = rows.size() - kept;
    rows.resize(kept);
    report_.sections.push_back(std::move(section));
  }

  void judge(const Condition& condition, size_t& pattern) {
    Verdict verdict;
    verdict.condition = condition;
    switch (condition.subject) {
      case Condition::Subject::total:
        verdict.value = report_.change;
        break;
      case Condition::Subject::pattern:
        verdict.value = compare([&](size_t run) { return runs()[run].matched[pattern]; });
        ++pattern;
        break;
      case Condition::Subject::thing: {
        uint32_t number = 0;
        verdict.known =
            profile_.find(condition.kind, condition.name, number) && occurs(condition.kind, number);
        verdict.value = compare([&](size_t run) {
          return verdict.known ? profile_.cost(condition.kind, number, run).total : 0;
        });
        break;
      }
    }
    verdict.failed = holds(condition, verdict.value, report_.change.after);
    report_.verdicts.push_back(std::move(verdict));
  }

  const Profile& profile_;
  const ReportSettings& settings_;
  Comparison comparison_;
  double unit_;
  size_t border_ = 0;  // the first run after
  std::vector<double> scales_;
  Report report_;
};

}  // namespace

Report make_report(const Profile& profile, const ReportSettings& settings) {
  return Maker(profile, settings).make();
}

}  // namespace aiflame::report
