// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_text.h"

#include <algorithm>
#include <map>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "tools/aiflame-annotate/findings.h"
#include "tools/aiflame-annotate/percent.h"

namespace aiflame::annotate {
namespace {

// Shorter runs are shown, as they tell more than the line that would stand for them.
constexpr size_t kLongestRun = 20;

// Columns: longer instructions push the rest of their line to the right.
constexpr size_t kLongestInstruction = 64, kLongestReasons = 48;

// More edges than that of one instruction are counted.
constexpr size_t kMaxEdges = 8;

// Of longer chains the end is counted.
constexpr size_t kMaxLinks = 8;

std::string hex(uint64_t number) {
  return format("0x%llx", static_cast<unsigned long long>(number));
}

// Appends a column that is `width` wide, and two spaces behind it.
void add_column(std::string& line, const std::string& text, size_t width) {
  line.append(text).append(text.size() < width ? width - text.size() : 0, ' ').append("  ");
}

void end_line(std::string& line, std::string& out) {
  line.erase(line.find_last_not_of(' ') + 1);
  out.append(line).push_back('\n');
}

// The width of the column "Reasons", or 0 where no event has any.
size_t widened(size_t width, const std::string& reasons) {
  if (reasons.empty()) return width;
  const size_t least = std::string_view("Reasons").size();
  return std::max({width, least, std::min(kLongestReasons, reasons.size())});
}

std::string edge_list(const char* arrow, const std::vector<uint64_t>& offsets) {
  if (offsets.empty()) return "";
  std::string out = arrow;
  for (size_t i = 0; i < std::min(offsets.size(), kMaxEdges); ++i)
    out.append(i == 0 ? "" : ",").append(hex(offsets[i]));
  if (offsets.size() > kMaxEdges) out += format(",+%zu", offsets.size() - kMaxEdges);
  return out;
}

// `<-0x290,0x2a0 ->0x310`
std::string edges(const AnnotatedInstruction& instruction) {
  const std::string from = edge_list("<-", instruction.producers),
                    to = edge_list("->", instruction.consumers);
  return from + (from.empty() || to.empty() ? "" : " ") + to;
}

bool has_lines(const Annotation& annotation) {
  return annotation.lines.size() > 1 || annotation.lines.front().number > 0;
}

}  // namespace

std::vector<bool> folded_away(const std::vector<AnnotatedInstruction>& code) {
  std::vector<bool> out(code.size(), false);
  for (size_t begin = 0, end = 0; begin < code.size(); begin = end + 1) {
    for (end = begin; end < code.size(); ++end)
      if (code[end].samples > 0 || !code[end].consumers.empty()) break;
    if (end - begin > kLongestRun)
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(begin),
                out.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  return out;
}

bool has_chain(const AnnotatedInstruction& it, uint64_t all, double percent) {
  return it.chain.size() > 1 && is_at_least(it.stalls, all, percent);
}

std::string link_text(const Annotation& annotation, const AnnotatedInstruction& it, size_t link,
                      bool full_path) {
  const AnnotatedInstruction* const its = annotation.at(it.chain[link]);
  if (its == nullptr) return "";
  std::string out = " " + (its->mnemonic.empty() ? "-" : printable(its->mnemonic));
  if (link == 0) return out;
  if (link == 1) out += format(" %.0f%%", it.causes.front().share * 100);
  const AnnotatedInstruction* const before = annotation.at(it.chain[link - 1]);
  const bool is_new = link == 1 || before == nullptr || before->line != its->line;
  const SourceLine& line = annotation.lines[its->line];
  if (is_new && line.number > 0) out.append(" ").append(line_name(line, full_path));
  return out;
}

std::string line_name(const SourceLine& line, bool full_path) {
  if (line.number == 0) return "[no line]";
  const size_t base = full_path ? 0 : line.file.rfind('/') + 1;
  return printable(line.file.substr(base)) + ":" + std::to_string(line.number);
}

std::string source_text(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, text.find_last_not_of(" \t") + 1)) {
    if (c == '\t')
      out.append(8 - out.size() % 8, ' ');
    else
      out += c;
  }
  return out;
}

std::string reasons_text(const Reasons& reasons, std::string (*number)(uint64_t)) {
  std::string out;
  for (const auto& [name, count] : reasons)
    out.append(out.empty() ? "" : ", ").append(printable(name)).append(" ").append(number(count));
  return out;
}

std::string ListingText::begin(const Statistics&, const std::vector<ListedFunction>&) {
  return "# aiflame-annotate 1\n";
}

std::string ListingText::numbers(uint64_t samples, uint64_t whole) const {
  return format("%7s %10llu  ",
                percent(samples, settings_.of_total ? total_.samples : whole).c_str(),
                static_cast<unsigned long long>(samples));
}

std::string ListingText::header(const Annotation& annotation) const {
  std::string out = "# kernel " + printable(annotation.kernel);
  if (!annotation.function.empty()) out += "  function " + printable(annotation.function);
  if (!annotation.object.empty()) out += "  object " + printable(annotation.object);
  out += "  event " + printable(total_.event) + "  unit " + total_.unit + "  samples " +
         std::to_string(annotation.samples) + "  share " +
         percent(annotation.samples, total_.samples) + "\n";
  if (annotation.object.empty())
    out += "# the recording has no code object for it\n";
  else if (annotation.whole && !has_lines(annotation))  // else it was not read
    out += "# no line information for it\n";
  if (annotation.unnamed_samples > 0 && annotation.unnamed != Unnamed::no_object)
    out += std::string("# some instructions have no name: ") + unnamed_phrase(annotation.unnamed) +
           "\n";
  if (!annotation.whole) out += "# instructions without samples are not known\n";
  if (annotation.kernel_samples > annotation.samples && !settings_.findings)
    out += std::string("# percentages below are of ") +
           (settings_.of_total ? "all samples" : "this function") +
           ", those of findings of the kernel with all its functions\n";
  for (const Finding& each : annotation.findings)
    out += "# finding: " + finding_text(each, annotation, settings_.full_paths) + "\n";
  return out;
}

std::string ListingText::function(const Annotation& annotation) {
  std::string out = "\n" + header(annotation);
  if (settings_.findings) return out;
  if (settings_.lines)
    summary(annotation, out);
  else
    instructions(annotation, out);
  return out;
}

void ListingText::source_line(const SourceLine& line, uint64_t samples, uint64_t whole,
                              size_t name_width, const std::string& reasons, std::string& out) {
  const uint64_t number = line.number, around = number == 0 ? 0 : settings_.context;
  const uint64_t first = number <= around ? std::min<uint64_t>(number, 1) : number - around;
  for (uint64_t at = first; at <= number + around; ++at) {
    const auto text = sources_.line(line.file, at);
    if (at != number && !text) continue;
    std::string row = at == number ? numbers(samples, whole) : std::string(20, ' ');
    const SourceLine shown{line.file, static_cast<uint32_t>(at), 0};
    add_column(row, line_name(shown, settings_.full_paths), name_width);
    row += at == number ? reasons : std::string(reasons.size(), ' ');
    if (text) row.append("  ").append(printable(source_text(*text)));
    end_line(row, out);
  }
}

void ListingText::instructions(const Annotation& annotation, std::string& out) {
  const std::vector<AnnotatedInstruction>& code = annotation.code;
  const std::vector<bool> folded =
      settings_.every_instruction ? std::vector<bool>(code.size(), false) : folded_away(code);
  size_t wide = std::string_view("Instruction").size(), reasons = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    if (folded[i]) continue;
    wide = std::max(wide, std::min(kLongestInstruction, code[i].text().size()));
    reasons = widened(reasons, reasons_text(code[i].reasons));
  }
  const size_t offset = std::max<size_t>(8, code.empty() ? 0 : hex(code.back().offset).size());
  std::string head = format("# %5s %10s  ", "Share", "Samples");
  add_column(head, "Offset", offset);
  add_column(head, "Instruction", wide);
  if (reasons > 0) add_column(head, "Reasons", reasons);
  end_line(head += "Edges", out);
  constexpr uint32_t kNone = UINT32_MAX;
  uint32_t line = kNone;  // whose instructions come now
  for (size_t i = 0; i < code.size(); ++i) {
    if (folded[i]) {
      size_t end = i;
      while (end < code.size() && folded[end]) ++end;
      std::string row = numbers(0, annotation.samples);
      row += format("%s..%s  ... %zu instructions without samples ...", hex(code[i].offset).c_str(),
                    hex(code[end - 1].offset).c_str(), end - i);
      end_line(row, out);
      i = end - 1;
      line = kNone;
      continue;
    }
    const AnnotatedInstruction& each = code[i];
    if (each.line != line) {
      line = each.line;
      uint64_t samples = 0;
      for (size_t at = i; at < code.size() && code[at].line == line && !folded[at]; ++at)
        samples += code[at].samples;
      if (has_lines(annotation))
        source_line(annotation.lines[line], samples, annotation.samples, 0, "", out);
    }
    std::string row = numbers(each.samples, annotation.samples);
    add_column(row, hex(each.offset), offset);
    add_column(row, printable(each.text()), wide);
    if (reasons > 0) add_column(row, reasons_text(each.reasons), reasons);
    row += edges(each);
    end_line(row, out);
    chain(annotation, each, out);
  }
}

// `chain  0x448 mov <- 0x408 send.ugm 97% compute.h:67 <- 0x3f8 add compute.h:66`
void ListingText::chain(const Annotation& annotation, const AnnotatedInstruction& it,
                        std::string& out) const {
  if (!has_chain(it, annotation.samples, settings_.chains)) return;
  std::string row = numbers(it.stalls, annotation.samples) + "chain ";
  for (size_t i = 0; i < std::min(it.chain.size(), kMaxLinks); ++i)
    row.append(i == 0 ? " " : " <- ")
        .append(hex(it.chain[i]))
        .append(link_text(annotation, it, i, settings_.full_paths));
  if (it.chain.size() > kMaxLinks) row += format(" <- +%zu", it.chain.size() - kMaxLinks);
  if (it.chain_end != ChainEnd::root) row.append(" <- ").append(chain_end_name(it.chain_end));
  end_line(row, out);
}

void ListingText::summary(const Annotation& annotation, std::string& out) {
  struct Row {
    const SourceLine* line;
    std::string name, reasons;
  };
  std::vector<std::map<std::string, uint64_t>> counts(annotation.lines.size());
  for (const AnnotatedInstruction& each : annotation.code)
    for (const auto& [reason, count] : each.reasons) counts[each.line][reason] += count;
  std::vector<Row> rows;
  size_t names = 0, reasons = 0;
  for (size_t i = 0; i < annotation.lines.size(); ++i) {
    const SourceLine& line = annotation.lines[i];
    const uint64_t whole = settings_.of_total ? total_.samples : annotation.samples;
    if (line.samples == 0 || !is_at_least(line.samples, whole, settings_.min_percent)) continue;
    rows.push_back({&line, line_name(line, settings_.full_paths),
                    reasons_text(sorted_reasons({counts[i].begin(), counts[i].end()}))});
    names = std::max(names, rows.back().name.size());
    reasons = widened(reasons, rows.back().reasons);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.line->samples > b.line->samples; });
  std::string head = format("# %5s %10s  ", "Share", "Samples");
  add_column(head, "Line", names);
  if (reasons > 0) add_column(head, "Reasons", reasons);
  end_line(head += "Source", out);
  for (const Row& row : rows) {
    std::string padded;
    if (reasons > 0) add_column(padded, row.reasons, reasons);
    source_line(*row.line, row.line->samples, annotation.samples, names, padded, out);
  }
}

}  // namespace aiflame::annotate
