// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_html.h"

#include <algorithm>
#include <array>

#include "libcommon/base/count.h"
#include "libcommon/base/program.h"
#include "libcommon/device/reason_colours.h"
#include "libcommon/folded/quantity.h"
#include "libcommon/text/base64.h"
#include "libcommon/text/sha256.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-annotate/findings.h"
#include "tools/aiflame-annotate/listing_text.h"
#include "tools/aiflame-annotate/percent.h"
#include "tools/aiflame-annotate/source_rows.h"

namespace aiflame::annotate {
namespace {

constexpr std::string_view kListing =
#include "libcommon/listing/listing.js.inc"
    ;
constexpr std::string_view kPage =
#include "tools/aiflame-annotate/page/annotate.js.inc"
    ;
constexpr std::string_view kListingStyle =
#include "libcommon/listing/listing.css.inc"
    ;
constexpr std::string_view kPageStyle =
#include "tools/aiflame-annotate/page/annotate.css.inc"
    ;

// The heat strip has so many steps; a screen shows no more.
constexpr size_t kSteps = 400;

constexpr size_t kMaxEdges = 32;
constexpr size_t kMaxVictims = 4;

// Fixes that could gain less are told to be small.
constexpr double kWorthwhile = 1.05;

std::string commas(uint64_t count) {
  return format_count_with_commas(count, 0);
}

// The style, with the colours of the kinds of reasons: --k0 is memory's.
std::string page_style() {
  return std::string(kListingStyle).append(kPageStyle) + listing_colours();
}

std::string page_script() {
  return "(() => {\n\"use strict\";\n" + std::string(kListing).append(kPage) + "})();\n";
}

std::string hex(uint64_t number) {
  return format("0x%llx", static_cast<unsigned long long>(number));
}

// As a content policy names an inline script or style.
std::string policy_hash(std::string_view text) {
  std::string out = "'sha256-";
  append_base64(out, sha256(text));
  return out + "'";
}

// The end of an element's start tag and the text in it.
std::string cell(const char* attributes, const std::string& text) {
  return std::string("<td") + attributes + ">" + text;
}

// `matmul.cl:10`, in two parts for the style
std::string line_cell(const SourceLine& line) {
  if (line.number == 0) return "<td class=\"l\">";
  const std::string name = line_name(line, false);
  const size_t colon = name.rfind(':');
  return "<td class=\"l\"><span>" + xml(name.substr(0, colon)) + "</span>" + name.substr(colon);
}

// The head of the column with samples: times are no number of samples.
const char* samples_head(const EventTotal& total) {
  return total.unit == kNanoseconds ? "ns" : "Samples";
}

}  // namespace

std::string ListingHtml::anchor(const std::string& place) const {
  return (functions_ == 1 ? "" : std::to_string(functions_) + "-") + place;
}

std::string ListingHtml::anchor(uint64_t offset) const {
  return anchor(hex(offset));
}

std::string ListingHtml::share(uint64_t samples, const Annotation& annotation) const {
  return percent(samples, settings_.of_total ? total_.samples : annotation.samples);
}

int ListingHtml::heat(uint64_t samples, const Annotation& annotation) const {
  const unsigned share = hundredths(samples, annotation.samples);
  const unsigned limits[] = {1, 50, 200, 1000, 2500};  // hundredths of a percent
  return static_cast<int>(std::upper_bound(std::begin(limits), std::end(limits), share) -
                          std::begin(limits));
}

std::string page_head(std::string_view title, std::string_view heading) {
  const std::string style = page_style();
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src " +
      policy_hash(page_script()) + "; style-src " + policy_hash(style) +
      "; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      xml(title) + " - aiflame-annotate</title>\n<style>";
  return out.append(style).append("</style></head>\n<body>\n<h1>") + xml(heading) + "</h1>\n";
}

std::string counted(uint64_t count, const std::string& unit) {
  constexpr std::string_view kPlurals[] = {"stalls", "samples", "cycles", "events"};
  const bool plural =
      std::find(std::begin(kPlurals), std::end(kPlurals), unit) != std::end(kPlurals);
  return commas(count) + " " + xml(count == 1 && plural ? unit.substr(0, unit.size() - 1) : unit);
}

std::string samples_sentence(const EventTotal& total, const Statistics& statistics) {
  std::string out = xml(total.event) + ": " + counted(total.samples, total.unit);
  if (statistics.outside > 0) out += ", " + commas(statistics.outside) + " of no known kernel";
  if (statistics.filtered + statistics.below_limit > 0)
    out += ", " + commas(statistics.filtered + statistics.below_limit) + " not shown";
  return out + ".";
}

std::string page_end() {
  return "</main>\n<script>" + page_script() + "</script>\n</body></html>\n";
}

ListingHtml::ListingHtml(const Settings& settings, const EventTotal& total, SourceTexts& sources,
                         PageLinks& links, std::string index)
    : ListingWriter(settings, total, sources), links_(links), index_(std::move(index)) {
  if (index_.empty()) links_.set_page(settings.html.substr(settings.html.rfind('/') + 1));
}

std::string ListingHtml::begin(const Statistics& statistics,
                               const std::vector<ListedFunction>& functions) {
  std::string out =
      page_head(functions.empty() ? "no samples" : functions.front().name, "Annotated kernels") +
      "<p>" + samples_sentence(total_, statistics) +
      " <kbd>n</kbd> and <kbd>p</kbd> go to the next and previous hot spot; a click marks what an "
      "instruction waits for, what waits for it and what led to it. <span id=\"status\" "
      "role=\"status\"></span></p>\n<nav aria-label=\"Kernels\">";
  if (!index_.empty()) return out + "<a href=\"" + index_ + "\">All kernels</a></nav>\n<main>\n";
  out += "<ol>\n";
  for (size_t i = 0; i < functions.size(); ++i)
    out += format("<li><a href=\"#k%zu\">", i + 1) + xml(functions[i].name) + "</a> " +
           percent(functions[i].samples, total_.samples) + "\n";
  return out + "</ol></nav>\n<main>\n";
}

std::string ListingHtml::function(const Annotation& annotation) {
  ++functions_;
  links_.add_kernel(annotation.kernel, format("k%zu", functions_));
  std::string out = format("<section id=\"k%zu\"><h2>", functions_) + xml(annotation.kernel);
  if (!annotation.function.empty()) out += ": " + xml(annotation.function);
  out += "</h2>\n<p>" + counted(annotation.samples, total_.unit) + ", " +
         percent(annotation.samples, total_.samples) + " of all";
  if (!annotation.object.empty()) out += "; " + xml(annotation.object);
  // else it was not read
  if (annotation.whole && std::all_of(annotation.lines.begin(), annotation.lines.end(),
                                      [](const SourceLine& line) { return line.number == 0; }))
    out += "; no line information";
  if (const auto more = static_cast<int64_t>(annotation.recorded_more); more > 0)
    out += "; a flame graph's offsets are " + hex(annotation.recorded_more) + " more";
  if (!annotation.whole) out += "; instructions without samples are not known";
  if (annotation.loop)
    out += "; hottest loop " + hex(annotation.loop->first) + " to " + hex(annotation.loop->last) +
           ", " + share(annotation.loop->samples, annotation);
  if (annotation.unnamed_samples > 0)
    out += std::string("; some instructions have no name: ") + unnamed_phrase(annotation.unnamed);
  out += "</p>\n";
  findings(annotation, out);
  out += "<div class=\"panes listing\">\n";
  source_pane(annotation, out);
  code_pane(annotation, out);
  strip(annotation, out);
  return out + "</div></section>\n";
}

void ListingHtml::findings(const Annotation& annotation, std::string& out) const {
  if (annotation.findings.empty()) return;
  const auto gain_of = [](const Finding& one) { return one.gain.removed; };
  double most = 0;
  for (const Finding& each : annotation.findings) most = std::max(most, gain_of(each));
  if (most < kWorthwhile)
    out += "<p>No single place could make this kernel more than " + times_text(most) +
           " times faster.</p>\n";
  out += "<ol class=\"findings\" aria-label=\"What to look at first\">\n";
  for (const Finding& each : annotation.findings) {
    const auto link = [&](const Finding::Instruction& to) {
      const uint64_t offset = annotation.code[to.index].offset;
      return "<a href=\"#" + anchor(offset) + "\">" + hex(offset) + "</a>";
    };
    out += "<li><a href=\"#" + anchor(annotation.code[each.causes.front().index].offset) + "\">" +
           xml(finding_text(each, annotation, false)) + "</a>";
    // where there is less work than stalls
    if (each.gain.overlapped && *each.gain.overlapped < each.gain.removed)
      out += format(" (%.2f if other work only hides it)", *each.gain.overlapped);
    if (each.kind == Finding::Kind::feeds) {
      out += "; they wait at";
      for (size_t i = 0; i < std::min(each.evidence.size(), kMaxVictims); ++i)
        out += " " + link(each.evidence[i]);
      if (each.evidence.size() > kMaxVictims) out += " …";
    }
    out += "\n";
  }
  out += "</ol>\n";
}

void ListingHtml::source_pane(const Annotation& annotation, std::string& out) {
  const std::vector<SourceRow> rows = source_rows(annotation, sources_);
  if (rows.empty()) return;
  const bool bare = is_bare(rows);
  out += std::string("<div class=\"pane source") + (bare ? " bare" : "") +
         "\" tabindex=\"0\" role=\"region\" aria-label=\"Source\"><table><thead><tr><th "
         "class=\"n\">Share<th class=\"n\">" +
         samples_head(total_) + "<th class=\"n\">Line<th>" + (bare ? "" : "Source") +
         "</thead><tbody>\n";
  if (bare) out += "<tr class=\"f z\"><td>no source was found\n";
  for (const SourceRow& row : rows) {
    if (row.kind == SourceRow::Kind::file) {
      const std::string name = bare ? row.text.substr(row.text.rfind('/') + 1) : row.text;
      out += "<tr class=\"f\"><td title=\"" + xml(row.text) + "\">" + xml(name) +
             (row.found || bare ? "\n" : " (source not found)\n");
    } else if (row.kind == SourceRow::Kind::gap) {
      out += "<tr class=\"g z\"><td>…\n";
    } else if (row.kind == SourceRow::Kind::context) {
      out += "<tr class=\"z\"><td><td><td class=\"n\">" + std::to_string(row.number) + "<td>" +
             xml(row.text) + "\n";
    } else {
      source_row(row, annotation, out);
    }
  }
  out += "</tbody></table></div>\n";
}

void ListingHtml::source_row(const SourceRow& row, const Annotation& annotation, std::string& out) {
  const SourceLine& line = annotation.lines[row.line];
  const uint64_t samples = line.samples;
  // files in two directories may have the same name
  const std::string name = anchor(line_name(line, false));
  const bool is_first = lines_.insert(name).second;
  const std::string id = is_first ? " id=\"" + xml(name) + "\"" : "";
  if (is_first) links_.add_line(line_name(line, settings_.full_paths), name);
  out += format("<tr class=\"h%d\" data-l=\"%zu\"", heat(samples, annotation), row.line) + id +
         ">" + cell(" class=\"n p\"", samples > 0 ? share(samples, annotation) : "") +
         cell(" class=\"n\"", samples > 0 ? commas(samples) : "") +
         cell(" class=\"n\"", std::to_string(row.number)) + cell("", xml(row.text)) + "\n";
}

void ListingHtml::code_pane(const Annotation& annotation, std::string& out) {
  Columns columns;
  for (const AnnotatedInstruction& each : annotation.code) {
    columns.most = std::max(columns.most, each.samples);
    columns.reasons |= !each.reasons.empty();
    columns.edges |= !each.producers.empty() || !each.consumers.empty();
    columns.lines |= annotation.lines[each.line].number > 0;
  }
  out +=
      "<div class=\"pane code\" tabindex=\"0\" role=\"region\" aria-label=\"Instructions\"><table "
      "class=\"";
  if (columns.reasons) out += "reasons ";
  if (columns.edges) out += "edges ";
  if (columns.lines) out += "lines";
  out += '"';
  if (annotation.loop)
    out += " data-loop=\"" + anchor(annotation.loop->first) + " " + anchor(annotation.loop->last) +
           "\"";
  out += std::string("><thead><tr><th class=\"n\">Share<th class=\"n\">") + samples_head(total_);
  if (columns.reasons) out += "<th class=\"kinds\">Why";
  out += "<th class=\"o\">Offset<th>Instruction";
  if (columns.lines) out += "<th class=\"l\">Line";
  if (columns.edges) out += "<th class=\"w\">Waits for ←, feeds →";
  out += "</thead><tbody>\n";
  for (const AnnotatedInstruction& each : annotation.code)
    instruction(annotation, columns, each, out);
  out += "</tbody></table></div>\n";
}

void ListingHtml::instruction(const Annotation& annotation, const Columns& columns,
                              const AnnotatedInstruction& it, std::string& out) {
  const std::string here = anchor(it.offset);
  if (it.samples > 0) links_.add_offset(hex(it.offset + annotation.recorded_more), here);
  out += "<tr id=\"" + here + "\"";
  if (it.samples > 0)
    out += format(" class=\"h%d\" data-n=\"%llu\"", heat(it.samples, annotation),
                  static_cast<unsigned long long>(it.samples));
  else
    out += " class=\"z\"";
  const SourceLine& line = annotation.lines[it.line];
  if (line.number > 0) out += format(" data-l=\"%u\"", it.line);
  if (has_chain(it, annotation.samples, settings_.chains)) {
    out += " data-causes=\"";
    for (const Cause& cause : it.causes)
      if (cause.offset != it.offset)
        out +=
            anchor(cause.offset) + format(" %.0f ", cause.share * static_cast<double>(it.stalls));
    out += '"';
  }
  out += ">" + cell(" class=\"n p\"", it.samples > 0 ? share(it.samples, annotation) : "") +
         cell(" class=\"n\"", it.samples > 0 ? commas(it.samples) : "");
  if (columns.reasons) reasons(it, columns.most, out);
  out += "<td class=\"o\"><a href=\"#" + here + "\">" + hex(it.offset) + "</a>" +
         cell(" class=\"i\"", xml(it.text()));
  if (columns.lines) out += line_cell(line);
  if (columns.edges) out += "<td class=\"w\">";
  const auto edges = [&](const std::vector<uint64_t>& offsets, const char* way, const char* arrow) {
    for (size_t i = 0; i < std::min(offsets.size(), kMaxEdges); ++i)
      out += link(offsets[i], way, arrow) + " ";
    if (offsets.size() > kMaxEdges) out += format("+%zu ", offsets.size() - kMaxEdges);
  };
  edges(it.producers, "from", "←");
  edges(it.consumers, "to", "→");
  if (!it.reasons.empty()) out += "<td class=\"c\">" + xml(reasons_text(it.reasons, commas));
  chain(annotation, it, out);
  out += "\n";
}

void ListingHtml::reasons(const AnnotatedInstruction& it, uint64_t most, std::string& out) const {
  out += "<td class=\"kinds\">";
  if (it.reasons.empty()) return;
  // of equal kinds, one part; the names behind the bar tell them apart
  std::array<uint64_t, StallReason::kCategories> of{};
  for (const auto& [name, count] : it.reasons) {
    const StallReason* known = find_stall_reason(name);
    of[static_cast<size_t>(known != nullptr ? known->category : StallReason::Category::other)] +=
        count;
  }
  out += "<svg viewBox=\"0 0 1000 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">";
  uint64_t left = 0;
  const auto scaled = [&](uint64_t count) {
    return 1000 * static_cast<double>(count) / static_cast<double>(std::max<uint64_t>(most, 1));
  };
  for (size_t i = 0; i < of.size(); ++i) {
    if (of[i] == 0) continue;
    out += format("<rect class=\"k%zu\" x=\"%.1f\" width=\"%.1f\" height=\"1\"/>", i, scaled(left),
                  scaled(of[i]));
    left += of[i];
  }
  out += "</svg>";
}

std::string ListingHtml::link(uint64_t offset, const char* way, const char* arrow) const {
  return format("<a class=\"e\" data-way=\"%s\" href=\"#%s\">%s%s</a>", way, anchor(offset).c_str(),
                arrow, hex(offset).c_str());
}

// A further line below an instruction, with what led to its stalls.
void ListingHtml::chain(const Annotation& annotation, const AnnotatedInstruction& it,
                        std::string& out) const {
  if (!has_chain(it, annotation.samples, settings_.chains)) return;
  out += "<td class=\"c\">" + share(it.stalls, annotation) + " chain ";
  for (size_t i = 1; i < it.chain.size(); ++i)
    out += "← " + link(it.chain[i], "chain", "") + xml(link_text(annotation, it, i, false)) + " ";
  if (it.chain_end != ChainEnd::root) out += std::string("← ") + chain_end_name(it.chain_end);
}

// Where in the function its samples are, from the top to the bottom.
void ListingHtml::strip(const Annotation& annotation, std::string& out) const {
  const size_t rows = annotation.code.size(), steps = std::min(rows, kSteps);
  if (steps == 0) return;
  std::vector<uint64_t> most(steps, 0);
  for (size_t i = 0; i < rows; ++i) {
    uint64_t& step = most[i * steps / rows];
    step = std::max(step, annotation.code[i].samples);
  }
  out += format(
      "<svg class=\"strip\" viewBox=\"0 0 1 %zu\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"Where the samples are\">",
      steps);
  for (size_t i = 0; i < steps; ++i)
    if (const int hot = heat(most[i], annotation); hot > 0)
      out += format("<rect y=\"%zu\" width=\"1\" height=\"1\" opacity=\"%.1f\"/>", i, hot * 0.2);
  out += "</svg>\n";
}

std::string ListingHtml::end() {
  return page_end();
}

}  // namespace aiflame::annotate
