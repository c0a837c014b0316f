// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/findings.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/code/awaited_operations.h"
#include "libcommon/code/stall_reasons.h"
#include "tools/aiflame-annotate/operand.h"
#include "tools/aiflame-annotate/percent.h"

namespace aiflame::annotate {
namespace {

constexpr size_t kMaxFindings = 8;   // of a function
constexpr size_t kMaxEvidence = 16;  // instructions of a finding
constexpr double kLeastShare = 1;    // percent

// What an instruction is, for a sentence.
const char* kind_of(Operation operation) {
  switch (operation) {
    case Operation::load:
      return "load";
    case Operation::local_load:
      return "local load";
    case Operation::constant_load:
      return "constant load";
    case Operation::store:
      return "store";
    case Operation::local_store:
      return "local store";
    case Operation::atomic:
      return "atomic";
    case Operation::barrier:
      return "barrier";
    case Operation::unknown:
    case Operation::arithmetic:
    case Operation::slow_arithmetic:
    case Operation::control:
      break;
  }
  return "";
}

std::string cause_of(const AnnotatedInstruction& it) {
  std::string kind = kind_of(it.operation);
  if (!kind.empty()) return kind;
  return it.mnemonic.empty() ? "instruction" : it.mnemonic;
}

// An instruction's stalls without another known cause, by reason; `samples`: their number. For a
// wait for a result, a single stall's cause is not known: all of them have one, or none has.
Reasons own_reasons(const AnnotatedInstruction& it, bool tells_exposed, uint64_t samples) {
  Reasons out = costly_stalls(it, tells_exposed);
  if (samples < it.stalls)
    std::erase_if(out, [](const auto& each) { return awaited_operations(each.first) != 0; });
  return out;
}

// As Cause::estimated, of an instruction that stalls and one of its causes.
bool is_estimated(const AnnotatedInstruction& it, uint64_t cause) {
  const auto found = std::find_if(it.causes.begin(), it.causes.end(),
                                  [&](const Cause& each) { return each.offset == cause; });
  return found != it.causes.end() && found->estimated;
}

std::vector<Finding::Instruction> sorted(const std::map<uint32_t, uint64_t>& samples) {
  std::vector<Finding::Instruction> out;
  for (const auto& [index, count] : samples) out.push_back({index, count});
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.samples > b.samples; });
  if (out.size() > kMaxEvidence) out.resize(kMaxEvidence);
  return out;
}

std::string file_name(const std::string& file, bool full_path) {
  return printable(full_path ? file : file.substr(file.rfind('/') + 1));
}

// "matmul.cl:10", or "0x448" where there is no line
std::string place_of(const Finding& finding, const Annotation& annotation, bool full_path) {
  const SourceLine& line = annotation.lines[finding.line];
  if (line.number > 0) return file_name(line.file, full_path) + ":" + std::to_string(line.number);
  return format("0x%llx", static_cast<unsigned long long>(
                              annotation.code[finding.causes.front().index].offset));
}

}  // namespace

const char* kind_name(Finding::Kind kind) {
  constexpr const char* kNames[] = {"feeds", "stalls", "takes"};
  return kNames[static_cast<int>(kind)];
}

std::string finding_text(const Finding& finding, const Annotation& annotation, bool full_path) {
  const bool is_store = finding.cause == kind_of(Operation::store);
  std::string out = printable(finding.cause);
  if (!finding.operand.empty()) out += " of " + printable(finding.operand);
  out += (out.empty() ? "" : " at ") + place_of(finding, annotation, full_path);
  // which of several on that line
  if (finding.operand.empty() && finding.column > 0) out += ":" + std::to_string(finding.column);
  out += finding.kind != Finding::Kind::feeds ? " has" : is_store ? " holds up" : " feeds";
  if (finding.estimated) out += ", by estimate,";
  out += " " + percent(finding.samples, finding.of) + " of " + printable(annotation.kernel) + "'s ";
  if (finding.exposed) out += "exposed ";
  out += finding.of_time ? "samples" : "stalls";
  if (const auto& [reason, samples] = finding.reason; samples * 2 > finding.samples)
    out += " (most of them " + printable(reason) + ")";
  else if (samples > 0)
    out += " (" + percent(samples, finding.samples) + " of them " + printable(reason) + ")";
  return out + (std::isfinite(finding.gain.removed)
                    ? "; at most " + times_text(finding.gain.removed) + " times faster"
                    : "; nothing else has samples");
}

FindingMaker::FindingMaker(const EventSamples& samples, const EventSamples* exposed) {
  const auto add = [&](const EventSamples& event, const auto& take) {
    for (const auto& [key, function] : event.functions) {
      Totals& kernel = kernels_[{key.kernel, key.object}];
      if (&event == &samples) kernel.samples.all += function.count;
      for (const auto& [offset, each] : function.instructions)
        for (const auto& [reason, count] : each.reasons) take(kernel, reason, count);
    }
  };
  device_ = samples.read;
  add(samples, [&](Totals& kernel, const std::string& reason, uint64_t count) {
    has_reasons_ = true;
    if (is_work(reason)) {
      tells_issued_ = true;
      kernel.samples.issued += count;
    }
    if (exposed != nullptr || stands_for_hidden(reason)) kernel.tells_exposed = true;
    if (exposed == nullptr && is_costly(reason)) kernel.stalls += count;
  });
  if (exposed != nullptr)
    add(*exposed, [](Totals& kernel, const std::string& reason, uint64_t count) {
      if (is_costly(reason)) kernel.stalls += count;
    });
  if (has_reasons_) return;
  for (auto& [key, kernel] : kernels_) kernel.stalls = kernel.samples.all;
}

// The causes of one kind at one expression of the source, or of one line where no column is known:
// copies that the compiler has made of it are one.
struct FindingMaker::Group {
  Finding::Kind kind = Finding::Kind::feeds;
  uint32_t line = 0, column = 0;
  std::string cause;
  uint64_t samples = 0, estimated = 0;
  std::map<uint32_t, uint64_t> causes, victims;
};

// Of all samples of a finding of kind `stalls`.
std::pair<std::string, uint64_t> FindingMaker::main_reason(const Group& group,
                                                           const Annotation& annotation) {
  if (group.kind != Finding::Kind::stalls) return {};
  std::map<std::string, uint64_t> reasons;
  for (const auto& [index, samples] : group.victims)
    for (const auto& [reason, count] :
         own_reasons(annotation.code[index], annotation.tells_exposed, samples))
      reasons[reason] += count;
  const Reasons all = sorted_reasons({reasons.begin(), reasons.end()});
  if (all.empty()) return {};
  return all.front();
}

std::vector<FindingMaker::Group> FindingMaker::groups_of(const Annotation& annotation) const {
  std::map<std::tuple<Finding::Kind, uint32_t, uint64_t, std::string>, Group> groups;
  for (const Root& root : annotation.roots) {
    const auto root_index = instruction_at(annotation.code, root.offset);
    if (!root_index) continue;
    const AnnotatedInstruction& cause = annotation.code[*root_index];
    const bool has_line = annotation.lines[cause.line].number > 0;
    const std::string name = cause_of(cause);
    for (const auto& [victim, samples] : root.victims) {
      const auto index = instruction_at(annotation.code, victim);
      if (!index) continue;
      const bool own = index == root_index;
      const Finding::Kind kind = !own           ? Finding::Kind::feeds
                                 : has_reasons_ ? Finding::Kind::stalls
                                                : Finding::Kind::takes;
      const uint32_t column = own ? 0 : cause.column;
      // A sample of time may be an instruction late, so it tells the line and no more.
      const std::string& shown = kind == Finding::Kind::takes ? "" : name;
      Group& group = groups[{kind, cause.line, has_line ? column : cause.offset, shown}];
      group.kind = kind;
      group.line = cause.line;
      group.cause = shown;
      group.column = has_line ? column : 0;
      group.samples += samples;
      if (is_estimated(annotation.code[*index], root.offset)) group.estimated += samples;
      group.causes[*root_index] += samples;
      group.victims[*index] += samples;
    }
  }
  std::vector<Group> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  std::stable_sort(out.begin(), out.end(),
                   [](const Group& a, const Group& b) { return a.samples > b.samples; });
  return out;
}

uint64_t FindingMaker::kernel_samples(const FunctionKey& key) const {
  const auto found = kernels_.find({key.kernel, key.object});
  return found == kernels_.end() ? 0 : found->second.samples.all;
}

std::vector<Finding> FindingMaker::find(const FunctionKey& key, const Annotation& annotation,
                                        SourceTexts& sources) {
  const Totals& kernel = kernels_[{key.kernel, key.object}];
  std::vector<Finding> out;
  for (const Group& group : groups_of(annotation)) {
    if (out.size() >= kMaxFindings || !is_at_least(group.samples, kernel.stalls, kLeastShare))
      break;
    Finding& it = out.emplace_back();
    it.kind = group.kind;
    it.line = group.line;
    it.column = group.column;
    it.samples = group.samples;
    it.of = kernel.stalls;
    it.of_time = !has_reasons_;
    it.exposed = kernel.tells_exposed;
    it.estimated = is_at_least(group.estimated, group.samples, kLeastShare);
    it.reason = main_reason(group, annotation);
    it.gain = bound_of_gain(group.samples, kernel.samples, device_, tells_issued_);
    it.causes = sorted(group.causes);
    it.evidence = sorted(group.victims);
    const SourceLine& line = annotation.lines[it.line];
    it.cause = group.cause;
    if (const auto text = sources.line(line.file, line.number); text && it.column > 0)
      it.operand = operand_at(*text, it.column);
    it.id = annotation.kernel;
    if (!annotation.function.empty()) it.id += ";" + annotation.function;
    it.id += std::string(" ") + kind_name(it.kind) + " ";
    if (!it.cause.empty()) it.id += it.cause + " ";
    it.id += place_of(it, annotation, false);
    if (it.column > 0) it.id += ":" + std::to_string(it.column);
    if (const unsigned number = ++ids_[it.id]; number > 1) it.id += format(" (%u)", number);
  }
  return out;
}

}  // namespace aiflame::annotate
