// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read_stacks.h"

#include "libcommon/folded.h"
#include "libcommon/input.h"
#include "libcommon/program.h"
#include "tools/aiflame-svg/palette.h"

namespace aiflame {
namespace {

class StackReader {
 public:
  explicit StackReader(const ReadOptions& options)
      : options_(options), stacks_{FlameTree(options.order)} {}

  void read(const std::string& path) {
    LineReader reader(path);
    std::string_view line;
    while (reader.next(line)) {
      if (is_blank_or_comment(line)) continue;
      ++lines_;
      if (!take(line, reader) && ignored_++ == 0) first_ignored_ = reader.place();
    }
  }

  Stacks finish() {
    const auto number = [](uint64_t n) { return static_cast<unsigned long long>(n); };
    if (ignored_ > 0)
      warn("%llu of %llu lines ignored, first at %s: missing count", number(ignored_),
           number(lines_), first_ignored_.c_str());
    // a stack whose last frame ends in a number looks like this, too
    const uint64_t taken = lines_ - ignored_;
    if (differing_ > 0 && differing_ < taken)
      warn("%llu of %llu lines have two counts; the others are taken as unchanged",
           number(differing_), number(taken));
    stacks_.tree.finish();
    return std::move(stacks_);
  }

 private:
  // False when the line has no count.
  bool take(std::string_view line, const LineReader& reader) {
    FoldedLine folded;
    if (!split_folded(line, true, folded)) return false;
    const bool differs = !folded.count_before.empty();
    Count count = number(folded.count, reader);
    Count before = differs ? number(folded.count_before, reader) : Count();
    use_decimals(std::max(count.decimals, before.decimals), reader);
    if (!widen(count, stacks_.decimals) || !widen(before, stacks_.decimals)) fail(reader);
    const std::string_view stack = prepared(folded.stack);
    const bool added = differs ? stacks_.tree.add(stack, count.value, before.value)
                               : stacks_.tree.add(stack, count.value);
    if (!added) fail(reader);
    if (differs) ++differing_;
    return true;
  }

  static bool is_blank_or_comment(std::string_view line) {
    return line.starts_with("# ") || line.find_first_not_of(" \t\r") == std::string_view::npos;
  }

  static Count number(std::string_view text, const LineReader& reader) {
    const auto count = parse_count(text);
    if (!count) fail(reader);
    return *count;
  }

  [[noreturn]] static void fail(const LineReader& reader) {
    throw Error(reader.place() + ": the counts are too large to be added in 64 bits");
  }

  // Finer counts than before: what is in the tree is counted in the finer unit from here on.
  void use_decimals(unsigned decimals, const LineReader& reader) {
    for (; stacks_.decimals < decimals; ++stacks_.decimals)
      if (!stacks_.tree.scale(10)) fail(reader);
  }

  std::string_view prepared(std::string_view stack) {
    if (options_.reverse) {
      reverse_stack(stack, reversed_);
      stack = reversed_;
    }
    if (!options_.wakers) return stack;
    annotated_ = mark_wakers(stack);
    return annotated_;
  }

  ReadOptions options_;
  Stacks stacks_;
  uint64_t lines_ = 0, ignored_ = 0, differing_ = 0;
  std::string first_ignored_;
  std::string reversed_, annotated_;
};

}  // namespace

Stacks read_stacks(const std::vector<std::string>& paths, const ReadOptions& options) {
  StackReader reader(options);
  for (const std::string& path : paths) reader.read(path);
  return reader.finish();
}

}  // namespace aiflame
