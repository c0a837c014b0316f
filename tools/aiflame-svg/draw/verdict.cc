// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcommon/base/program.h"
#include "libcommon/findings/stall_findings.h"
#include "libcommon/folded/folded.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/colour/layer.h"
#include "tools/aiflame-svg/draw/geometry.h"
#include "tools/aiflame-svg/sums/function_sum.h"
#include "tools/aiflame-svg/sums/idle_sum.h"
#include "tools/aiflame-svg/sums/kernel_sums.h"
#include "tools/aiflame-svg/text/svg_number.h"

namespace aiflame::svg {
namespace {

constexpr size_t kMostLeads = 3;
constexpr double kBarHeight = 20;
constexpr double kLaunchersPart = 0.4;  // of the room for names
constexpr double kLeastShown = 0.0005;  // of all: a kind with less is no part of the bar
constexpr double kAllOf = 0.995;        // a launcher with so much of a kernel has all of it

// By category, in their order: as kReasonKinds in page/reasons.js.
constexpr std::array<const char*, StallReason::kCategories> kWords = {"waits for memory",
                                                                      "waits for a result",
                                                                      "waits for others",
                                                                      "waits for instructions",
                                                                      "pipe busy",
                                                                      "issues work",
                                                                      "other"};
constexpr const char* kHiddenWords = "ready, others ran";

std::string percent(double share) {
  const double value = 100 * share;
  return format(value < 9.95 ? "%.1f%%" : "%.0f%%", value);
}

std::vector<Verdict::Kind> kinds_of(const ReasonSums& sums, double all) {
  std::vector<Verdict::Kind> out;
  const auto add = [&](const char* name, const char* words, StallReason::Category category,
                       uint64_t count) {
    const double share = static_cast<double>(count) / all;
    if (share >= kLeastShown) out.push_back({name, words, reason_colour(category), share});
  };
  for (size_t i = 0; i < StallReason::kCategories; ++i) {
    const auto category = static_cast<StallReason::Category>(i);
    const bool is_other = category == StallReason::Category::other;
    add(category_name(category), kWords[i], category, sums.of[i] - (is_other ? sums.hidden : 0));
  }
  add("hidden", kHiddenWords, StallReason::Category::other, sums.hidden);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return out;
}

bool is_costly(const StallReason* reason) {
  return reason == nullptr ||
         (reason->category != StallReason::Category::issuing && !is_always_hidden(*reason));
}

// " (75% of it)", after one who is behind a part of the costliest.
std::string part_text(uint64_t part, uint64_t costliest) {
  const double share = static_cast<double>(part) / static_cast<double>(costliest);
  return share < kAllOf ? " (" + percent(share) + " of it)" : "";
}

double all_of(const FlameTree& tree, const Drawing& drawing) {
  return static_cast<double>(std::max({drawing.total, tree.total(FlameTree::kRoot), uint64_t{1}}));
}

std::string takes(uint64_t count, double all, const Drawing& drawing) {
  return " takes " + percent(static_cast<double>(count) / all) + " of the " +
         (drawing.quantity.is_time() ? "time" : drawing.count_name);
}

class Maker {
 public:
  Maker(const FlameTree& tree, const ReasonNames& reasons, const Drawing& drawing)
      : tree_(tree), reasons_(reasons), drawing_(drawing), kernels_(sum_kernels(tree, reasons)) {}

  Verdict make() const {
    Verdict out;
    if (kernels_.empty()) return out;
    const KernelSum& most = kernels_.front();
    const double all = all_of(tree_, drawing_);
    out.kinds = kinds_of(drawing_.reasons, all);
    out.costliest = tree_.names()[most.kernel];
    out.is_kernel = true;
    out.idle = idle(most.total, all);
    out.takes = takes(most.total, all, drawing_);
    out.why = why(most);
    if (!most.launchers.empty()) {
      const auto& [name, count] = most.launchers.front();
      out.launcher = tree_.names()[name];
      out.launched = part_text(count, most.total);
    }
    out.leads = leads();
    return out;
  }

 private:
  const StallReason* known(uint32_t name) const {
    const auto found = reasons_.find(tree_.names()[name]);
    return found == reasons_.end() ? nullptr : found->second;
  }

  // "Idle 86% of the time (host busy 63%); ", if the costliest kernel takes less.
  std::string idle(uint64_t costliest, double all) const {
    const IdleSum sum = sum_idle(tree_);
    if (sum.total <= costliest) return "";
    const auto share = [all](uint64_t count) { return percent(static_cast<double>(count) / all); };
    std::string cause;
    if (sum.of_cause > 0) {
      std::string_view name = tree_.names()[sum.cause];
      if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
      cause = " (" + std::string(name) + " " + share(sum.of_cause) + ")";
    }
    return "Idle " + share(sum.total) + " of the time" + cause + "; ";
  }

  // ": waits for memory 24% (most of it short_scoreboard)": the kind of stall with most samples.
  std::string why(const KernelSum& kernel) const {
    std::array<uint64_t, StallReason::kCategories> of{};
    std::array<uint32_t, StallReason::kCategories> first{};
    for (const auto& [name, count] : kernel.reasons) {
      if (!is_costly(known(name))) continue;
      const auto category = static_cast<size_t>(category_of(known(name)));
      if (of[category] == 0) first[category] = name;  // they come by count
      of[category] += count;
    }
    const size_t most = static_cast<size_t>(std::max_element(of.begin(), of.end()) - of.begin());
    if (of[most] == 0) return "";
    return std::string(": ") + kWords[most] + " in " +
           percent(static_cast<double>(of[most]) / static_cast<double>(kernel.total)) +
           " of them (" + std::string(without_annotation(tree_.names()[first[most]])) + ")";
  }

  std::vector<Verdict::Lead> leads() const {
    std::vector<KernelReason> all;
    std::vector<std::pair<uint32_t, uint32_t>> names;  // of kernel and reason
    for (const KernelSum& kernel : kernels_)
      for (const auto& [reason, count] : kernel.reasons) {
        all.push_back({kernel.kernel, without_annotation(tree_.names()[reason]), count, count});
        names.emplace_back(kernel.kernel, reason);
      }
    std::vector<StallFinding> found = find_stalls(all).found;
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
      return all[a.index].stalls > all[b.index].stalls;
    });
    found.resize(std::min(found.size(), kMostLeads));
    std::vector<Verdict::Lead> out;
    for (const StallFinding& one : found) {
      if (!std::isfinite(one.gain.removed) || !std::isfinite(one.gain.whole)) continue;
      const auto [kernel, reason] = names[one.index];
      out.push_back({std::string(tree_.names()[kernel]), std::string(tree_.names()[reason]),
                     "at most " + times_text(one.gain.removed) + " times faster, all kernels " +
                         times_text(one.gain.whole)});
    }
    return out;
  }

  const FlameTree& tree_;
  const ReasonNames& reasons_;
  const Drawing& drawing_;
  std::vector<KernelSum> kernels_;
};

Verdict function_verdict(const FlameTree& tree, const Drawing& drawing) {
  Verdict out;
  const auto sum = costliest_function(tree);
  if (!sum) return out;
  out.costliest = tree.names()[sum->function.name];
  out.takes = takes(sum->function.count, all_of(tree, drawing), drawing) + " itself";
  if (sum->caller) {
    out.launcher = tree.names()[sum->caller->name];
    out.launched = part_text(sum->caller->count, sum->function.count);
  }
  return out;
}

// The name as it is shown, in `room` pixels. Kernels of one template differ in its arguments alone.
std::string brief(std::string_view name, double room, const Font& font) {
  const std::string_view shown = without_annotation(name);
  const std::string form = fitting_form(shown, room, font);
  return form.find("<…>") == std::string::npos ? form : cut_middle(shown, room, font);
}

class Writer {
 public:
  Writer(const Verdict& verdict, const Drawing& drawing)
      : verdict_(verdict), font_(drawing.font), width_(static_cast<double>(drawing.width)) {}

  std::string bar(double top) const {
    std::string out;
    const double all = width_ - 2 * kSidePad;
    double left = kSidePad;
    for (const Verdict::Kind& kind : verdict_.kinds) {
      const double width = all * kind.share;
      out += "<g data-kind=\"" + kind.name + "\" data-share=\"" + number(100 * kind.share) +
             "\"><title>" + percent(kind.share) + " " + kind.words + "</title><rect x=\"" +
             number(left, 1) + "\" y=\"" + number(top) + "\" width=\"" + number(width, 1) +
             "\" height=\"" + number(kBarHeight) + "\" fill=\"" + rgb(kind.colour) + "\"/>";
      Font bold = font_;
      bold.width *= 1.15;
      std::string text = percent(kind.share) + " " + kind.words;
      if (text_width(text, bold) > width - 8) text = percent(kind.share);
      if (text_width(text, bold) <= width - 8)
        out += "<text fill=\"rgb(255,255,255)\" x=\"" + number(left + 4, 1) + "\" y=\"" +
               number(top + kBarHeight / 2 + font_.size / 3, 1) + "\">" + text + "</text>";
      out += "</g>\n";
      left += width;
    }
    return out;
  }

  // The names have room for as much as the other words leave.
  std::string sentence(double y) const {
    const std::string by = verdict_.launcher.empty() ? ""
                           : verdict_.is_kernel      ? "; launched by "
                                                     : "; called by ";
    const std::string words =
        verdict_.idle + verdict_.takes + verdict_.why + by + verdict_.launched;
    const double free = width_ - 2 * kSidePad - 1.1 * text_width(words, font_);
    // the launcher's is the shorter one as a rule
    const std::string launcher =
        by.empty() ? "" : name("launcher", verdict_.launcher, kLaunchersPart * free);
    const double left =
        by.empty()
            ? free
            : free - text_width(brief(verdict_.launcher, kLaunchersPart * free, font_), font_);
    return line("says", y) + xml(verdict_.idle) +
           name(verdict_.is_kernel ? "kernel" : "function", verdict_.costliest, left) +
           xml(verdict_.takes + verdict_.why + by) + launcher + xml(verdict_.launched) +
           "</text>\n";
  }

  std::string lead(const Verdict::Lead& lead, double y) const {
    const std::string in = " in ", text = ": " + lead.text;
    const double free = width_ - 2 * kSidePad - 1.1 * text_width(in + text, font_);
    return line("lead", y) + name("reason", lead.reason, 0.3 * free) + in +
           name("kernel", lead.kernel, 0.7 * free) + xml(text) + "</text>\n";
  }

 private:
  static std::string line(const char* name, double y) {
    return std::string("<text class=\"") + name + "\" x=\"" + number(kSidePad) + "\" y=\"" +
           number(y, 1) + "\">";
  }
  std::string name(const char* what, const std::string& name, double room) const {
    return std::string("<tspan class=\"") + what + "\" data-name=\"" + xml(name) + "\">" +
           xml(brief(name, std::max(room, 10 * font_.size), font_)) + "</tspan>";
  }

  const Verdict& verdict_;
  const Font& font_;
  double width_;
};

double line_height(const Font& font) {
  return 1.5 * font.size;
}

}  // namespace

Verdict make_verdict(const FlameTree& tree, const ReasonNames& reasons, const Drawing& drawing) {
  if (drawing.classic || tree.differential() || drawing.reversed) return {};
  return drawing.ai ? Maker(tree, reasons, drawing).make() : function_verdict(tree, drawing);
}

double verdict_height(const Verdict& verdict, const Drawing& drawing) {
  // text without a header is drawn in the layout of flamegraph.pl
  if (verdict.is_empty() || !drawing.quantity.is_known()) return 0;
  const double lines = 1 + static_cast<double>(verdict.leads.size());
  return (verdict.kinds.empty() ? 0 : kBarHeight + 2) + lines * line_height(drawing.font) + 6;
}

std::string verdict_svg(const Verdict& verdict, const Drawing& drawing, double top) {
  if (verdict.is_empty()) return "";
  const bool shown = verdict_height(verdict, drawing) > 0;
  const Writer writer(verdict, drawing);
  std::string out =
      shown ? "<g id=\"verdict\">\n" : "<g id=\"verdict\" class=\"hide\" display=\"none\">\n";
  out += writer.bar(top);
  double y = top + (verdict.kinds.empty() ? 0 : kBarHeight + 2) + drawing.font.size;
  out += writer.sentence(y);
  for (const Verdict::Lead& lead : verdict.leads)
    out += writer.lead(lead, y += line_height(drawing.font));
  return out + "</g>\n";
}

}  // namespace aiflame::svg
