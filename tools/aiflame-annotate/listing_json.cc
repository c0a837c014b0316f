// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_json.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "libcommon/base/json.h"
#include "libcommon/base/program.h"

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

std::string instruction_json(const AnnotatedInstruction& it) {
  std::string out = "{\"offset\": " + number(it.offset);
  if (it.size > 0) out += ", \"size\": " + number(it.size);
  out += text("guard", it.guard) + text("mnemonic", it.mnemonic) + text("operands", it.operands) +
         ", \"samples\": " + number(it.samples);
  std::string reasons;
  for (const auto& [reason, count] : it.reasons)
    reasons += (reasons.empty() ? "" : ", ") + json_string(reason) + ": " + number(count);
  if (!reasons.empty()) out += ", \"reasons\": {" + reasons + "}";
  return out + offsets("producers", it.producers) + offsets("consumers", it.consumers) + "}";
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
         ", \"whole\": " + (annotation.whole ? "true" : "false") + ", \"lines\": [";
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
  return out + "]}";
}

std::string ListingJson::end() {
  return first_ ? "]\n}\n" : "\n  ]\n}\n";
}

}  // namespace aiflame::annotate
