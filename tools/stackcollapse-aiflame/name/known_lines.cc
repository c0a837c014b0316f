// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/known_lines.h"

#include <mutex>

#include "libcommon/base/parse.h"

namespace aiflame::collapse {
namespace {

bool is_java(std::string_view comm) {
  return comm.starts_with("java");
}

}  // namespace

// ---- the tables --------------------------------------------------------------------------------

uint32_t KnownLines::learn_text(const Digest& digest, std::string_view text) {
  const std::lock_guard lock(common_.mutex_);
  const uint32_t number = texts_.number(text);
  common_.numbers_.add(digest, number);
  return number;
}

uint32_t KnownLines::caller_count(uint32_t callers) {
  if (callers >= caller_counts_.size()) caller_counts_.resize(callers + size_t{1});
  uint32_t& known = caller_counts_[callers];
  if (known == 0) {
    const std::lock_guard lock(common_.mutex_);
    known = static_cast<uint32_t>(stacks_.caller_count(callers)) + 1;
  }
  return known - 1;
}

// ---- lines that the reader has read ------------------------------------------------------------

uint32_t KnownLines::root(const PerfRecord& record) {
  // the comm and the word after it: root_frame() looks at nothing else
  const std::string_view header = record.text;
  size_t end = static_cast<size_t>(record.comm.data() - header.data()) + record.comm.size();
  if (record.has_pid || record.tid != -1) {  // else the word after it is a time
    while (end < header.size() && is_blank(header[end])) ++end;
    while (end < header.size() && !is_blank(header[end])) ++end;
  }
  const Digest digest =
      common_.digester_.of(header.substr(0, end), record.recorded ? kRecordedRoot : kRoot);
  const uint32_t number = find(digest);
  if (number != DigestTable::kNone) return number;
  std::string root = record.recorded ? "" : cpu_prefix_;
  root += root_frame(record.comm, record.has_pid, record.pid, record.tid, rules_);
  if (root.ends_with(';')) root.pop_back();  // no comm
  return learn_text(digest, root);
}

// The text of a frame line. `source` is that of fold_frame().
uint32_t KnownLines::frame(std::string_view line, std::string_view source, std::string_view comm) {
  std::string_view text = line;
  if (!source.empty()) text = joined_.assign(line).append("\n").append(source);
  const Digest digest = common_.digester_.of(text, is_java(comm) ? kJavaFrame : kFrame);
  const uint32_t number = find(digest);
  return number != DigestTable::kNone ? number
                                      : learn_text(digest, folder_.fold(line, comm, source));
}

// The text of a frame line of a recording, whose object may be another one in each process.
uint32_t KnownLines::recorded_frame(const PerfRecord& record, std::string_view line) {
  std::string_view build_id;
  ScriptFrame parsed;
  if (!objects_.empty() && parse_frame(line, parsed))
    build_id = objects_.build_id(record.pid, parsed.object);
  const std::string_view text = joined_.assign(line).append("\n").append(build_id);
  const Digest digest =
      common_.digester_.of(text, is_java(record.comm) ? kRecordedJavaFrame : kRecordedFrame);
  const uint32_t number = find(digest);
  return number != DigestTable::kNone
             ? number
             : learn_text(digest, folder_.fold_recorded(line, record.comm, build_id));
}

Stack KnownLines::stack(const PerfRecord& record, size_t first_frame) {
  frames_.clear();
  const bool reads_objects = record.recorded && folder_.reads_recorded();
  for (size_t i = first_frame; i < record.frames.size(); ++i)
    frames_.push_back(
        reads_objects ? recorded_frame(record, record.frames[i])
                      : frame(record.frames[i],
                              i < record.sources.size() ? record.sources[i] : std::string_view(),
                              record.comm));
  const size_t leaves = frames_.empty() ? 0 : 1;
  const uint32_t root = this->root(record);
  const std::lock_guard lock(common_.mutex_);
  return {root, leaves == 0 ? 0 : frames_[0],
          stacks_.callers(frames_.data() + leaves, frames_.size() - leaves)};
}

// ---- samples that were peeked at ---------------------------------------------------------------

// The text of a line, or kNone where the line is no frame.
uint32_t KnownLines::line(const Digest& digest, std::string_view line, std::string_view comm) {
  uint32_t number = find(digest);
  if (number == DigestTable::kNone) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    // the sample before the line is not known here, and the line may be seen after others too
    if (sample_line(line, true) != SampleLine::frame) return DigestTable::kNone;
    number = function(line, comm);
    const std::lock_guard lock(common_.mutex_);
    common_.numbers_.add(digest, number);
  }
  return number;
}

// The text of a frame line, cached by what the text depends on. It depends on the place in the
// function only if the user wants inlined functions.
uint32_t KnownLines::function(std::string_view line, std::string_view comm) {
  FrameText frame;
  if (folder_.by_place() || !split_frame(line, frame)) {
    const std::string frames = folder_.fold(line, comm, "");
    const std::lock_guard lock(common_.mutex_);
    return texts_.number(frames);
  }
  joined_.assign(without_offset(frame.symbol)).append("\n").append(frame.object);
  if (rules_.addresses) joined_.append("\n").append(frame.address);
  const Digest digest = common_.digester_.of(joined_, is_java(comm) ? kJavaFunction : kFunction);
  const uint32_t number = find(digest);
  return number != DigestTable::kNone ? number : learn_text(digest, folder_.fold(line, comm, ""));
}

// Puts the texts of the callers' lines into frames_. False where one of them is no frame.
bool KnownLines::fold_callers(std::string_view text, std::string_view comm) {
  lines_.clear();
  digests_.clear();
  for (size_t at = 0; at < text.size(); at += lines_.back().size() + 1) {
    lines_.push_back(text.substr(at, text.find('\n', at) - at));
    digests_.push_back(common_.digester_.of(lines_.back(), is_java(comm) ? kJavaLine : kLine));
    common_.numbers_.prefetch(digests_.back());
  }
  frames_.clear();
  for (size_t i = 0; i < lines_.size(); ++i) {
    const uint32_t frame = line(digests_[i], lines_[i], comm);
    if (frame == DigestTable::kNone) return false;
    frames_.push_back(frame);
  }
  return true;
}

// The number of a list of callers, or kNone where one of the lines is no frame.
uint32_t KnownLines::callers(const Digest& digest, std::string_view text, std::string_view comm) {
  uint32_t number = find(digest);
  if (number == DigestTable::kNone && fold_callers(text, comm)) {
    const std::lock_guard lock(common_.mutex_);
    number = stacks_.callers(frames_.data(), frames_.size());
    common_.numbers_.add(digest, number);
  }
  return number;
}

bool KnownLines::sample(const PerfRecord& header, const SampleText& text, Stack& stack,
                        uint64_t& lines) {
  // all digests first, so that the cache misses of their look-ups overlap
  stack.root = root(header);
  const bool java = is_java(header.comm), has_leaf = !text.leaf.empty();
  const Digest callers = common_.digester_.of(text.callers, java ? kJavaCallers : kCallers);
  common_.numbers_.prefetch(callers);
  Digest leaf;
  if (has_leaf)
    common_.numbers_.prefetch(leaf = common_.digester_.of(text.leaf, java ? kJavaLine : kLine));
  stack.callers = this->callers(callers, text.callers, header.comm);
  if (stack.callers == DigestTable::kNone) return false;
  stack.leaf = has_leaf ? line(leaf, text.leaf, header.comm) : 0;
  if (stack.leaf == DigestTable::kNone) return false;
  lines = 2 + (has_leaf ? 1 : 0) + caller_count(stack.callers);
  return true;
}

}  // namespace aiflame::collapse
