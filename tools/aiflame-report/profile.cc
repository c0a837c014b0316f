// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/profile.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/folded/folded.h"
#include "libcommon/io/input.h"

namespace aiflame::report {

uint32_t TextNumbers::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  if (texts_.size() >= UINT32_MAX) throw Error("more than 4294967295 names");
  const auto number = static_cast<uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

bool TextNumbers::find(std::string_view text, uint32_t& number) const {
  const auto found = numbers_.find(text);
  if (found == numbers_.end()) return false;
  number = found->second;
  return true;
}

void Profile::read(const std::string& path) {
  read_lines(path, false);
}

void Profile::read_side(const std::string& path) {
  read_lines(path, true);
}

void Profile::read_lines(const std::string& path, bool may_differ) {
  LineReader reader(path);
  std::string_view line;
  while (reader.next(line)) {
    if (is_blank_or_comment(line)) continue;
    FoldedLine folded;
    // the first line that is a stack tells what all are
    const bool first = may_differ && runs_.front().stacks == 0;
    if (!split_folded(line, difference_ || first, folded))
      throw Error(reader.place() + ": missing count");
    if (first && !folded.count_before.empty()) {
      difference_ = true;
      begin_run();
    }
    const auto add_text = [&](std::string_view text) {
      const std::optional<Count> count = parse_count(text);
      if (!count || !add(folded.stack, *count))
        throw Error(reader.place() + ": the counts are too large to be added in 64 bits");
    };
    if (difference_) {
      if (folded.count_before.empty())
        throw Error(reader.place() + ": one count, and the first line has two");
      run_ = 0;
      add_text(folded.count_before);
      run_ = 1;
    }
    add_text(folded.count);
  }
}

bool Profile::add(std::string_view stack, Count count) {
  Run& run = runs_[run_];
  if (!use_decimals(count.decimals) || !widen(count, decimals_) ||
      !add_checked(run.total, count.value))
    return false;
  ++run.stacks;
  if (count.value == 0) return true;
  if (run.smallest == 0 || count.value < run.smallest) run.smallest = count.value;
  split(stack);
  ++serial_;
  find_layers(path_roles_, layers_);
  const auto count_all = [&](Kind kind, const std::vector<size_t>& places) {
    for (const size_t place : places)
      this->count(kind, path_[place], count.value, place == places.back());
  };
  count_all(Kind::function, layers_.functions);
  count_all(Kind::line, layers_.lines);
  if (layers_.kernel != Layers::kNone)
    this->count(Kind::kernel, path_[layers_.kernel], count.value,
                layers_.kernel == layers_.functions.back());
  if (layers_.reason != Layers::kNone)
    this->count(Kind::reason, path_[layers_.reason], count.value, true);
  count_instruction(count.value);
  if (frames_)
    for (size_t i = 0; i < path_.size(); ++i)
      this->count(Kind::frame, path_[i], count.value, i + 1 == path_.size());
  if (!patterns_.empty()) {
    uint64_t matched = 0;
    for (const uint32_t frame : path_) matched |= matches_[frame];
    for (size_t i = 0; i < patterns_.size(); ++i)
      if ((matched >> i & 1) != 0) run.matched[i] += count.value;
  }
  return true;
}

// Finer counts than before: what was added is counted in the finer unit from here on.
bool Profile::use_decimals(unsigned decimals) {
  for (; decimals_ < decimals; ++decimals_) {
    for (Run& run : runs_) {
      // nothing is more than the total
      if (!multiply_checked(run.total, 10)) return false;
      run.smallest *= 10;
      for (uint64_t& one : run.matched) one *= 10;
      for (std::vector<Cost>& costs : run.costs) {
        for (Cost& cost : costs) {
          cost.total *= 10;
          cost.self *= 10;
        }
      }
    }
  }
  return true;
}

// The frames of `stack` into path_. Those shared with the stack before need no look-up.
void Profile::split(std::string_view stack) {
  // the empty frames that some writers put at the end are none
  while (stack.ends_with(';')) stack.remove_suffix(1);
  const auto differs = std::mismatch(stack.begin(), stack.end(), stack_.begin(), stack_.end());
  const auto same = static_cast<size_t>(differs.first - stack.begin());
  // a frame is the same when the byte behind it, a semicolon, is the same too
  const auto shared =
      static_cast<size_t>(std::lower_bound(ends_.begin(), ends_.end(), same) - ends_.begin());
  ends_.resize(shared);
  path_.resize(shared);
  path_roles_.resize(shared);
  stack_.assign(stack);
  size_t begin = shared == 0 ? 0 : ends_.back() + 1;
  while (begin <= stack.size()) {
    const size_t end = std::min(stack.find(';', begin), stack.size());
    const uint32_t frame = frame_number(stack.substr(begin, end - begin));
    ends_.push_back(end);
    path_.push_back(frame);
    path_roles_.push_back(roles_[frame]);
    begin = end + 1;
  }
}

uint32_t Profile::frame_number(std::string_view frame) {
  const uint32_t number = names_.number(frame);
  if (number < roles_.size()) return number;
  roles_.push_back(role_of(frame));
  uint64_t bits = 0;
  for (size_t i = 0; i < patterns_.size(); ++i)
    if (patterns_[i]->matches(frame)) bits |= uint64_t{1} << i;
  matches_.push_back(bits);
  return number;
}

void Profile::count(Kind kind, uint32_t number, uint64_t count, bool self) {
  const auto index = static_cast<size_t>(kind);
  std::vector<uint64_t>& counted = counted_[index];
  std::vector<Cost>& costs = runs_[run_].costs[index];
  if (number >= counted.size()) counted.resize(number + size_t{1});
  if (number >= costs.size()) costs.resize(number + size_t{1});
  if (counted[number] != serial_) costs[number].total += count;
  counted[number] = serial_;
  if (self) costs[number].self += count;
}

// An instruction is known by its kernel, the function that its offset counts from and the offset.
void Profile::count_instruction(uint64_t count) {
  if (layers_.mnemonic == Layers::kNone && layers_.offset == Layers::kNone) return;
  const auto text = [&](size_t place) { return without_annotation(names_.text(path_[place])); };
  std::string name;
  if (layers_.kernel != Layers::kNone) {
    name = text(layers_.kernel);
    const size_t holder = layers_.functions.back();
    if (holder != layers_.kernel) name.append(";").append(text(holder));
  }
  if (layers_.offset != Layers::kNone)
    name.append(name.empty() ? "" : "+").append(text(layers_.offset));
  if (layers_.mnemonic != Layers::kNone)
    name.append(name.empty() ? "" : " ").append(text(layers_.mnemonic));
  this->count(Kind::instruction, instructions_.number(name), count, true);
}

uint32_t Profile::size(Kind kind) const {
  return kind == Kind::instruction ? instructions_.size() : names_.size();
}

std::string Profile::name(Kind kind, uint32_t number) const {
  if (kind == Kind::instruction) return std::string(instructions_.text(number));
  const std::string_view frame = names_.text(number);
  // what is a function is told by its annotation
  const bool whole = kind == Kind::function || kind == Kind::frame;
  return std::string(whole ? frame : without_annotation(frame));
}

Cost Profile::cost(Kind kind, uint32_t number, size_t run) const {
  const std::vector<Cost>& costs = runs_[run].costs[static_cast<size_t>(kind)];
  return number < costs.size() ? costs[number] : Cost();
}

bool Profile::find(Kind kind, const std::string& name, uint32_t& number) const {
  switch (kind) {
    case Kind::instruction:
      return instructions_.find(name, number);
    case Kind::function:
    case Kind::frame:
      return names_.find(name, number);
    case Kind::kernel:
    case Kind::line:
      return names_.find(name + "_[G]", number);
    case Kind::reason:
      return names_.find(name + "_[g]", number);
  }
  return false;
}

}  // namespace aiflame::report
