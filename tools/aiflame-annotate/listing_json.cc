// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_json.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcommon/base/json.h"
#include "libcommon/base/program.h"
#include "tools/aiflame-annotate/findings.h"

namespace aiflame::annotate {
namespace {

std::string number(uint64_t value) {
  return std::to_string(value);
}

// `, "producers": [656, 672]`, or nothing
std::string offsets(const char* name, const std::vector<uint64_t>& list) {
  std::string out;
  for (const uint64_t each : list) out += (out.empty() ? "" : ", ") + number(each);
  return out.empty() ? "" : format(", \"%s\": [", name) + out + "]";
}

// `, "file": "a.cl"`, or nothing
std::string text(const char* name, std::string_view value) {
  return value.empty() ? "" : format(", \"%s\": ", name) + json_string(value);
}

// `, "reasons": {"sbid": 7}`, or nothing
std::string reasons_json(const char* name, const Reasons& reasons) {
  std::string out;
  for (const auto& [reason, count] : reasons)
    out += (out.empty() ? "" : ", ") + json_string(reason) + ": " + number(count);
  return out.empty() ? "" : format(", \"%s\": {", name) + out + "}";
}

// `, "stalls": 288, "causes": [{"offset": 656, "share": 1}], "chain": [712, 656], …`, or nothing
std::string causes_json(const AnnotatedInstruction& it) {
  if (it.stalls == 0) return "";
  std::string causes;
  for (const Cause& each : it.causes)
    causes += (causes.empty() ? "{\"offset\": " : ", {\"offset\": ") + number(each.offset) +
              format(", \"share\": %.4g}", each.share);
  return ", \"stalls\": " + number(it.stalls) + ", \"causes\": [" + causes + "]" +
         offsets("chain", it.chain) + text("chain_end", chain_end_name(it.chain_end));
}

// `, "coverage": {…}, "roots": [{"offset": 656, "samples": 288, "victims": […]}]`
std::string roots_json(const Annotation& annotation) {
  std::string out;
  for (const Root& root : annotation.roots) {
    std::string victims;
    for (const auto& [offset, samples] : root.victims)
      victims += (victims.empty() ? "{\"offset\": " : ", {\"offset\": ") + number(offset) +
                 ", \"samples\": " + number(samples) + "}";
    out += (out.empty() ? "\n    {\"offset\": " : ",\n    {\"offset\": ") + number(root.offset) +
           ", \"samples\": " + number(root.samples) + ", \"victims\": [" + victims + "]}";
  }
  return ", \"coverage\": " + coverage_json(annotation.coverage) + ", \"roots\": [" + out + "]";
}

std::string instruction_json(const AnnotatedInstruction& it) {
  std::string out = "{\"offset\": " + number(it.offset);
  if (it.size > 0) out += ", \"size\": " + number(it.size);
  out += text("guard", it.guard) + text("mnemonic", it.mnemonic) + text("operands", it.operands) +
         ", \"samples\": " + number(it.samples);
  if (it.column > 0) out += ", \"column\": " + number(it.column);
  return out + reasons_json("reasons", it.reasons) + reasons_json("exposed", it.exposed) +
         offsets("producers", it.producers) + offsets("consumers", it.consumers) + causes_json(it) +
         "}";
}

// The instructions of a finding, with their parts of its samples. `reasons`: with those of all
// their stalls.
std::string instructions_json(const char* name, const std::vector<Finding::Instruction>& list,
                              bool reasons, const Annotation& annotation) {
  std::string out;
  for (const Finding::Instruction& each : list) {
    const AnnotatedInstruction& it = annotation.code[each.index];
    out += (out.empty() ? "{" : ", {") + format("\"offset\": ") + number(it.offset) +
           text("mnemonic", it.mnemonic) + ", \"samples\": " + number(each.samples) +
           (reasons ? reasons_json("reasons", costly_stalls(it, annotation.tells_exposed)) : "") +
           "}";
  }
  return format(", \"%s\": [", name) + out + "]";
}

std::string finding_json(const Finding& finding, const Annotation& annotation,
                         SourceTexts& sources) {
  std::string out = "{\"id\": " + json_string(finding.id) +
                    text("text", finding_text(finding, annotation, false)) +
                    format(", \"kind\": \"%s\"", kind_name(finding.kind)) +
                    text("kernel", annotation.kernel) + text("function", annotation.function);
  if (const SourceLine& line = annotation.lines[finding.line]; line.number > 0) {
    out += text("file", line.file) + ", \"line\": " + number(line.number);
    if (finding.column > 0) out += ", \"column\": " + number(finding.column);
    if (const auto source = sources.line(line.file, line.number))
      out += ", \"source\": " + json_string(*source);
  }
  out += text("operand", finding.operand) + text("cause", finding.cause) +
         ", \"samples\": " + number(finding.samples) +
         format(", \"share\": %.6g", static_cast<double>(finding.samples) /
                                         static_cast<double>(std::max<uint64_t>(finding.of, 1))) +
         format(", \"exposed\": %s, \"estimated\": %s", finding.exposed ? "true" : "false",
                finding.estimated ? "true" : "false") +
         ", \"at_most\": " + gain_json(finding.gain);
  return out + instructions_json("causes", finding.causes, false, annotation) +
         instructions_json("evidence", finding.evidence, true, annotation) + "}";
}

}  // namespace

std::string ListingJson::begin(const Statistics& statistics, const std::vector<ListedFunction>&) {
  return "{\n  \"aiflame_annotate\": 1" + text("event", total_.event) + text("unit", total_.unit) +
         ",\n  \"samples\": " + number(total_.samples) +
         ", \"outside\": " + number(statistics.outside) +
         ", \"filtered\": " + number(statistics.filtered) +
         ", \"below_limit\": " + number(statistics.below_limit) + ",\n  \"functions\": [";
}

// `code`: the line's instructions, as indices in the annotation.
void ListingJson::line(const Annotation& annotation, size_t index, const std::vector<size_t>& code,
                       std::string& out) {
  const SourceLine& its = annotation.lines[index];
  out += "{\"samples\": " + number(its.samples);
  if (its.number > 0) {
    out += text("file", its.file) + ", \"line\": " + number(its.number);
    if (const auto source = sources_.line(its.file, its.number))
      out += ", \"source\": " + json_string(*source);
  }
  out += ", \"instructions\": [";
  for (const size_t at : code)
    out.append(at == code.front() ? "\n      " : ",\n      ")
        .append(instruction_json(annotation.code[at]));
  out += "]}";
}

std::string ListingJson::function(const Annotation& annotation) {
  std::string out = std::exchange(first_, false) ? "\n  {" : ",\n  {";
  out += "\"kernel\": " + json_string(annotation.kernel) + text("symbol", annotation.symbol) +
         text("function", annotation.function) + text("object", annotation.object) +
         ", \"samples\": " + number(annotation.samples) +
         ", \"whole\": " + (annotation.whole ? "true" : "false") + ", \"findings\": [";
  for (const Finding& each : annotation.findings)
    out.append(&each == annotation.findings.data() ? "\n    " : ",\n    ")
        .append(finding_json(each, annotation, sources_));
  out += annotation.findings.empty() ? "], \"lines\": [" : "\n  ], \"lines\": [";
  std::vector<size_t> order(annotation.lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return annotation.lines[a].samples > annotation.lines[b].samples;
  });
  std::vector<std::vector<size_t>> code(annotation.lines.size());
  for (size_t i = 0; i < annotation.code.size(); ++i) code[annotation.code[i].line].push_back(i);
  for (const size_t index : order) {
    out += index == order.front() ? "\n    " : ",\n    ";
    line(annotation, index, code[index], out);
  }
  return out + "]" + roots_json(annotation) + "}";
}

std::string ListingJson::end() {
  return first_ ? "]\n}\n" : "\n  ]\n}\n";
}

}  // namespace aiflame::annotate
