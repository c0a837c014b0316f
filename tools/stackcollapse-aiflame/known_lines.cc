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
  const Key thread = key(header.substr(0, end), Kind::root);
  uint32_t number = numbers_.find(thread);
  if (number == numbers_.kNone) {
    number = texts_.number(
        root_frame(record.comm, record.has_pid, record.pid, record.tid, rules_));
    numbers_.set(thread, number);
  }
  return number;
}

uint32_t KnownLines::frame(std::string_view line, std::string_view source, uint32_t root) {
  std::string_view text = line;
  if (!source.empty()) text = joined_.assign(line).append("\n").append(source);
  const Key whole = key(text, is_java(root) ? Kind::java_frame : Kind::frame);
  uint32_t number = numbers_.find(whole);
  if (number == numbers_.kNone) {
    number = texts_.number(fold_frame(line, texts_.text(root), source, rules_));
    numbers_.set(whole, number);
  }
  return number;
}

KnownLines::Sample KnownLines::sample(const PerfRecord& header, const SampleText& text) {
  Sample out;
  out.root = root(header);
  out.java = is_java(out.root);
  out.has_leaf = !text.leaf.empty();
  if (out.has_leaf) out.leaf = digester_.of(text.leaf);
  out.callers = digester_.of(text.callers);
  return out;
}

bool KnownLines::find(const Sample& sample, Stack& stack, uint64_t& lines) const {
  stack.root = sample.root;
  stack.leaf = 0;
  stack.callers =
      numbers_.find({sample.callers, sample.java ? Kind::java_callers : Kind::callers});
  if (sample.has_leaf)
    stack.leaf = numbers_.find({sample.leaf, sample.java ? Kind::java_leaf : Kind::leaf});
  if (stack.callers == numbers_.kNone || stack.leaf == numbers_.kNone) return false;
  lines = 2 + (sample.has_leaf ? 1 : 0) + stacks_.caller_count(stack.callers);
  return true;
}

void KnownLines::learn(const Sample& sample, uint32_t leaf, uint32_t callers) {
  numbers_.set({sample.callers, sample.java ? Kind::java_callers : Kind::callers}, callers);
  if (sample.has_leaf)
    numbers_.set({sample.leaf, sample.java ? Kind::java_leaf : Kind::leaf}, leaf);
}

}  // namespace aiflame
