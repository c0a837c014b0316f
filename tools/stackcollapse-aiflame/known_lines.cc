// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/known_lines.h"

#include "libcommon/parse.h"

namespace aiflame {

uint32_t KnownLines::root(const PerfRecord& record) {
  // the comm and what stands behind it: all that the rules look at
  const std::string_view header = record.text;
  size_t end = static_cast<size_t>(record.comm.data() - header.data()) + record.comm.size();
  while (end < header.size() && is_blank(header[end])) ++end;
  while (end < header.size() && !is_blank(header[end])) ++end;
  const Digest digest = digester_.of(header.substr(0, end), kRoot);
  uint32_t number = numbers_.find(digest);
  if (number == Numbers::kNone) {
    number =
        texts_.number(root_frame(record.comm, record.has_pid, record.pid, record.tid, rules_));
    numbers_.set(digest, number);
  }
  return number;
}

uint32_t KnownLines::frame(std::string_view line, std::string_view source, uint32_t root) {
  std::string_view text = line;
  if (!source.empty()) text = joined_.assign(line).append("\n").append(source);
  const Digest digest = digester_.of(text, is_java(root) ? kJavaFrame : kFrame);
  uint32_t number = numbers_.find(digest);
  if (number == Numbers::kNone) {
    number = texts_.number(fold_frame(line, texts_.text(root), source, rules_));
    numbers_.set(digest, number);
  }
  return number;
}

uint32_t KnownLines::line(std::string_view line, uint32_t root, bool java) {
  const Digest digest = digester_.of(line, java ? kJavaLine : kLine);
  uint32_t number = numbers_.find(digest);
  if (number == Numbers::kNone) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (sample_line(line) != SampleLine::frame) return Numbers::kNone;
    number = texts_.number(fold_frame(line, texts_.text(root), "", rules_));
    numbers_.set(digest, number);
  }
  return number;
}

uint32_t KnownLines::callers(std::string_view text, uint32_t root, bool java) {
  const Digest digest = digester_.of(text, java ? kJavaCallers : kCallers);
  uint32_t number = numbers_.find(digest);
  if (number != Numbers::kNone) return number;
  frames_.clear();
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const uint32_t frame = line(text.substr(0, end), root, java);
    if (frame == Numbers::kNone) return frame;
    frames_.push_back(frame);
    text.remove_prefix(end + 1);
  }
  number = stacks_.callers(frames_.data(), frames_.size());
  numbers_.set(digest, number);
  return number;
}

bool KnownLines::sample(const PerfRecord& header, const SampleText& text, Stack& stack,
                        uint64_t& lines) {
  stack.root = root(header);
  const bool java = is_java(stack.root);
  stack.callers = callers(text.callers, stack.root, java);
  stack.leaf = text.leaf.empty() ? 0 : line(text.leaf, stack.root, java);
  if (stack.callers == Numbers::kNone || stack.leaf == Numbers::kNone) return false;
  lines = 2 + (text.leaf.empty() ? 0 : 1) + stacks_.caller_count(stack.callers);
  return true;
}

}  // namespace aiflame
