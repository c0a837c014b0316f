// SPDX-License-Identifier: MIT
#include "libcommon/import/imported_stacks.h"

#include <algorithm>

#include "libcommon/base/json.h"
#include "libcommon/base/program.h"
#include "libcommon/folded/columns.h"
#include "libcommon/folded/folded_lines.h"
#include "libcommon/folded/note.h"
#include "libcommon/perf_script/frame_names.h"

namespace aiflame {
namespace {

// As other programs say where folded text has no unit.
const std::string kUnknownUnit = "samples";

void add_to(std::map<std::string, ImportedSum, std::less<>>& sums, std::string_view name,
            uint64_t weight, uint64_t records) {
  auto at = sums.find(name);
  if (at == sums.end()) at = sums.emplace(name, ImportedSum()).first;
  at->second.add(weight, records);
}

uint64_t weight_of(const std::map<std::string, ImportedSum, std::less<>>& sums) {
  uint64_t all = 0;
  for (const auto& [name, sum] : sums) all += sum.weight;
  return all;
}

std::string sum_json(const ImportedSum& sum) {
  return format("{\"records\": %llu, \"weight\": %llu}",
                static_cast<unsigned long long>(sum.records),
                static_cast<unsigned long long>(sum.weight));
}

std::string sums_json(const std::map<std::string, ImportedSum, std::less<>>& sums) {
  std::string out = "{";
  for (const auto& [name, sum] : sums) {
    if (out.size() > 1) out += ", ";
    out += json_string(name) + ": " + sum_json(sum);
  }
  return out + "}";
}

// "rank 3", "device 0, stream 7", "merged.json, file 2", and those of databases, "RANK 3",
// "THREAD 77", "Agent 4": other frames stand above them, so no count follows.
bool is_root_of_ours(std::string_view text) {
  for (const char* root : {"rank ", "device ", "RANK ", "THREAD ", "Agent "})
    if (text.starts_with(root)) return true;
  return text.find(", stream ") != std::string_view::npos ||
         text.find(", file ") != std::string_view::npos;
}

}  // namespace

ImportedStacks::ImportedStacks() {
  stacks_.number({UINT32_MAX, UINT32_MAX});  // kEmpty
}

uint32_t ImportedStacks::frame(std::string_view text) {
  if (text.empty()) return texts_.number("[unknown]");
  // most texts are safe, and are looked up as they are
  const bool is_plain = text.back() < '0' || text.back() > '9';
  if (is_plain && text.back() != '.' && is_printable(text) &&
      text.find(';') == std::string_view::npos)
    return texts_.number(text);
  std::string safe(text);
  std::replace(safe.begin(), safe.end(), '\n', ' ');
  safe = folded_text(safe);
  return texts_.number(is_root_of_ours(safe) ? safe : escape_number(safe));
}

uint32_t ImportedStacks::root(std::string_view process) {
  std::string name(process);
  std::replace(name.begin(), name.end(), ' ', '_');
  return child(kEmpty, name);
}

uint32_t ImportedStacks::append(uint32_t stack, uint32_t top) {
  std::vector<uint32_t> frames;
  for (uint32_t at = top; at != kEmpty; at = below(at)) frames.push_back(frame_of(at));
  for (size_t i = frames.size(); i-- > 0;) stack = child(stack, frames[i]);
  return stack;
}

void ImportedStacks::add(uint32_t stack, uint64_t weight, uint64_t records) {
  if (weights_.size() <= stack) weights_.resize(std::max<size_t>(stacks_.size(), stack + 1));
  if (__builtin_add_overflow(weights_[stack], weight, &weights_[stack]) ||
      __builtin_add_overflow(drawn_.weight, weight, &drawn_.weight))
    throw Error("the sum of all weights is more than 2^64");
  drawn_.records += records;
}

void ImportedStacks::lose(std::string_view why, uint64_t weight, uint64_t records) {
  add_to(lost_, why, weight, records);
}

void ImportedStacks::part(std::string_view what, uint64_t weight, uint64_t records) {
  add_to(parts_, what, weight, records);
}

void ImportedStacks::write(Output& out) {
  if (quantity.is_known()) out.write(quantity_line(quantity));
  for (const std::string& note : notes) out.write(note_line(note));
  for (const LaunchFact& fact : launches.all()) out.write(launch_fact_line(fact));
  FoldedLines lines(texts_);
  weights_.resize(stacks_.size());
  lines.add(static_cast<uint32_t>(weights_.size()),
            [&](uint32_t stack, std::vector<uint32_t>& frames) -> uint64_t {
              if (weights_[stack] == 0 || stack == kEmpty) return 0;
              const size_t begin = frames.size();
              for (uint32_t at = stack; at != kEmpty; at = below(at))
                frames.push_back(frame_of(at));
              std::reverse(frames.begin() + static_cast<ptrdiff_t>(begin), frames.end());
              return weights_[stack];
            });
  const uint64_t written = lines.write(out), lost = weight_of(lost_);
  if (written != drawn_.weight || written + lost != read_.weight)
    throw Error(format("of a weight of %llu, %llu were written and %llu lost: this is a bug",
                       static_cast<unsigned long long>(read_.weight),
                       static_cast<unsigned long long>(written),
                       static_cast<unsigned long long>(lost)));
}

std::string ImportedStacks::line() const {
  const std::string& unit = quantity.is_known() ? quantity.unit : kUnknownUnit;
  std::string out = (quantity.event.empty() ? "stacks" : quantity.event) + ": " +
                    format_quantity(drawn_.weight, 0, unit) +
                    format(" of %llu records", static_cast<unsigned long long>(read_.records));
  const char* separator = ": ";
  for (const auto& [what, sum] : parts_) {
    const double share = drawn_.weight == 0 ? 0
                                            : 100 * static_cast<double>(sum.weight) /
                                                  static_cast<double>(drawn_.weight);
    out += separator + format("%.2f %% ", share) + what;
    separator = ", ";
  }
  out += "; ";
  if (lost_.empty()) return out + "0 lost";
  separator = "";
  for (const auto& [why, sum] : lost_) {
    out += separator +
           (sum.weight == 0 ? format("%llu records without a weight",
                                     static_cast<unsigned long long>(sum.records))
                            : format_quantity(sum.weight, 0, unit)) +
           " lost: " + why;
    separator = ", ";
  }
  return out;
}

std::string ImportedStacks::json() const {
  return "{\n  \"event\": " + json_string(quantity.event) +
         ",\n  \"unit\": " + json_string(quantity.unit) + ",\n  \"read\": " + sum_json(read_) +
         ",\n  \"drawn\": " + sum_json(drawn_) + ",\n  \"parts\": " + sums_json(parts_) +
         ",\n  \"lost\": " + sums_json(lost_) + "\n}\n";
}

}  // namespace aiflame
