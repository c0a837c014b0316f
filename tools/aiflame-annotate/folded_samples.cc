// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/folded_samples.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/device/stack_layers.h"
#include "libcommon/folded/file_quantity.h"
#include "libcommon/folded/folded.h"

namespace aiflame::annotate {
namespace {

// The frames of a stack, without their annotations, and their roles.
struct Stack {
  std::vector<std::string_view> frames;
  std::vector<FrameRole> roles;
  Layers layers;

  void split(std::string_view text) {
    frames.clear();
    roles.clear();
    while (!text.empty()) {
      const std::string_view frame = first_frame(text);
      text.remove_prefix(std::min(frame.size() + 1, text.size()));
      frames.push_back(without_annotation(frame));
      roles.push_back(role_of(frame));
    }
    find_layers(roles, layers);
  }
  std::string_view at(size_t place) const {
    return place == Layers::kNone ? std::string_view() : frames[place];
  }
};

FoldedCode code_of(const Stack& stack, const LineReader& reader) {
  const Layers& layers = stack.layers;
  FoldedCode out;
  if (layers.kernel == Layers::kNone) return out;
  out.exposed = stack.frames.front() == "[exposed]";
  if (stack.at(layers.kernel).starts_with('[')) return out;  // [unknown kernel]
  if (layers.offset == Layers::kNone)
    throw Error(reader.place() +
                ": a kernel without offset; fold with --gpu-frames "
                "kernel,line,mnemonic,reason,offset");
  out.kernel = stack.at(layers.kernel);
  if (layers.functions.back() != layers.kernel) out.function = stack.at(layers.functions.back());
  const std::string_view digits = stack.at(layers.offset).substr(2);
  const std::optional<uint64_t> offset = parse_hex(digits);
  if (!offset) throw Error(reader.place() + ": an offset of more than 64 bits");
  out.offset = *offset;
  out.mnemonic = stack.at(layers.mnemonic);
  out.reason = stack.at(layers.reason);
  if (!layers.lines.empty()) {
    const std::string_view line = stack.at(layers.lines.back());  // "matmul.cl:10"
    const size_t colon = line.rfind(':');
    out.file = line.substr(0, colon);
    const auto number = parse_number<uint32_t>(line.substr(colon + 1));
    if (!number) throw Error(reader.place() + ": a line number of more than 32 bits");
    out.line = *number;
  }
  return out;
}

}  // namespace

bool is_folded(std::string_view beginning) {
  while (!beginning.empty()) {
    const std::string_view line = beginning.substr(0, beginning.find('\n'));
    beginning.remove_prefix(std::min(line.size() + 1, beginning.size()));
    if (is_quantity_line(line)) return true;
    if (line.starts_with("# gpustall")) return false;
    if (is_blank_or_comment(line)) continue;
    return line.find("_[G];") != std::string_view::npos ||
           line.find("_[g];") != std::string_view::npos ||
           line.find("_[g] ") != std::string_view::npos;
  }
  return false;
}

Quantity read_folded(ByteSource&& source,
                     const std::function<void(const FoldedCode& code, uint64_t count)>& take) {
  LineReader reader(std::move(source));
  FileQuantity quantity;
  Stack stack;
  std::string_view line;
  while (reader.next(line)) {
    if (is_quantity_line(line)) quantity.read(line, reader.line_number());
    if (is_blank_or_comment(line)) continue;
    FoldedLine folded;
    if (!split_folded(line, false, folded)) throw Error(reader.place() + ": missing count");
    const std::optional<Count> count = parse_count(folded.count);
    if (!count || count->decimals > 0)
      throw Error(reader.place() + ": expected a whole number as count");
    stack.split(folded.stack);
    take(code_of(stack, reader), count->value);
  }
  quantity.refuse_two_counts(reader.name());
  if (quantity.conflict())
    throw Error(reader.name() +
                ": counts of different units: " + describe(quantity.conflict()->place.quantity) +
                " and " + describe(quantity.conflict()->reference.quantity));
  return quantity.quantity();
}

}  // namespace aiflame::annotate
