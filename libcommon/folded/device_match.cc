// SPDX-License-Identifier: MIT
#include "libcommon/folded/device_match.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr std::string_view kInstruction = "_[g]";
constexpr std::string_view kSource = "_[G]";
constexpr std::string_view kAt = " at 0x", kOr = " or ";

// The digits at the beginning of `text`.
size_t hex_digits(std::string_view text) {
  const auto is_digit = [](char c) { return kHexDigits[static_cast<unsigned char>(c)] < 16; };
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

// "send.ugm at 0x70, matmul.cl:41" becomes "send.ugm, matmul.cl:41".
void append_producer(std::string_view producer, std::string& out) {
  const size_t at = producer.find(kAt);
  const size_t digits = at == std::string_view::npos ? 0 : at + kAt.size();
  const std::string_view rest = digits == 0
                                    ? std::string_view()
                                    : producer.substr(digits + hex_digits(producer.substr(digits)));
  // a mnemonic without an offset, or one that only looks as if it had one
  const bool has_offset = digits > 0 && producer.size() - rest.size() > digits &&
                          (rest.empty() || rest.starts_with(", "));
  if (has_offset)
    out.append(producer.substr(0, at)).append(rest);
  else
    out.append(producer);
}

// "waits for A at 0x70 or B at 0x80 or others". Of several that differ only by offset, as in an
// unrolled loop, one stays.
void append_producers(std::string_view text, std::string& out) {
  out.append(kWaitsFor);
  text.remove_prefix(kWaitsFor.size());
  size_t last = out.size(), last_size = std::string::npos;
  for (;;) {
    const size_t end = text.find(kOr);
    const size_t before = out.size();
    if (last_size != std::string::npos) out.append(kOr);
    const size_t begin = out.size();
    append_producer(text.substr(0, end), out);
    const std::string_view all = out;
    if (last_size != std::string::npos && all.substr(begin) == all.substr(last, last_size)) {
      out.resize(before);
    } else {
      last = begin;
      last_size = out.size() - begin;
    }
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + kOr.size());
  }
}

}  // namespace

bool is_offset(std::string_view text) {
  return text.starts_with("0x") && text.size() > 2 && hex_digits(text.substr(2)) == text.size() - 2;
}

Match parse_match(std::string_view text) {
  if (text == "structure") return Match::structure;
  if (text == "offset") return Match::offset;
  throw UsageError("option '--match': '" + std::string(text) + "' is neither structure nor offset");
}

std::string_view structure_of_frame(std::string_view frame, std::string& buffer) {
  if (frame.starts_with(kLoopAt) && frame.ends_with(kSource)) {
    const std::string_view where = frame.substr(kLoopAt.size());
    return is_offset(where.substr(0, where.size() - kSource.size())) ? "loop_[G]" : frame;
  }
  if (!frame.ends_with(kInstruction)) return frame;
  const std::string_view text = frame.substr(0, frame.size() - kInstruction.size());
  if (is_offset(text)) return {};
  if (!text.starts_with(kWaitsFor)) return frame;
  buffer.clear();
  append_producers(text, buffer);
  buffer.append(kInstruction);
  return buffer;
}

std::string_view structure_of_stack(std::string_view stack, std::string& buffer) {
  if (!is_device_frame(stack)) return stack;
  std::string part;
  size_t begin = stack.size() + 1;  // of the device frames
  size_t end = begin;               // of the frames that are left, with a ';'
  bool changed = false;             // before `end`
  while (begin > 0) {
    const size_t semicolon = stack.substr(0, begin - 1).rfind(';');
    const size_t first = semicolon == std::string_view::npos ? 0 : semicolon + 1;
    const std::string_view frame = stack.substr(first, begin - 1 - first);
    if (!is_device_frame(frame)) break;
    const std::string_view compared = structure_of_frame(frame, part);
    if (compared.empty() && end == begin)
      end = first;
    else if (compared.data() != frame.data())
      changed = true;
    begin = first;
  }
  if (end == 0) return stack;
  if (!changed) return stack.substr(0, end - 1);
  buffer.assign(stack.substr(0, begin));
  for (std::string_view rest = stack.substr(begin, end - 1 - begin);;) {
    const size_t semicolon = rest.find(';');
    const std::string_view compared = structure_of_frame(rest.substr(0, semicolon), part);
    buffer.append(compared);
    if (!compared.empty()) buffer += ';';
    if (semicolon == std::string_view::npos) break;
    rest.remove_prefix(semicolon + 1);
  }
  buffer.pop_back();  // the last frame that is left is no offset
  return buffer;
}

}  // namespace aiflame
