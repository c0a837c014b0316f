// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/annotation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/code/stall_reasons.h"
#include "libcommon/device/function_name.h"
#include "tools/aiflame-annotate/function_causes.h"
#include "tools/aiflame-annotate/hot_loop.h"

namespace aiflame::annotate {
namespace {

// A recording can name any number of kernels with the same large code. The largest genuine
// programs have some hundred thousand instructions. The source frames of so many, which libcommon
// keeps, take some 500 MB.
constexpr uint64_t kMaxListed = uint64_t{1} << 20;

// Steps of the search for causes, in all functions: some two seconds, in code made to take long.
constexpr uint64_t kMaxSteps = uint64_t{1} << 26;

// A search for producers takes 0.3 ms at most, in code made to take long.
constexpr uint64_t kMaxAsked = uint64_t{1} << 16;

void add_reasons(const InstructionSamples& samples, Reasons& out) {
  for (const auto& reason : samples.reasons) {
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const auto& known) { return known.first == reason.first; });
    if (same == out.end())
      out.emplace_back(reason);
    else
      same->second += reason.second;
  }
}

// The instruction that holds an offset, or nullptr.
template <typename Code>
auto* holder_of(Code& code, uint64_t offset) {
  const auto index = instruction_at(code, offset);
  return index ? &code[*index] : nullptr;
}

}  // namespace

bool is_work(std::string_view reason) {
  const StallReason* const known = find_stall_reason(reason);
  return known != nullptr && known->category == StallReason::Category::issuing;
}

bool is_costly(std::string_view reason) {
  const StallReason* const known = find_stall_reason(reason);
  return !is_work(reason) && (known == nullptr || !is_always_hidden(*known));
}

Reasons costly_stalls(const AnnotatedInstruction& instruction, bool tells_exposed) {
  Reasons out = tells_exposed ? instruction.exposed : instruction.reasons;
  std::erase_if(out, [](const auto& reason) { return !is_costly(reason.first); });
  return out;
}

std::optional<uint32_t> instruction_at(const std::vector<AnnotatedInstruction>& code,
                                       uint64_t offset) {
  auto next = std::upper_bound(
      code.begin(), code.end(), offset,
      [](uint64_t at, const AnnotatedInstruction& each) { return at < each.offset; });
  if (next == code.begin()) return std::nullopt;
  --next;
  if (offset != next->offset && offset - next->offset >= next->size) return std::nullopt;
  return static_cast<uint32_t>(next - code.begin());
}

Reasons sorted_reasons(Reasons reasons) {
  std::sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return reasons;
}

std::string AnnotatedInstruction::text() const {
  std::string out = guard;
  for (const std::string* part : {&mnemonic, &operands})
    if (!part->empty()) out.append(out.empty() ? "" : " ").append(*part);
  return mnemonic.empty() ? "-" : out;
}

std::string Annotator::name_of(const FunctionKey& key) const {
  std::string out = device_function_name(key.kernel, full_names_);
  if (!key.function.empty()) out += ": " + device_function_name(key.function, full_names_);
  return out;
}

const AnnotatedInstruction* Annotation::at(uint64_t offset) const {
  return holder_of(code, offset);
}

CodeListing Annotator::listing_of(const FunctionKey& key, const FunctionSamples& samples) {
  if (key.object.empty()) return {};
  if (listed_ > kMaxListed) {
    if (!std::exchange(warned_, true))
      warn("more than 1048576 instructions; further kernels show those with samples alone");
    return {};
  }
  CodeListing out = symbolizer_.listing_at({key.object, samples.instructions.begin()->first});
  listed_ += out.code.size();
  return out;
}

Annotation Annotator::annotate(const FunctionKey& key, const FunctionSamples& samples,
                               const FunctionSamples* exposed) {
  Annotation out;
  out.kernel = device_function_name(key.kernel, full_names_);
  if (!key.function.empty()) out.function = device_function_name(key.function, full_names_);
  out.symbol = key.kernel;
  out.object = key.object;
  out.samples = samples.count;

  CodeListing listing = listing_of(key, samples);
  out.whole = !listing.empty();
  out.unnamed = listing.unnamed;
  const uint64_t base = listing.empty() ? key.start : listing.begin;
  out.recorded_more = base - key.start;
  for (ListedInstruction& each : listing.code) {
    AnnotatedInstruction& added = out.code.emplace_back();
    added.offset = each.offset - base;
    added.size = each.size;
    added.guard = std::move(each.guard);
    added.mnemonic = std::move(each.mnemonic);
    added.operands = std::move(each.operands);
  }
  // Samples between instructions are those of the instruction that they are in. What lies outside
  // of the listing, or where there is none, gets a row of its own.
  std::vector<AnnotatedInstruction> alone;
  for (const auto& [at, counts] : samples.instructions) {
    AnnotatedInstruction* row = at < base ? nullptr : holder_of(out.code, at - base);
    if (row == nullptr) {
      row = &alone.emplace_back();
      row->offset = at - base;  // below the start it wraps: the recording contradicts the object
      Mnemonic name = key.object.empty() ? Mnemonic{"", Unnamed::no_object}
                                         : symbolizer_.mnemonic_at({key.object, at});
      row->mnemonic = std::move(name.name);
      if (row->mnemonic.empty()) out.unnamed = name.unnamed;
    }
    row->samples += counts.count;
    add_reasons(counts, row->reasons);
  }
  out.code.insert(out.code.end(), std::make_move_iterator(alone.begin()),
                  std::make_move_iterator(alone.end()));
  std::stable_sort(out.code.begin(), out.code.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  // an exposed stall is at an instruction with stalls
  out.tells_exposed = exposed != nullptr;
  if (exposed != nullptr)
    for (const auto& [at, counts] : exposed->instructions)
      if (AnnotatedInstruction* row = holder_of(out.code, at - base); row != nullptr)
        add_reasons(counts, row->exposed);
  for (AnnotatedInstruction& each : out.code) {
    each.reasons = sorted_reasons(std::move(each.reasons));
    each.exposed = sorted_reasons(std::move(each.exposed));
  }
  if (key.object.empty()) {
    add_names(samples, out);
  } else {
    add_operations(key, base, out);
    add_lines(key, base, out);
    add_edges(key, base, out);
  }
  add_causes(key, base, out);
  for (const AnnotatedInstruction& each : out.code)
    if (each.mnemonic.empty()) out.unnamed_samples += each.samples;
  return out;
}

// Loads and the like have a name without a disassembler, though it may lack modifiers.
void Annotator::add_operations(const FunctionKey& key, uint64_t base, Annotation& out) {
  if (out.unnamed != Unnamed::no_disassembler && out.unnamed != Unnamed::unknown_device) return;
  for (AnnotatedInstruction& each : out.code)
    if (each.mnemonic.empty())
      each.mnemonic = symbolizer_.operation_at({key.object, base + each.offset});
}

void Annotator::add_lines(const FunctionKey& key, uint64_t base, Annotation& out) {
  LineRows rows;
  for (size_t i = 0; i < out.code.size(); ++i) {
    const auto& frames = symbolizer_.frames_at({key.object, base + out.code[i].offset});
    const bool known = !frames.empty() && frames.front().line > 0;
    if (known) out.code[i].column = frames.front().column;
    rows[known ? std::make_pair(frames.front().file, frames.front().line)
               : std::make_pair(std::string(), 0u)]
        .push_back(i);
  }
  add_line_rows(rows, out);
}

// Without a code object: what folded text says.
void Annotator::add_names(const FunctionSamples& samples, Annotation& out) {
  LineRows rows;
  for (size_t i = 0; i < out.code.size(); ++i) {
    const auto known = samples.names.find(out.code[i].offset);
    const InstructionName its = known == samples.names.end() ? InstructionName() : known->second;
    if (out.code[i].mnemonic.empty()) out.code[i].mnemonic = its.mnemonic;
    rows[{its.file, its.line}].push_back(i);
  }
  add_line_rows(rows, out);
}

void Annotator::add_line_rows(const LineRows& rows, Annotation& out) {
  for (const auto& [line, indices] : rows) {
    SourceLine& added = out.lines.emplace_back(SourceLine{line.first, line.second, 0});
    for (const size_t i : indices) {
      out.code[i].line = static_cast<uint32_t>(out.lines.size() - 1);
      added.samples += out.code[i].samples;
    }
  }
}

void Annotator::add_edges(const FunctionKey& key, uint64_t base, Annotation& out) {
  for (size_t i = 0; i < out.code.size(); ++i) {
    if (out.code[i].samples == 0 || ++asked_ > kMaxAsked) continue;
    const uint64_t consumer = out.code[i].offset;
    for (const uint64_t at : symbolizer_.producers_of({key.object, base + consumer})) {
      if (at < base) continue;
      out.code[i].producers.push_back(at - base);
      AnnotatedInstruction* const producer = holder_of(out.code, at - base);
      if (producer != nullptr) producer->consumers.push_back(consumer);
    }
  }
}

void Annotator::add_causes(const FunctionKey& key, uint64_t base, Annotation& out) {
  CodeFlow flow;
  if (out.whole) flow = symbolizer_.code_flow_at({key.object, base + out.code.front().offset});
  for (size_t i = 0; i < flow.operations.size() && i < flow.offsets.size(); ++i)
    if (AnnotatedInstruction* it = holder_of(out.code, flow.offsets[i] - base); it != nullptr)
      it->operation = flow.operations[i];
  out.loop = find_hot_loop(flow, base, out.code);
  steps_ += add_stall_causes(std::move(flow), base, kMaxSteps - steps_, out);
}

}  // namespace aiflame::annotate
