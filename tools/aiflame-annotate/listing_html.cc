// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_html.h"

#include <algorithm>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "tools/aiflame-annotate/listing_text.h"
#include "tools/aiflame-annotate/percent.h"
#include "tools/aiflame-annotate/sha256.h"

namespace aiflame::annotate {
namespace {

constexpr std::string_view kScript =
#include "tools/aiflame-annotate/page/annotate.js.inc"
    ;
constexpr std::string_view kStyle =
#include "tools/aiflame-annotate/page/annotate.css.inc"
    ;

// Lines of source that are shown around those that have code.
constexpr uint64_t kContext = 3;

// The heat strip has so many steps; a screen shows no more.
constexpr size_t kSteps = 400;

constexpr size_t kMaxEdges = 32;

std::string hex(uint64_t number) {
  return format("0x%llx", static_cast<unsigned long long>(number));
}

// The end of an element's start tag and the text in it.
std::string cell(const char* attributes, const std::string& text) {
  return std::string("<td") + attributes + ">" + text;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string ListingHtml::anchor(uint64_t offset) const {
  return (functions_ == 1 ? "" : std::to_string(functions_) + "-") + hex(offset);
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

std::string ListingHtml::begin(const Statistics& statistics,
                               const std::vector<ListedFunction>& functions) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'sha256-" +
      sha256_base64(kScript) + "'; style-src 'sha256-" + sha256_base64(kStyle) +
      "'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      html_text(functions.empty() ? "no samples" : functions.front().name) +
      " - aiflame-annotate</title>\n<style>";
  out.append(kStyle).append("</style></head>\n<body>\n<h1>Annotated kernels</h1>\n<p>");
  out += html_text(total_.event) + ": " + std::to_string(total_.samples) + " " +
         html_text(total_.unit);
  if (statistics.outside > 0)
    out += ", " + std::to_string(statistics.outside) + " of no known kernel";
  if (statistics.filtered + statistics.below_limit > 0)
    out += ", " + std::to_string(statistics.filtered + statistics.below_limit) + " not shown";
  out +=
      ". <kbd>n</kbd> and <kbd>p</kbd> go to the next and previous hot spot; a click marks what an "
      "instruction waits for and what waits for it. <span id=\"status\" role=\"status\"></span></p>"
      "\n<nav aria-label=\"Kernels\"><ol>\n";
  for (size_t i = 0; i < functions.size(); ++i)
    out += format("<li><a href=\"#k%zu\">", i + 1) + html_text(functions[i].name) + "</a> " +
           percent(functions[i].samples, total_.samples) + "\n";
  return out + "</ol></nav>\n<main>\n";
}

std::string ListingHtml::function(const Annotation& annotation) {
  ++functions_;
  links_.add(annotation.kernel, format("k%zu", functions_));
  std::string out = format("<section id=\"k%zu\"><h2>", functions_) + html_text(annotation.kernel);
  if (!annotation.function.empty()) out += ": " + html_text(annotation.function);
  out += "</h2>\n<p>" + std::to_string(annotation.samples) + " " + html_text(total_.unit) + ", " +
         percent(annotation.samples, total_.samples) + " of all";
  if (!annotation.object.empty()) out += "; " + html_text(annotation.object);
  if (!annotation.whole) out += "; instructions without samples are not known";
  if (annotation.unnamed_samples > 0)
    out += std::string("; some instructions have no name: ") + unnamed_phrase(annotation.unnamed);
  out += "</p>\n<div class=\"panes\">\n";
  source_pane(annotation, out);
  code_pane(annotation, out);
  strip(annotation, out);
  return out + "</div></section>\n";
}

// The lines that have code, with some lines around them, file by file.
void ListingHtml::source_pane(const Annotation& annotation, std::string& out) {
  out +=
      "<div class=\"pane source\" tabindex=\"0\" aria-label=\"Source\"><table><thead><tr><th "
      "class=\"n\">Share<th class=\"n\">Samples<th class=\"n\">Line<th>Source</thead><tbody>\n";
  std::map<std::string, std::map<uint64_t, size_t>> files;  // indices of lines
  for (size_t i = 0; i < annotation.lines.size(); ++i)
    if (annotation.lines[i].number > 0)
      files[annotation.lines[i].file][annotation.lines[i].number] = i;
  if (files.empty()) out += "<tr class=\"g z\"><td>no line information\n";
  for (const auto& [file, lines] : files) {
    const bool found = sources_.line(file, lines.begin()->first).has_value();
    out += "<tr class=\"f\"><td>" + html_text(file) + (found ? "\n" : " (source not found)\n");
    uint64_t next = 1;  // the first line that was not shown yet
    for (const auto& [number, index] : lines) {
      uint64_t from = std::max(next, number - std::min(number - 1, kContext));
      if (from == next + 1) from = next;  // as long as the row that would stand for it
      if (from > next && next > 1) out += "<tr class=\"g z\"><td>…\n";
      const auto after = lines.upper_bound(number);
      const uint64_t last =
          after == lines.end() ? number + kContext : std::min(number + kContext, after->first - 1);
      for (uint64_t at = from; at <= last; ++at) source_row(file, at, annotation, lines, out);
      next = last + 1;
    }
  }
  out += "</tbody></table></div>\n";
}

void ListingHtml::source_row(const std::string& file, uint64_t number, const Annotation& annotation,
                             const std::map<uint64_t, size_t>& lines, std::string& out) {
  const auto text = sources_.line(file, number);
  const auto known = lines.find(number);
  if (!text && known == lines.end()) return;
  std::string source = text ? html_text(source_text(*text)) : "";
  if (known == lines.end()) {
    out += "<tr class=\"z\"><td><td><td class=\"n\">" + std::to_string(number) + "<td>" + source +
           "\n";
    return;
  }
  const uint64_t samples = annotation.lines[known->second].samples;
  const SourceLine& line = annotation.lines[known->second];
  const std::string name = line_name(line, false);
  const std::string id = lines_.insert(name).second ? " id=\"" + html_text(name) + "\"" : "";
  links_.add(line_name(line, settings_.full_paths), name);
  out += format("<tr class=\"h%d\" data-l=\"%zu\"", heat(samples, annotation), known->second) + id +
         ">" + cell(" class=\"n p\"", samples > 0 ? share(samples, annotation) : "") +
         cell(" class=\"n\"", samples > 0 ? std::to_string(samples) : "") +
         cell(" class=\"n\"", std::to_string(number)) + cell("", source) + "\n";
}

void ListingHtml::code_pane(const Annotation& annotation, std::string& out) {
  Columns columns;
  for (const AnnotatedInstruction& each : annotation.code) {
    columns.reasons |= !each.reasons.empty();
    columns.edges |= !each.producers.empty() || !each.consumers.empty();
    columns.lines |= annotation.lines[each.line].number > 0;
  }
  out += "<div class=\"pane code\" tabindex=\"0\" aria-label=\"Instructions\"><table class=\"";
  if (columns.reasons) out += "reasons ";
  if (columns.edges) out += "edges ";
  if (columns.lines) out += "lines";
  out += "\"><thead><tr><th class=\"n\">Share<th class=\"n\">Samples<th>Offset<th>Instruction";
  if (columns.reasons) out += "<th>Reasons";
  if (columns.edges) out += "<th>Waits for ←, feeds →";
  if (columns.lines) out += "<th>Line";
  out += "</thead><tbody>\n";
  for (const AnnotatedInstruction& each : annotation.code)
    instruction(annotation, columns, each, out);
  out += "</tbody></table></div>\n";
}

void ListingHtml::instruction(const Annotation& annotation, const Columns& columns,
                              const AnnotatedInstruction& it, std::string& out) {
  const std::string here = anchor(it.offset);
  if (it.samples > 0) links_.add_offset(hex(it.offset), here);
  out += "<tr id=\"" + here + "\"";
  if (it.samples > 0)
    out += format(" class=\"h%d\" data-n=\"%llu\"", heat(it.samples, annotation),
                  static_cast<unsigned long long>(it.samples));
  else
    out += " class=\"z\"";
  const SourceLine& line = annotation.lines[it.line];
  if (line.number > 0) out += format(" data-l=\"%u\"", it.line);
  out += ">" + cell(" class=\"n p\"", it.samples > 0 ? share(it.samples, annotation) : "") +
         cell(" class=\"n\"", it.samples > 0 ? std::to_string(it.samples) : "") +
         "<td><a href=\"#" + here + "\">" + hex(it.offset) + "</a>" +
         cell("", html_text(it.text()));
  if (columns.reasons) out += cell("", html_text(reasons_text(it.reasons)));
  if (columns.edges) out += "<td>";
  const auto edges = [&](const std::vector<uint64_t>& offsets, const char* way, const char* arrow) {
    for (size_t i = 0; i < std::min(offsets.size(), kMaxEdges); ++i)
      out += format("<a class=\"e\" data-way=\"%s\" href=\"#%s\">%s%s</a> ", way,
                    anchor(offsets[i]).c_str(), arrow, hex(offsets[i]).c_str());
    if (offsets.size() > kMaxEdges) out += format("+%zu ", offsets.size() - kMaxEdges);
  };
  edges(it.producers, "from", "←");
  edges(it.consumers, "to", "→");
  if (columns.lines) out += cell("", line.number > 0 ? html_text(line_name(line, false)) : "");
  out += "\n";
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
  std::string out = "</main>\n<script>";
  return out.append(kScript).append("</script>\n</body></html>\n");
}

}  // namespace aiflame::annotate
