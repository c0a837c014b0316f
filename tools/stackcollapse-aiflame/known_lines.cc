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
    number = texts_.number(root_frame(record.comm, record.has_pid, record.pid, record.tid, rules_));
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
    number = texts_.number(folder_.fold(line, texts_.text(root), source));
    numbers_.set(digest, number);
  }
  return number;
}

// kNone where it is no frame.
uint32_t KnownLines::line(const Digest& digest, std::string_view line, uint32_t root, bool java) {
  uint32_t number = numbers_.find(digest);
  if (number == Numbers::kNone) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (sample_line(line) != SampleLine::frame) return Numbers::kNone;
    number = function(line, root, java);
    numbers_.set(digest, number);
  }
  return number;
}

// A frame line by what its name depends on, which is not its place in the function, unless inlined
// functions are asked for.
uint32_t KnownLines::function(std::string_view line, uint32_t root, bool java) {
  if (folder_.by_place()) return texts_.number(folder_.fold(line, texts_.text(root), ""));
  FrameText frame;
  split_frame(line, frame);
  joined_.assign(without_offset(frame.symbol)).append("\n").append(frame.object);
  if (rules_.addresses) joined_.append("\n").append(frame.address);
  const Digest digest = digester_.of(joined_, java ? kJavaFunction : kFunction);
  uint32_t number = numbers_.find(digest);
  if (number == Numbers::kNone) {
    number = texts_.number(folder_.fold(line, texts_.text(root), ""));
    numbers_.set(digest, number);
  }
  return number;
}

// Callers that were not seen together; kNone where one of them is no frame.
uint32_t KnownLines::new_callers(std::string_view text, uint32_t root, bool java) {
  lines_.clear();
  digests_.clear();
  for (size_t at = 0; at < text.size(); at += lines_.back().size() + 1) {
    lines_.push_back(text.substr(at, text.find('\n', at) - at));
    digests_.push_back(digester_.of(lines_.back(), java ? kJavaLine : kLine));
    numbers_.prefetch(digests_.back());
  }
  frames_.clear();
  for (size_t i = 0; i < lines_.size(); ++i) {
    const uint32_t frame = line(digests_[i], lines_[i], root, java);
    if (frame == Numbers::kNone) return frame;
    frames_.push_back(frame);
  }
  return stacks_.callers(frames_.data(), frames_.size());
}

bool KnownLines::sample(const PerfRecord& header, const SampleText& text, Stack& stack,
                        uint64_t& lines) {
  // all digests first, so that the places in the table are waited for together
  const uint32_t root = stack.root = this->root(header);
  const bool java = is_java(root), has_leaf = !text.leaf.empty();
  const Digest callers = digester_.of(text.callers, java ? kJavaCallers : kCallers);
  numbers_.prefetch(callers);
  Digest leaf;
  if (has_leaf) numbers_.prefetch(leaf = digester_.of(text.leaf, java ? kJavaLine : kLine));
  stack.callers = numbers_.find(callers);
  if (stack.callers == Numbers::kNone) {
    stack.callers = new_callers(text.callers, root, java);
    if (stack.callers == Numbers::kNone) return false;
    numbers_.set(callers, stack.callers);
  }
  stack.leaf = has_leaf ? line(leaf, text.leaf, root, java) : 0;
  if (stack.leaf == Numbers::kNone) return false;
  lines = 2 + (has_leaf ? 1 : 0) + stacks_.caller_count(stack.callers);
  return true;
}

}  // namespace aiflame
