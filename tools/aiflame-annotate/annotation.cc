// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/annotation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/device/function_name.h"

namespace aiflame::annotate {
namespace {

// A recording can name any number of kernels with the same large code. The largest genuine
// programs have some hundred thousand instructions. The source frames of so many, which libcommon
// keeps, take some 500 MB.
constexpr uint64_t kMaxListed = uint64_t{1} << 20;

// A search for producers takes 0.3 ms at most, in code made to take long.
constexpr uint64_t kMaxAsked = uint64_t{1} << 16;

void add_samples_of(const InstructionSamples& samples, AnnotatedInstruction& out) {
  out.samples += samples.count;
  for (const auto& reason : samples.reasons) {
    const auto same = std::find_if(out.reasons.begin(), out.reasons.end(),
                                   [&](const auto& known) { return known.first == reason.first; });
    if (same == out.reasons.end())
      out.reasons.emplace_back(reason);
    else
      same->second += reason.second;
  }
}

// The instruction that holds an offset, or nullptr.
AnnotatedInstruction* holder_of(std::vector<AnnotatedInstruction>& code, uint64_t offset) {
  auto next = std::upper_bound(
      code.begin(), code.end(), offset,
      [](uint64_t at, const AnnotatedInstruction& each) { return at < each.offset; });
  if (next == code.begin()) return nullptr;
  --next;
  return offset == next->offset || offset - next->offset < next->size ? &*next : nullptr;
}

}  // namespace

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

std::string Annotator::name_of(std::string_view symbol) const {
  return device_function_name(symbol, full_names_);
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

Annotation Annotator::annotate(const FunctionKey& key, const FunctionSamples& samples) {
  Annotation out;
  out.kernel = name_of(key.kernel);
  if (!key.function.empty()) out.function = name_of(key.function);
  out.symbol = key.kernel;
  out.object = key.object;
  out.samples = samples.count;

  CodeListing listing = listing_of(key, samples);
  out.whole = !listing.empty();
  out.unnamed = listing.unnamed;
  const uint64_t base = listing.empty() ? key.start : listing.begin;
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
    add_samples_of(counts, *row);
    if (row->mnemonic.empty()) out.unnamed_samples += counts.count;
  }
  out.code.insert(out.code.end(), std::make_move_iterator(alone.begin()),
                  std::make_move_iterator(alone.end()));
  std::stable_sort(out.code.begin(), out.code.end(),
                   [](const auto& a, const auto& b) { return a.offset < b.offset; });
  for (AnnotatedInstruction& each : out.code)
    each.reasons = sorted_reasons(std::move(each.reasons));
  if (key.object.empty()) {
    out.lines.push_back({"", 0, out.samples});
    return out;
  }
  add_lines(key, base, out);
  add_edges(key, base, out);
  return out;
}

void Annotator::add_lines(const FunctionKey& key, uint64_t base, Annotation& out) {
  std::map<std::pair<std::string, uint32_t>, std::vector<size_t>> rows;
  for (size_t i = 0; i < out.code.size(); ++i) {
    const auto& frames = symbolizer_.frames_at({key.object, base + out.code[i].offset});
    const bool known = !frames.empty() && frames.front().line > 0;
    rows[known ? std::make_pair(frames.front().file, frames.front().line)
               : std::make_pair(std::string(), 0u)]
        .push_back(i);
  }
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

}  // namespace aiflame::annotate
