// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/report_text.h"

#include <algorithm>
#include <cmath>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/code/stall_reasons.h"
#include "libcommon/folded/quantity.h"
#include "libcommon/folded/unit_scale.h"
#include "libcommon/timeline/idle_causes.h"
#include "tools/aiflame-report/text_columns.h"

namespace aiflame::report {
namespace {

// Hints are wrapped here when no width is given.
constexpr size_t kHintWidth = 100;

// "1,234.5": with one decimal, if a double of this size is precise enough.
std::string number_text(double value) {
  const double size = std::fabs(value);
  // below this a double holds tenths exactly enough
  constexpr double kExact = 9e14;
  const bool decimal = size < kExact;
  const auto whole = static_cast<uint64_t>(std::min(decimal ? size * 10 + 0.5 : size, 1.8e19));
  const std::string text = format_count_with_commas(whole, decimal ? 1 : 0);
  return value < 0 && whole > 0 ? "-" + text : text;
}

// Whether counts are shown with their unit, in the one that fits: times, and energy.
bool is_scaled(const Quantity& quantity) {
  return unit_scale(quantity.unit).has_value();
}

// A count as a cell: in the unit that fits it, otherwise a number.
std::string count_text(double value, const Quantity& quantity) {
  if (!is_scaled(quantity)) return number_text(value);
  // a larger double does not fit 64 bits
  const auto whole = static_cast<uint64_t>(std::min(std::fabs(value) + 0.5, 1.8e19));
  return (value < 0 && whole > 0 ? "-" : "") + format_quantity(whole, 0, quantity.unit);
}

std::string signed_text(double value, const Quantity& quantity) {
  return (value >= (is_scaled(quantity) ? 0.5 : 0.05) ? "+" : "") + count_text(value, quantity);
}

// A count with its unit, in a sentence.
std::string with_unit(const std::string& count, const Quantity& quantity) {
  const bool shown = is_scaled(quantity) || !quantity.is_known();
  return shown ? count : count + " " + quantity.unit;
}

std::string percent_text(double part, double whole) {
  return whole > 0 ? format("%.2f%%", 100 * part / whole) : "-";
}

std::string change_percent(const Change& change) {
  if (change.before > 0) return format("%+.1f%%", 100 * change.change() / change.before);
  return change.after > 0 ? "new" : "-";
}

std::string runs_text(size_t runs) {
  return runs > 1 ? format(", mean of %zu runs", runs) : "";
}

const char* title(Kind kind) {
  switch (kind) {
    case Kind::reason:
      return "Stall reasons";
    case Kind::kernel:
      return "Kernels";
    case Kind::framework_operator:
      return "Operators";
    case Kind::module_class:
      return "Modules";
    case Kind::function:
      return "Functions";
    case Kind::line:
      return "Source lines";
    case Kind::instruction:
      return "Instructions";
    case Kind::frame:
      return "Frames";
    case Kind::finding:
      return "What a fix could gain, at most";
    case Kind::launch:
      return "Launches";
    case Kind::rank:
      return "Ranks";
    case Kind::device:
      return "Time of the device";
    case Kind::idle:
      return "While the device was idle";
    case Kind::memory:
      return "Memory";
  }
  return "";
}

// Whether self and total may differ. A thing that is always the last of its kind in a stack has
// only a total.
bool has_self(Kind kind) {
  return kind != Kind::memory && kind != Kind::reason && kind != Kind::line &&
         kind != Kind::instruction;
}

// "5.73x": how many times faster.
std::string gain_text(double times) {
  return std::isfinite(times) ? times_text(times) + "x" : "no limit";
}

// Whether the rows are findings with bounds, which are no rows of counts.
bool has_gains(const Section& section) {
  return section.kind == Kind::finding && section.rows.front().gain.has_value();
}

class Writer {
 public:
  Writer(const Report& report, const ReportSettings& settings)
      : report_(report), settings_(settings) {}

  std::string all() {
    report_.two_sides ? head_of_two() : head_of_one();
    for (const Section& section : report_.sections)
      if (!section.rows.empty()) add(section);
    return std::move(out_);
  }

 private:
  void head_of_one() {
    out_ += "# total: " + with_unit(exact(report_.total), report_.quantity) + " in " +
            format_count_with_commas(report_.stacks[1], 0) + " lines\n";
    add_quantity();
    add_notes();
  }

  void head_of_two() {
    const Change& change = report_.change;
    const auto side = [&](const char* name, double mean, int i) {
      out_ += format("# %s: %s%s\n", name, with_unit(text(mean), report_.quantity).c_str(),
                     runs_text(report_.runs[i]).c_str());
    };
    side("before", change.before, 0);
    side("after", change.after, 1);
    out_ += "# change: " + with_sign(change.change()) + " (" + change_percent(change) + ")" +
            (!change.is_noise_known()
                 ? ", no noise known\n"
                 : ", interval " + with_sign(change.low) + " to " + with_sign(change.high) +
                       (change.beyond_noise() ? "\n" : ": may be noise\n"));
    add_quantity();
    if (report_.shares) out_ += "# compared: shares of all, in points (pt)\n";
    add_noise();
    if (!report_.knows_noise) return;
    out_ += format("# From, To: intervals of %g%% confidence, for all %zu comparisons together\n",
                   settings_.confidence, report_.comparisons);
    out_ += report_.sampled ? "# ~: within noise\n" : "# ~: within noise; ?: no noise known\n";
  }

  void add_notes() {
    for (const std::string& note : report_.notes) out_ += "# note: " + note + "\n";
  }

  // What the counts are, where their unit does not say all of it.
  void add_quantity() {
    if (report_.quantity.is_known()) out_ += "# counts: " + describe(report_.quantity) + "\n";
  }

  void add_noise() {
    const size_t before = report_.runs[0], after = report_.runs[1];
    if (report_.exact && before == 1 && after == 1) {
      out_ += "# noise: none, since bytes are counted and not sampled\n";
      return;
    }
    if (!report_.sampled) return add_noise_of_measured();
    if (before > 1 && after > 1) {
      out_ += "# noise: as the runs differ (Welch), at least that of counting samples\n";
      return;
    }
    const std::string samples = "; one sample counts " + text(report_.sample[0]) + " before, " +
                                text(report_.sample[1]) + " after\n";
    if (before > 1 || after > 1) {
      out_ += "# noise: as the several runs differ, at least that of counting samples" + samples;
      return;
    }
    // of the total by itself, while its interval above is judged with all others
    const std::string plain = format("plain %g%% +-", settings_.confidence);
    out_ +=
        "# noise: of counting samples (Poisson), " + plain + text(report_.counting_reach) + samples;
    if (report_.blocks_reach > 0)
      out_ += format("# noise: of %zu and %zu blocks of time within the runs, %s%s\n",
                     report_.blocks[0], report_.blocks[1], plain.c_str(),
                     text(report_.blocks_reach).c_str());
    out_ += "# noise: what differs between runs is not seen; record several of each side\n";
  }

  // Nothing is known but what runs or blocks show.
  void add_noise_of_measured() {
    const size_t before = report_.runs[0], after = report_.runs[1];
    if (!report_.knows_noise && before + after > 2) {
      out_ += "# noise: the runs are equal to the last count: no noise known\n";
      return;
    }
    if (before > 1 && after > 1) {
      out_ += "# noise: as the runs differ (Welch)\n";
      return;
    }
    if (before > 1 || after > 1) {
      out_ += "# noise: as the several runs differ\n";
      return;
    }
    if (report_.knows_noise) {
      out_ += format("# noise: of %zu and %zu blocks of time or steps within the runs",
                     report_.blocks[0], report_.blocks[1]);
      if (report_.blocks_reach > 0)
        out_ +=
            format(", plain %g%% +-%s", settings_.confidence, text(report_.blocks_reach).c_str());
      out_ += "\n# noise: what differs between runs is not seen; record several of each side\n";
      return;
    }
    out_ +=
        report_.quantity.measured
            ? "# noise: one measurement each: no noise known; record several runs of each side\n"
            : "# noise: the input does not say whether its counts were sampled: no noise known\n";
  }

  std::string text(double value) const { return count_text(value, report_.quantity); }
  std::string with_sign(double value) const { return signed_text(value, report_.quantity); }

  std::string exact(uint64_t count) const {
    if (is_scaled(report_.quantity))
      return format_quantity(count, report_.decimals, report_.quantity.unit);
    return format_count_with_commas(count, report_.decimals);
  }

  void add(const Section& section) {
    out_ += format("\n# %s", title(section.kind));
    if (section.kind == Kind::launch) {
      explain_launches();
    } else if (has_gains(section)) {
      explain_gains(section);
    } else if (section.kind == Kind::rank) {
      explain_ranks(section);
    } else if (section.kind == Kind::device) {
      explain_device();
    } else if (section.kind == Kind::memory) {
      explain_memory();
    } else {
      if (report_.two_sides)
        out_ += section.by_self ? ", change of self" : ", change of total";
      else if (has_self(section.kind))
        out_ += section.by_self ? ", by self" : ", by total";
      out_ += "\n";
    }
    TextColumns columns;
    heading(section, columns);
    for (const Row& row : section.rows) {
      columns.begin_row();
      report_.two_sides ? cells_of_two(section, row, columns) : cells_of_one(section, row, columns);
      columns.last(row.name);
      if (section.kind == Kind::reason)
        if (const StallReason* reason = find_stall_reason(row.name))
          columns.note(std::string(reason->meaning) + (*reason->advice != '\0' ? " " : "") +
                       reason->advice);
      if (section.kind == Kind::device)
        if (const auto cause = find_idle_cause(row.name))
          columns.note(std::string(meaning_of(*cause)) + " " + std::string(advice_against(*cause)));
    }
    columns.append_to(out_, settings_.width, settings_.width > 0 ? settings_.width : kHintWidth);
    if (section.left_out > 0) out_ += format("# %zu more; --top 0 for all\n", section.left_out);
  }

  void explain_gains(const Section& section) {
    out_ +=
        ": times faster\n"
        "# Of all: these stalls, in percent of all samples\n"
        "# Removed: the kernel without these stalls\n"
        "# Overlap: the kernel, if its own work hides them\n"
        "# Whole: all kernels together, with them removed\n";
    out_ += section.exposed ? "# counted: exposed stalls, which nothing else hid\n"
                            : "# which of them are hidden, and cost nothing, is not known\n";
  }

  void explain_ranks(const Section& section) {
    out_ += report_.two_sides ? ", change of work\n" : ", by work\n";
    out_ += "# Work: all but communication, in which ranks wait for each other\n";
    if (report_.two_sides) return;
    if (!section.straggler) {
      out_ += "# straggler: none\n";
      return;
    }
    const Straggler& one = *section.straggler;
    out_ += "# straggler: rank " + one.rank + ", " + gain_text(one.times) +
            " the work of the others' median";
    if (!one.place.empty())
      out_ += "; " + with_unit(with_sign(one.more), report_.quantity) + " in " + one.place +
              (one.reason.empty() ? "" : ", mostly " + one.reason);
    out_ += "\n";
  }

  void explain_device() {
    out_ += report_.two_sides ? ", change of total\n" : "\n";
    out_ += "# Hidden: communication and copies that ran beside other work\n";
  }

  void explain_memory() {
    out_ += report_.two_sides ? ", change\n" : ", by who holds it, and what becomes of it\n";
    out_ +=
        "# held over: from the step before; freed soon: within 10 ms; not freed: up to the end\n";
  }

  void explain_launches() {
    out_ +=
        ", by kernel and size\n"
        "# Local: bytes of local (shared) memory of a work-group; Scratch: of memory of a thread\n"
        "# Full: percent of the threads that the device holds, at most; an estimate\n";
  }

  void heading(const Section& section, TextColumns& columns) const {
    columns.begin_row();
    if (section.kind == Kind::launch) {
      for (const char* name : {"Launches", "Work-items", "Group", "Registers", "Local", "Scratch",
                               "Spills", "Full", "Limit"})
        columns.cell(name);
    } else if (has_gains(section)) {
      for (const char* name : {"Stalls", "Of all", "Removed", "Overlap", "Whole"})
        columns.cell(name);
    } else if (report_.two_sides) {
      for (const char* name : {"Before", "After", "Change", report_.shares ? "Share" : "%"})
        columns.cell(name);
      if (report_.knows_noise)
        for (const char* name : {"From", "To", ""}) columns.cell(name);
    } else {
      const bool of_device = section.kind == Kind::device;
      if (has_self(section.kind)) {
        columns.cell(of_device ? "Exposed" : section.kind == Kind::rank ? "Work" : "Self");
        columns.cell("%");
      }
      columns.cell(of_device ? "Hidden" : "Total");
      columns.cell("%");
    }
    std::string name = section.kind == Kind::launch ? kind_name(Kind::kernel)
                       : section.kind == Kind::idle ? kind_name(Kind::function)
                                                    : kind_name(section.kind);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    columns.last(name);
  }

  void cells_of_gain(const Row& row, TextColumns& columns) const {
    columns.cell(exact(row.cost.self));
    columns.cell(
        percent_text(static_cast<double>(row.cost.self), static_cast<double>(report_.total)));
    columns.cell(gain_text(row.gain->removed));
    columns.cell(row.gain->overlapped ? gain_text(*row.gain->overlapped) : "-");
    columns.cell(gain_text(row.gain->whole));
  }

  static void cells_of_launch(const LaunchFact& launch, TextColumns& columns) {
    const auto known = [](const std::optional<uint64_t>& number) {
      return number ? format_count_with_commas(*number, 0) : "-";
    };
    const LaunchSize& size = launch.size;
    columns.cell(format_count_with_commas(launch.launches, 0));
    if (launch.other_sizes > 0)
      columns.cell(format_count_with_commas(launch.other_sizes, 0) + " others");
    else
      columns.cell(size.items[0] == 0 ? "-" : extent_text(size.items));
    columns.cell(size.group[0] == 0 ? "-" : extent_text(size.group));
    columns.cell(known(launch.code.registers));
    columns.cell(known(launch.local()));
    columns.cell(known(launch.code.scratch));
    columns.cell(known(launch.code.spills));
    columns.cell(launch.occupancy ? std::to_string(*launch.occupancy) + "%" : "-");
    columns.cell(launch.limit.empty() ? "-" : launch.limit);
  }

  void cells_of_one(const Section& section, const Row& row, TextColumns& columns) const {
    if (section.kind == Kind::launch) return cells_of_launch(row.launch, columns);
    if (row.gain) return cells_of_gain(row, columns);
    const auto add = [&](uint64_t count) {
      columns.cell(exact(count));
      columns.cell(percent_text(static_cast<double>(count), static_cast<double>(report_.total)));
    };
    if (has_self(section.kind)) add(row.cost.self);
    add(section.kind == Kind::device ? row.cost.total - row.cost.self : row.cost.total);
  }

  void cells_of_two(const Section& section, const Row& row, TextColumns& columns) const {
    const Change& change = section.by_self ? row.self : row.total;
    columns.cell(text(change.before));
    columns.cell(text(change.after));
    columns.cell(with_sign(change.change()));
    columns.cell(report_.shares ? points(change) : change_percent(change));
    if (!report_.knows_noise) return;
    const bool known = change.is_noise_known();
    columns.cell(known ? with_sign(change.low) : "-");
    columns.cell(known ? with_sign(change.high) : "-");
    columns.cell(!known ? "?" : change.beyond_noise() ? "" : "~");
  }

  // "+33.3 pt": of all.
  std::string points(const Change& change) const {
    const double all = report_.change.after;
    return all > 0 ? format("%+.1f pt", 100 * change.change() / all) : "-";
  }

  const Report& report_;
  const ReportSettings& settings_;
  std::string out_;
};

}  // namespace

std::string report_text(const Report& report, const ReportSettings& settings) {
  return Writer(report, settings).all();
}

std::string verdict_text(const Verdict& verdict, const Report& report,
                         const ReportSettings& settings) {
  const Change& value = verdict.value;
  std::string out = verdict.condition.text + ": ";
  const auto text = [&](double count) { return count_text(count, report.quantity); };
  const auto with_sign = [&](double count) { return signed_text(count, report.quantity); };
  if (!verdict.trouble.empty())
    out += verdict.trouble;
  else if (verdict.condition.change)
    out += text(value.before) + " -> " + text(value.after) + ", " + with_sign(value.change()) +
           " (" + change_percent(value) + "), " +
           (value.is_noise_known() ? format("%g%% interval ", settings.confidence) +
                                         with_sign(value.low) + " to " + with_sign(value.high)
                                   : "no noise known");
  else
    out += text(value.after) + " of " + text(report.change.after) + " (" +
           percent_text(value.after, report.change.after) + ")";
  return out;
}

}  // namespace aiflame::report
