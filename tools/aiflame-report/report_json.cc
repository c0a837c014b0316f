// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/report_json.h"

#include <cmath>
#include <cstdlib>

#include "libcommon/base/json.h"
#include "libcommon/base/program.h"
#include "libcommon/code/stall_reasons.h"
#include "libcommon/timeline/idle_causes.h"

namespace aiflame::report {
namespace {

const char* boolean(bool value) {
  return value ? "true" : "false";
}

class Writer {
 public:
  Writer(const Report& report, const ReportSettings& settings)
      : report_(report), settings_(settings) {}

  std::string text() {
    out_ = "{\n  \"aiflame_report\": 1,\n";
    quantity();
    if (report_.two_sides) {
      out_ += "  \"confidence\": " + json_number(settings_.confidence) + ",\n";
      out_ += format("  \"comparisons\": %zu,\n", report_.comparisons);
      side("before", 0);
      side("after", 1);
      if (report_.runs[0] == 1 && report_.runs[1] == 1)
        out_ += "  \"noise\": {\"counting\": " + reach(report_.counting_reach) +
                ", \"blocks\": " + reach(report_.blocks_reach) + "},\n";
      out_ += "  \"total\": " + change(report_.change) + ",\n";
    } else {
      out_ += format("  \"lines\": %llu,\n", static_cast<unsigned long long>(report_.stacks[1]));
      out_ += "  \"total\": " + format_count(report_.total, report_.decimals) + ",\n";
    }
    out_ += "  \"sections\": [";
    for (const Section& one : report_.sections) section(one, &one == report_.sections.data());
    out_ += "\n  ],\n  \"conditions\": [";
    for (const Verdict& one : report_.verdicts) {
      out_ += &one == report_.verdicts.data() ? "\n" : ",\n";
      out_ += "    {\"condition\": " + json_string(one.condition.text) +
              ", \"failed\": " + boolean(one.failed) + ", \"value\": " +
              (report_.two_sides ? change(one.value) : json_number(one.value.after)) +
              (one.trouble.empty() ? "" : ", \"trouble\": " + json_string(one.trouble)) + "}";
    }
    out_ += report_.verdicts.empty() ? "]\n}\n" : "\n  ]\n}\n";
    return std::move(out_);
  }

 private:
  static std::string reach(double value) { return value > 0 ? json_number(value) : "null"; }

  // Members that are not known are left out.
  void quantity() {
    const Quantity& what = report_.quantity;
    if (!what.event.empty()) out_ += "  \"event\": " + json_string(what.event) + ",\n";
    if (what.is_known()) out_ += "  \"unit\": " + json_string(what.unit) + ",\n";
    if (what.measured) out_ += "  \"weights\": \"measured\",\n";
    if (what.period > 0)
      out_ += "  \"period\": " + std::to_string(what.period) +
              ",\n  \"period_unit\": " + json_string(what.period_unit) + ",\n";
  }

  void side(const char* name, int i) {
    out_ += format("  \"%s\": {\"runs\": %zu, \"lines\": %llu, \"sample\": ", name, report_.runs[i],
                   static_cast<unsigned long long>(report_.stacks[i])) +
            reach(report_.sample[i]);
    if (report_.blocks[i] > 0) out_ += format(", \"blocks\": %zu", report_.blocks[i]);
    out_ += "},\n";
  }

  static std::string change(const Change& change) {
    return "{\"before\": " + json_number(change.before) +
           ", \"after\": " + json_number(change.after) +
           ", \"change\": " + json_number(change.change()) +
           (change.is_noise_known()
                ? ", \"low\": " + json_number(change.low) +
                      ", \"high\": " + json_number(change.high) +
                      ", \"beyond_noise\": " + boolean(change.beyond_noise()) + "}"
                : R"(, "low": null, "high": null, "beyond_noise": null})");
  }

  void section(const Section& section, bool first) {
    out_ += first ? "\n" : ",\n";
    out_ += format("    {\"kind\": \"%s\", \"sort\": \"%s\", \"left_out\": %zu, ",
                   kind_name(section.kind), section.by_self ? "self" : "total", section.left_out);
    if (section.kind == Kind::finding)
      out_ += std::string("\"exposed\": ") + boolean(section.exposed) + ", ";
    if (section.straggler) straggler(*section.straggler);
    out_ += "\"rows\": [";
    for (const Row& one : section.rows) row(section, one, &one == section.rows.data());
    out_ += section.rows.empty() ? "]}" : "\n    ]}";
  }

  // Without "times" where the others do no work at all.
  void straggler(const Straggler& one) {
    out_ += "\"straggler\": {\"rank\": " + json_string(one.rank);
    if (std::isfinite(one.times)) out_ += ", \"times\": " + json_number(one.times);
    if (!one.place.empty()) out_ += ", \"place\": " + json_string(one.place);
    if (!one.reason.empty()) out_ += ", \"reason\": " + json_string(one.reason);
    out_ += ", \"more\": " + json_number(one.more) + "}, ";
  }

  // Members that are not known are left out.
  void launch(const LaunchFact& launch) {
    const auto add = [this](const char* name, const std::optional<uint64_t>& value) {
      if (value) out_ += format(", \"%s\": ", name) + std::to_string(*value);
    };
    const auto extent = [this](const char* name, const std::array<uint64_t, 3>& value) {
      if (value[0] > 0)
        out_ += format(", \"%s\": [", name) + std::to_string(value[0]) + ", " +
                std::to_string(value[1]) + ", " + std::to_string(value[2]) + "]";
    };
    add("launches", launch.launches);
    if (launch.other_sizes > 0) add("other_sizes", launch.other_sizes);
    extent("items", launch.size.items);
    extent("group", launch.size.group);
    add("registers", launch.code.registers);
    add("local_bytes", launch.local());
    add("scratch_bytes", launch.code.scratch);
    add("spill_bytes", launch.code.spills);
    add("occupancy_at_most", launch.occupancy);
    if (!launch.limit.empty()) out_ += ", \"limit\": " + json_string(launch.limit);
    out_ += "}";
  }

  void row(const Section& section, const Row& row, bool first) {
    out_ += first ? "\n" : ",\n";
    out_ += "      {\"name\": " + json_string(row.name);
    if (section.kind == Kind::launch) return launch(row.launch);
    if (report_.two_sides)
      out_ += ", \"self\": " + change(row.self) + ", \"total\": " + change(row.total);
    else
      out_ += ", \"self\": " + format_count(row.cost.self, report_.decimals) +
              ", \"total\": " + format_count(row.cost.total, report_.decimals);
    if (section.kind == Kind::reason) {
      if (const StallReason* reason = find_stall_reason(row.name))
        out_ += ", \"vendor\": " + json_string(reason->vendor) +
                ", \"meaning\": " + json_string(reason->meaning) +
                ", \"advice\": " + json_string(reason->advice);
    }
    if (section.kind == Kind::device) device(row);
    if (row.gain) finding(row);
    out_ += "}";
  }

  void device(const Row& row) {
    if (!report_.two_sides)
      out_ += ", \"exposed\": " + format_count(row.cost.self, report_.decimals) +
              ", \"hidden\": " + format_count(row.cost.total - row.cost.self, report_.decimals);
    if (const auto cause = find_idle_cause(row.name))
      out_ += ", \"meaning\": " + json_string(meaning_of(*cause)) +
              ", \"advice\": " + json_string(advice_against(*cause));
  }

  // As aiflame-annotate writes its findings.
  void finding(const Row& row) {
    out_ += ", \"id\": " + json_string(row.name) +
            ", \"kind\": \"stalls\", \"kernel\": " + json_string(row.kernel) +
            ", \"reason\": " + json_string(row.reason);
    if (!row.evidence.empty()) line(row.evidence.front().line);
    out_ += format(", \"share\": %.6g", row.share) + ", \"at_most\": " + gain_json(*row.gain) +
            ", \"evidence\": [";
    for (const Evidence& each : row.evidence) {
      out_ += &each == row.evidence.data() ? "{" : ", {";
      out_ += "\"samples\": " + format_count(each.samples, report_.decimals);
      if (!each.offset.empty())
        out_ += format(", \"offset\": %llu", std::strtoull(each.offset.c_str(), nullptr, 16));
      if (!each.mnemonic.empty()) out_ += ", \"mnemonic\": " + json_string(each.mnemonic);
      line(each.line);
      out_ += "}";
    }
    out_ += "]";
  }

  // "matmul.cl:10", or nothing
  void line(const std::string& text) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos) return;
    out_ += ", \"file\": " + json_string(text.substr(0, colon)) +
            format(", \"line\": %llu", std::strtoull(text.c_str() + colon + 1, nullptr, 10));
  }

  const Report& report_;
  const ReportSettings& settings_;
  std::string out_;
};

}  // namespace

std::string report_json(const Report& report, const ReportSettings& settings) {
  return Writer(report, settings).text();
}

}  // namespace aiflame::report
