// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "libcommon/findings/stall_findings.h"
#include "libcommon/folded/folded.h"
#include "libcommon/folded/unit_scale.h"
#include "libcommon/statistics/families.h"
#include "tools/aiflame-report/device_time.h"
#include "tools/aiflame-report/sides.h"

namespace aiflame::report {
namespace {

// The number of kernels that are tested first.
constexpr size_t kFirstKernels = 20;

// Their share of the error budget, the chance of a false alarm.
constexpr double kFirstShare = 0.75;

// Instructions of a finding.
constexpr size_t kMaxEvidence = 16;

class Maker {
 public:
  Maker(const Profile& profile, const ReportSettings& settings)
      : profile_(profile),
        settings_(settings),
        sides_(profile, settings),
        level_(1 - settings.confidence / 100) {}

  Report make() {
    report_.two_sides = settings_.two_sides();
    report_.decimals = profile_.decimals();
    report_.quantity = sides_.quantity();
    report_.exact = sides_.is_exact();
    if (!report_.two_sides) report_.notes = profile_.notes().all();
    for (size_t run = 0; run < runs().size(); ++run) {
      ++report_.runs[sides_.side_of(run)];
      report_.stacks[sides_.side_of(run)] += runs()[run].stacks;
    }
    for (size_t side = 0; side < 2; ++side) report_.sample[side] = sides_.sample(side);
    if (report_.two_sides) {
      test_first();
    } else {
      report_.total = runs()[0].total;
      report_.change.after = sides_.whole().after;
    }
    report_.shares =
        settings_.normalize || (profile_.is_difference() && runs()[0].total == runs()[1].total);
    make_sections();
    judge();
    return std::move(report_);
  }

 private:
  const std::vector<Profile::Run>& runs() const { return profile_.runs(); }

  // A comparison: its family, and its number there.
  struct Place {
    size_t family = 0, number = 0;
  };
  size_t add_family(double level) {
    // a confidence of 0 is one everywhere
    families_.emplace_back(level_ >= 1 ? level_ : level);
    return families_.size() - 1;
  }
  Place add(size_t family, const Difference& difference) {
    return {family, families_[family].add(difference)};
  }
  Change change(const Place& place) const { return families_[place.family].change(place.number); }

  // Tests the whole and the kernels with the highest counts; see families.h.
  void test_first() {
    const size_t first = add_family(level_ * kFirstShare);
    const Place total = add(first, sides_.whole());
    struct Kernel {
      double samples;
      uint32_t number;
      Difference difference;
    };
    std::vector<Kernel> kernels;
    for (uint32_t number = 0; number < profile_.size(Kind::kernel); ++number) {
      if (!occurs(Kind::kernel, number)) continue;
      const Difference one = sides_.thing(Kind::kernel, number, by_self(Kind::kernel));
      kernels.push_back({one.samples, number, one});
    }
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const Kernel& a, const Kernel& b) { return a.samples > b.samples; });
    if (kernels.size() > kFirstKernels) kernels.resize(kFirstKernels);
    for (const Kernel& one : kernels) kernels_[one.number] = add(first, one.difference);
    families_[first].decide();
    report_.change = change(total);
    report_.sampled = sides_.whole().sampled;
    if (runs().size() == 2) explain_noise(sides_.whole());
    for (const auto& [number, place] : kernels_)
      if (change(place).beyond_noise()) inside_[number] = add_family(level_);
  }

  bool by_self(Kind kind) const {
    if (kind == Kind::finding || kind == Kind::rank || kind == Kind::memory) return true;
    if (kind == Kind::kernel) return settings_.kernels_by_self;
    const bool sorted = kind == Kind::function || kind == Kind::framework_operator ||
                        kind == Kind::module_class || kind == Kind::idle;
    return sorted && settings_.functions_by_self;
  }

  bool occurs(Kind kind, uint32_t number) const {
    for (size_t run = 0; run < runs().size(); ++run)
      if (profile_.cost(kind, number, run).total > 0) return true;
    return false;
  }

  // Orders by cost, or by change with those beyond noise first.
  static bool before(const Row& a, const Row& b, bool two_sides, bool by_self) {
    if (a.order != b.order) return a.order < b.order;
    if (two_sides) {
      const Change& one = by_self ? a.self : a.total;
      const Change& other = by_self ? b.self : b.total;
      // those of which no noise is known stand between
      if (one.beyond_noise() != other.beyond_noise()) return one.beyond_noise();
      if (one.is_noise_known() != other.is_noise_known()) return other.is_noise_known();
      if (std::fabs(one.change()) != std::fabs(other.change()))
        return std::fabs(one.change()) > std::fabs(other.change());
      if (a.total.after != b.total.after) return a.total.after > b.total.after;
    } else {
      const auto key = [&](const Cost& c) {
        return by_self ? std::pair(c.self, c.total) : std::pair(c.total, c.self);
      };
      if (key(a.cost) != key(b.cost)) return key(a.cost) > key(b.cost);
    }
    return std::tie(a.name, a.launch) < std::tie(b.name, b.launch);
  }

  // Of two single runs.
  void explain_noise(Difference whole) {
    const Comparison comparison(1 - level_);
    const auto reach = [&] {
      const Change change = comparison.interval(whole);
      return std::max(change.high - change.change(), change.change() - change.low);
    };
    for (size_t side = 0; side < 2; ++side) report_.blocks[side] = runs()[side].blocks.count();
    const Spread spread = std::exchange(whole.spread, Spread());
    if (whole.sampled) report_.counting_reach = reach();
    if (!(spread.variance > 0)) return;
    whole.spread = spread;
    whole.counting = whole.sample[0] = 0;
    whole.sampled = false;
    report_.blocks_reach = reach();
  }

  // A section before its rows are judged, sorted and cut.
  struct Draft {
    Section section;
    std::vector<std::pair<Place, Place>> places;  // of each row's total and self
  };

  // A section takes a part of the level, so those of a model are there only if it has frames.
  std::vector<Kind> sections() const {
    if (!settings_.sections.empty()) return settings_.sections;
    std::vector<Kind> out;
    if (ranks() > 1) out.push_back(Kind::rank);
    if (profile_.size(Kind::memory) > 0) out.push_back(Kind::memory);
    if (profile_.tells_device_time()) out.push_back(Kind::device);
    if (profile_.has(Kind::idle)) out.push_back(Kind::idle);
    out.insert(out.end(), {Kind::reason, Kind::kernel});
    for (const Kind kind : {Kind::framework_operator, Kind::module_class})
      if (profile_.has(kind)) out.push_back(kind);
    if (has_gains()) out.push_back(Kind::finding);
    if (has_launches()) out.push_back(Kind::launch);
    out.insert(out.end(), {Kind::function, Kind::line, Kind::instruction});
    return out;
  }

  size_t ranks() const {
    size_t out = 0;
    for (uint32_t number = 0; number < profile_.size(Kind::rank); ++number)
      out += occurs(Kind::rank, number) ? 1 : 0;
    return out;
  }

  // Of exposed stalls alone it is not known how long the kernels took.
  bool has_gains() const {
    const std::string& event = report_.quantity.event;
    return !report_.two_sides && event != "gpu-stall-exposed" &&
           !unit_scale(report_.quantity.unit) && profile_.size(Kind::finding) > 0;
  }

  void make_sections() {
    const std::vector<Kind> kinds = sections();
    std::vector<Draft> drafts;
    size_t rest = 0;  // the family of what no section shows first
    double share = 0;
    if (report_.two_sides) {
      const auto others =
          std::count_if(kinds.begin(), kinds.end(), [](Kind kind) { return kind != Kind::kernel; });
      share = level_ * (1 - kFirstShare) / static_cast<double>(others + 1);
      rest = add_family(share);
    }
    for (const Kind kind : kinds) {
      const bool others = report_.two_sides && kind != Kind::kernel;
      drafts.push_back(draft(kind, others ? add_family(share) : rest, rest));
    }
    for (size_t family = 1; family < families_.size(); ++family) families_[family].decide();
    for (const ComparisonFamily& one : families_) report_.comparisons += one.tested();
    // without samples, those of which no noise is known are not tested
    report_.knows_noise = report_.sampled || report_.comparisons > 0 || level_ >= 1;
    for (Draft& one : drafts) finish(one);
  }

  // `family`: of the changes that the section is sorted by. `rest`: of the others.
  Draft draft(Kind kind, size_t family, size_t rest) {
    Draft out;
    out.section.kind = kind;
    out.section.by_self = by_self(kind);
    for (uint32_t number = 0; number < profile_.size(kind); ++number) {
      if (!occurs(kind, number)) continue;
      Row& row = out.section.rows.emplace_back();
      row.name = profile_.name(kind, number);
      if (kind == Kind::device) row.order = device_row_order(row.name);
      if (report_.two_sides)
        out.places.push_back(add_row(kind, number, family, rest));
      else
        row.cost = profile_.cost(kind, number, 0);
    }
    if (kind == Kind::finding && has_gains()) add_gains(out.section);
    if (kind == Kind::launch && !report_.two_sides) add_launches(out.section);
    if (kind == Kind::rank && !report_.two_sides) add_straggler(out.section);
    return out;
  }

  void add_straggler(Section& section) const {
    const auto found = profile_.rank_work().straggler(sides_.sample(1));
    if (!found) return;
    Straggler& out = section.straggler.emplace();
    out.rank = profile_.name(Kind::rank, found->rank);
    out.times = found->times;
    if (found->place != RankWork::kNone) out.place = profile_.frame_text(found->place);
    if (found->reason != RankWork::kNone) out.reason = profile_.frame_text(found->reason);
    out.more = found->more;
  }

  // Of a difference it is not known which side a line tells of.
  bool has_launches() const { return !report_.two_sides && !profile_.launches().empty(); }

  void add_launches(Section& section) const {
    for (LaunchFact& launch : profile_.launches().all()) {
      Row& row = section.rows.emplace_back();
      row.name = without_annotation(launch.kernel);
      row.cost.self = row.cost.total = launch.launches;
      row.launch = std::move(launch);
    }
  }

  // The rows are those of all findings, in their order.
  void add_gains(Section& section) const {
    std::vector<KernelReason> all;
    for (uint32_t number = 0; number < profile_.size(Kind::finding); ++number) {
      const Profile::Finding parts = profile_.finding(number);
      Row& row = section.rows[number];
      row.number = number;
      row.kernel = profile_.name(Kind::kernel, parts.kernel);
      row.reason = profile_.name(Kind::reason, parts.reason);
      all.push_back({parts.kernel, row.reason, row.cost.total, row.cost.self});
    }
    const StallFindings stalls = find_stalls(all);
    section.exposed = profile_.tells_exposed() || stalls.exposed;
    for (const StallFinding& finding : stalls.found) {
      section.rows[finding.index].share = finding.share;
      section.rows[finding.index].gain = finding.gain;
    }
    std::erase_if(section.rows, [](const Row& row) { return !row.gain; });
  }

  // Of the rows that are shown.
  void add_evidence(Section& section) const {
    std::map<uint32_t, Row*> rows;
    for (Row& row : section.rows)
      if (row.gain) rows[row.number] = &row;
    for (size_t place = 0; place < profile_.finding_places(); ++place) {
      const Profile::FindingPlace parts = profile_.finding_place(place);
      const auto row = rows.find(parts.finding);
      if (row == rows.end()) continue;
      row->second->evidence.push_back(
          {profile_.frame_text(parts.line), profile_.frame_text(parts.mnemonic),
           profile_.frame_text(parts.offset), profile_.finding_place_count(place)});
    }
    for (Row& row : section.rows) {
      std::sort(row.evidence.begin(), row.evidence.end());
      if (row.evidence.size() > kMaxEvidence) row.evidence.resize(kMaxEvidence);
    }
  }

  std::pair<Place, Place> add_row(Kind kind, uint32_t number, size_t family, size_t rest) {
    const bool self = by_self(kind);
    Place shown;
    const auto first = kernels_.find(number);
    if (kind == Kind::kernel && first != kernels_.end()) {
      shown = first->second;
    } else {
      if (const std::optional<uint32_t> kernel = profile_.kernel_of(kind, number))
        if (const auto inside = inside_.find(*kernel); inside != inside_.end())
          family = inside->second;
      shown = add(family, sides_.thing(kind, number, self));
    }
    bool same = true;
    for (size_t run = 0; run < runs().size(); ++run) {
      const Cost cost = profile_.cost(kind, number, run);
      same = same && cost.self == cost.total;
    }
    const Place other = same ? shown : add(rest, sides_.thing(kind, number, !self));
    return self ? std::pair(other, shown) : std::pair(shown, other);
  }

  void finish(Draft& draft) {
    Section& section = draft.section;
    std::vector<Row>& rows = section.rows;
    for (size_t i = 0; i < draft.places.size(); ++i) {
      rows[i].total = change(draft.places[i].first);
      rows[i].self = change(draft.places[i].second);
    }
    auto end = rows.end();
    if (settings_.top > 0) {
      // rows without the cost that the section is sorted by are not worth a line
      end = std::partition(rows.begin(), rows.end(), [&](const Row& row) {
        if (section.kind == Kind::rank) return true;  // one that only waits is worth a line
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
    if (section.kind == Kind::finding) add_evidence(section);
    report_.sections.push_back(std::move(section));
  }

  // The conditions on changes are a family of their own.
  void judge() {
    ComparisonFamily family(level_);
    std::vector<Difference> differences;
    size_t pattern = 0;
    for (const Condition& condition : settings_.fail_on) {
      Verdict verdict;
      verdict.condition = condition;
      differences.push_back(subject(condition, pattern, verdict.trouble));
      if (condition.change) family.add(differences.back());
      report_.verdicts.push_back(std::move(verdict));
    }
    family.decide();
    size_t number = 0;
    for (size_t i = 0; i < differences.size(); ++i) {
      Verdict& verdict = report_.verdicts[i];
      if (verdict.condition.change)
        verdict.value = family.change(number++);
      else if (report_.two_sides)
        verdict.value = Comparison(1 - level_).interval(differences[i]);
      else
        verdict.value.after = differences[i].after;
      verdict.failed =
          !verdict.trouble.empty() || holds(verdict.condition, verdict.value, report_.change.after);
    }
  }

  // What a condition is about. `trouble`: why it cannot be judged.
  Difference subject(const Condition& condition, size_t& pattern, std::string& trouble) const {
    trouble = empty_input();
    switch (condition.subject) {
      case Condition::Subject::total:
        break;
      case Condition::Subject::pattern: {
        const size_t place = pattern++;
        bool known = settings_.allow_missing;
        for (const Profile::Run& run : runs()) known = known || run.matched[place] > 0;
        if (!known && trouble.empty()) trouble = "no frame matches" + where();
        return sides_.pattern(place);
      }
      case Condition::Subject::thing: {
        uint32_t number = 0;
        const bool known =
            profile_.find(condition.kind, condition.name, number) && occurs(condition.kind, number);
        if (known) return sides_.thing(condition.kind, number, false);
        const std::vector<std::string> several = condition.kind == Kind::kernel
                                                     ? profile_.kernels_of_name(condition.name)
                                                     : std::vector<std::string>();
        if (!trouble.empty()) return {};
        if (!several.empty())
          trouble = "kernels of several files have this name; name one: kernel:" + several.front();
        else if (!settings_.allow_missing)
          trouble = std::string("no such ") + kind_name(condition.kind) + where();
        return {};
      }
    }
    return sides_.whole();
  }

  std::string where() const { return report_.two_sides ? " on either side" : " in the input"; }

  // A sentence if a file or a side of a difference has no counts: it cannot be compared.
  std::string empty_input() const {
    if (!profile_.empty_inputs().empty())
      return "'" + profile_.empty_inputs().front() + "' has no counts";
    for (size_t run = 0; run < runs().size(); ++run)
      if (runs()[run].total == 0)
        return std::string("the side ") + (sides_.side_of(run) == 0 ? "before" : "after") +
               " has no counts";
    return {};
  }

  const Profile& profile_;
  const ReportSettings& settings_;
  const Sides sides_;
  double level_;                            // the chance of a false alarm
  std::vector<ComparisonFamily> families_;  // the first one is that of the whole and the kernels
  std::map<uint32_t, Place> kernels_;       // in the first family
  std::map<uint32_t, size_t> inside_;       // the families of what runs in a kernel that was found
  Report report_;
};

}  // namespace

Report make_report(const Profile& profile, const ReportSettings& settings) {
  return Maker(profile, settings).make();
}

}  // namespace aiflame::report
