// SPDX-License-Identifier: MIT
// Folded stacks added up by what they hold: kernels, functions, reasons and so on, run by run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/base/count.h"
#include "tools/aiflame-report/layers.h"
#include "tools/aiflame-report/pattern.h"

namespace aiflame::report {

// Texts, each held once and numbered.
class TextNumbers {
 public:
  uint32_t number(std::string_view text);
  // The number of a text that was seen; false for others.
  bool find(std::string_view text, uint32_t& number) const;
  std::string_view text(uint32_t number) const { return texts_[number]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::deque<std::string> texts_;  // they do not move
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

// Of one thing in one run: the stacks that hold it, each once however often it occurs in one, and
// those of them of which it is the last of its kind.
struct Cost {
  uint64_t total = 0;
  uint64_t self = 0;
};

class Profile {
 public:
  // One run's sums. Index of `costs`: number of a thing of that kind; those that come later are 0.
  struct Run {
    std::array<std::vector<Cost>, kKinds> costs;
    std::vector<uint64_t> matched;  // of each pattern, the stacks with a frame that matches
    uint64_t total = 0;
    uint64_t stacks = 0;    // lines with a count
    uint64_t smallest = 0;  // count of a line that is not 0; 0 when there is none
  };

  // `patterns`: at most kMostPatterns, which must live as long. `frames`: add up Kind::frame too.
  static constexpr size_t kMostPatterns = 64;
  Profile(std::vector<const Pattern*> patterns, bool frames)
      : patterns_(std::move(patterns)), frames_(frames) {}

  // Begins a run; what is read belongs to the last one.
  void begin_run() {
    runs_.emplace_back().matched.resize(patterns_.size());
    run_ = runs_.size() - 1;
  }
  // Throws Error with the line.
  void read(const std::string& path);
  // The same of one profile, or of a difference where the first line has two counts: then there are
  // two runs, before and after.
  void read_side(const std::string& path);
  bool is_difference() const { return difference_; }
  // False when the sum of the run would not fit 64 bits.
  bool add(std::string_view stack, Count count);

  const std::vector<Run>& runs() const { return runs_; }
  unsigned decimals() const { return decimals_; }

  // How many things of a kind there are, what they are called, and what they cost in a run.
  uint32_t size(Kind kind) const;
  std::string name(Kind kind, uint32_t number) const;
  Cost cost(Kind kind, uint32_t number, size_t run) const;
  // The number of the thing of that name.
  bool find(Kind kind, const std::string& name, uint32_t& number) const;

 private:
  void read_lines(const std::string& path, bool may_differ);
  bool use_decimals(unsigned decimals);
  void split(std::string_view stack);
  uint32_t frame_number(std::string_view frame);
  void count(Kind kind, uint32_t number, uint64_t count, bool self);
  void count_instruction(uint64_t count);

  std::vector<const Pattern*> patterns_;
  bool frames_;
  unsigned decimals_ = 0;
  std::vector<Run> runs_;
  size_t run_ = 0;  // the one that is added to
  bool difference_ = false;

  TextNumbers names_;              // frames with their annotation
  TextNumbers instructions_;       // "KERNEL+0xOFFSET MNEMONIC"
  std::vector<Role> roles_;        // of frames
  std::vector<uint64_t> matches_;  // of frames: a bit for each pattern

  // the stack at hand, and where its frames end; the next one shares the first of them as a rule
  std::string stack_;
  std::vector<size_t> ends_;
  std::vector<uint32_t> path_;
  std::vector<Role> path_roles_;
  Layers layers_;
  uint64_t serial_ = 0;                                // of the stack at hand
  std::array<std::vector<uint64_t>, kKinds> counted_;  // serial of the last stack that held it
};

}  // namespace aiflame::report
