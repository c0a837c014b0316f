// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-ncu/source_columns.h"

#include <algorithm>
#include <array>

#include "libcommon/base/parse.h"

namespace aiflame::ncu {
namespace {

struct ShortName {
  std::string_view name, reason;
};
// Of the columns stall_NAME; other names are those of CUPTI already.
constexpr std::array kShortNames{
    ShortName{"dispatch", "dispatch_stall"},
    ShortName{"gmma", "warpgroup_arrive"},
    ShortName{"imc", "imc_miss"},
    ShortName{"lg", "lg_throttle"},
    ShortName{"long_sb", "long_scoreboard"},
    ShortName{"math", "math_pipe_throttle"},
    ShortName{"mio", "mio_throttle"},
    ShortName{"no_inst", "no_instructions"},
    ShortName{"no_instruction", "no_instructions"},
    ShortName{"short_sb", "short_scoreboard"},
    ShortName{"sleep", "sleeping"},
    ShortName{"tex", "tex_throttle"},
};

std::string long_name(std::string_view name) {
  for (const ShortName& one : kShortNames)
    if (one.name == name) return std::string(one.reason);
  return std::string(name);
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// "Warp Stall Sampling (All Samples)" was "(All Cycles)" in older versions.
bool is_sum(std::string_view column, Samples samples) {
  if (samples == Samples::all && (column == "# Samples" || column == "smsp__pcsamp_sample_count"))
    return true;
  return take_prefix(column, "Warp Stall Sampling (") &&
         column.starts_with(samples == Samples::all ? "All " : "Not-issued ");
}

std::optional<size_t> find(const std::vector<std::string_view>& fields, std::string_view name,
                           size_t from = 0) {
  if (from > fields.size()) return std::nullopt;
  const auto at = std::find(fields.begin() + static_cast<ptrdiff_t>(from), fields.end(), name);
  if (at == fields.end()) return std::nullopt;
  return static_cast<size_t>(at - fields.begin());
}

}  // namespace

std::optional<std::string> reason_of_column(std::string_view column, Samples samples) {
  const bool is_display = take_prefix(column, "stall_");
  if (!is_display && !take_prefix(column, "smsp__pcsamp_warps_issue_stalled_") &&
      !take_prefix(column, "smsp__pcsamp_warp_stall_"))
    return std::nullopt;
  const bool is_exposed = take_suffix(column, is_display ? " (Not Issued)" : "_not_issued");
  if (column.empty() || is_exposed != (samples == Samples::exposed)) return std::nullopt;
  return long_name(column);
}

std::optional<SourceColumns> SourceColumns::parse(const std::vector<std::string_view>& fields,
                                                  Samples samples) {
  SourceColumns out;
  out.count = fields.size();
  for (const std::string_view name : {"Address", "SASS Address"})
    if (!out.address) out.address = find(fields, name);
  // With both views there are two columns "Source": of the line, and behind the address of the
  // instruction.
  const std::optional<size_t> text = find(fields, "Source", out.address.value_or(0));
  out.line = find(fields, "Line No");
  // in front of an address, "#" numbers the instructions
  if (!out.line && !out.address) out.line = find(fields, "#");
  if (!text || (!out.address && !out.line)) return std::nullopt;
  out.text = *text;
  out.first_text = *find(fields, "Source");
  for (size_t column = 0; column < fields.size(); ++column) {
    if (!out.samples && is_sum(fields[column], samples)) out.samples = column;
    const auto reason = reason_of_column(fields[column], samples);
    const auto same = [&](const Reason& other) { return other.name == *reason; };
    // a report may have a metric under both of its names
    if (reason && std::none_of(out.reasons.begin(), out.reasons.end(), same))
      out.reasons.push_back({column, *reason});
  }
  return out;
}

}  // namespace aiflame::ncu
