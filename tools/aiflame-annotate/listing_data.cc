// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_data.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/listing/listings.h"
#include "libcommon/perf_script/frame_names.h"
#include "tools/aiflame-annotate/findings.h"
#include "tools/aiflame-annotate/listing_text.h"
#include "tools/aiflame-annotate/source_rows.h"

namespace aiflame::annotate {
namespace {

// The pane beside a picture has room for so many.
constexpr size_t kMostFindings = 3;
constexpr size_t kMostEdges = 32;

std::string number(uint64_t value) {
  return std::to_string(value);
}

std::string hex(uint64_t value) {
  return format("%llx", static_cast<unsigned long long>(value));
}

void add_to_list(std::string& list, const std::string& part, char between = ';') {
  if (!list.empty()) list += between;
  list += part;
}

std::string offsets_text(const std::vector<uint64_t>& offsets) {
  std::string out;
  for (size_t i = 0; i < std::min(offsets.size(), kMostEdges); ++i)
    add_to_list(out, hex(offsets[i]), ' ');
  return out;
}

// A record of `fields`, whose foreign texts are printable and so have no tab.
void add_record(std::string& out, std::initializer_list<std::string> fields) {
  bool is_first = true;
  for (const std::string& each : fields) {
    if (!is_first) out += '\t';
    is_first = false;
    out += each;
  }
  out += '\n';
}

void add_source(const std::vector<SourceRow>& rows, const Annotation& annotation,
                std::string& out) {
  using Kind = SourceRow::Kind;
  for (const SourceRow& row : rows) {
    if (row.kind == Kind::file) {
      add_record(out, {"file", printable(row.text)});
    } else if (row.kind == Kind::gap) {
      add_record(out, {"gap"});
    } else if (row.kind == Kind::context) {
      add_record(out, {"text", number(row.number), printable(row.text)});
    } else {
      add_record(out, {"line", number(row.number), number(annotation.lines[row.line].samples),
                       printable(row.text)});
    }
  }
}

std::string chain_text(const Annotation& annotation, const AnnotatedInstruction& it,
                       const Settings& settings) {
  std::string out;
  if (!has_chain(it, annotation.samples, settings.chains)) return out;
  for (size_t i = 1; i < it.chain.size(); ++i)
    add_to_list(out, hex(it.chain[i]) + folded_text(link_text(annotation, it, i, false)));
  if (it.chain_end != ChainEnd::root) add_to_list(out, chain_end_name(it.chain_end));
  return out;
}

void add_code(const Annotation& annotation, const AnnotatedInstruction& it, const std::string& line,
              const Settings& settings, std::string& out) {
  std::string reasons, causes;
  for (const auto& [name, count] : it.reasons)
    add_to_list(reasons, folded_text(name) + " " + number(count));
  if (has_chain(it, annotation.samples, settings.chains))
    for (const Cause& cause : it.causes)
      if (cause.offset != it.offset)
        add_to_list(causes, hex(cause.offset) +
                                format(" %.0f", cause.share * static_cast<double>(it.stalls)));
  add_record(out, {"code", hex(it.offset), number(it.samples), line, printable(it.text()), reasons,
                   causes, offsets_text(it.producers), offsets_text(it.consumers),
                   chain_text(annotation, it, settings)});
}

std::string listing_of(const Annotation& annotation, const std::string& page,
                       const std::string& unit, const Settings& settings, SourceTexts& sources) {
  std::string out;
  add_record(out, {"kernel", folded_text(annotation.kernel), folded_text(annotation.function), page,
                   number(annotation.samples), printable(unit), annotation.whole ? "1" : "0",
                   number(annotation.recorded_more)});
  for (size_t i = 0; i < std::min(annotation.findings.size(), kMostFindings); ++i) {
    const Finding& finding = annotation.findings[i];
    add_record(out, {"finding", hex(annotation.code[finding.causes.front().index].offset),
                     printable(finding_text(finding, annotation, false))});
  }
  if (annotation.loop)
    add_record(out, {"loop", hex(annotation.loop->first), hex(annotation.loop->last),
                     number(annotation.loop->samples)});
  const std::vector<SourceRow> rows = source_rows(annotation, sources);
  add_source(rows, annotation, out);
  std::map<size_t, std::string> numbers;  // of the records, by the line's index
  for (const SourceRow& row : rows)
    if (row.kind == SourceRow::Kind::code)
      numbers.emplace(row.line, number(static_cast<uint64_t>(numbers.size())));
  const std::vector<bool> folded = folded_away(annotation.code);
  uint64_t skipped = 0;
  const auto add_skipped = [&] {
    if (skipped > 0) add_record(out, {"skip", number(skipped)});
    skipped = 0;
  };
  for (size_t i = 0; i < annotation.code.size(); ++i) {
    skipped += folded[i];
    if (folded[i]) continue;
    add_skipped();
    const auto line = numbers.find(annotation.code[i].line);
    add_code(annotation, annotation.code[i], line == numbers.end() ? "" : line->second, settings,
             out);
  }
  add_skipped();
  return out;
}

}  // namespace

ListingData::ListingData() : text_(std::string(kListingsHeader) + "\n") {}

void ListingData::add(const Annotation& annotation, const std::string& page,
                      const std::string& unit, const Settings& settings, SourceTexts& sources) {
  const std::string listing = listing_of(annotation, page, unit, settings, sources);
  const bool fits = text_.size() + listing.size() <= kListingsBytes && !annotation.kernel.empty();
  ++(fits ? added_ : left_out_);
  if (fits) text_ += listing;
}

}  // namespace aiflame::annotate
