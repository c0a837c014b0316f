// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/read_stacks.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/folded/columns.h"
#include "libcommon/folded/file_quantity.h"
#include "libcommon/folded/folded.h"
#include "libcommon/io/file_kind.h"
#include "libcommon/io/input.h"
#include "libcommon/text/byte_scan.h"

namespace aiflame::exporter {
namespace {

// A deeper stack is no stack, and would take a gigabyte as one sample. perf's deepest has 1024
// frames of the user, and 127 of the kernel.
constexpr size_t kDeepest = 65536;

// Splits stacks into frames. Lines are sorted mostly: what a stack shares with the one before it is
// looked up once.
class Splitter {
 public:
  explicit Splitter(FrameTable& table) : table_(table) {}

  // False where the stack has more than kDeepest frames.
  bool split(std::string_view stack, std::vector<uint32_t>& frames) {
    const size_t same = common_prefix(stack, last_);
    while (!ends_.empty() && ends_.back() >= same) ends_.pop_back();
    frames_.resize(ends_.size());
    size_t begin = ends_.empty() ? 0 : ends_.back() + 1;
    for (;;) {
      const size_t end = std::min(stack.find(';', begin), stack.size());
      if (frames_.size() == kDeepest) return false;
      frames_.push_back(table_.number(stack.substr(begin, end - begin)));
      if (end == stack.size()) break;
      ends_.push_back(end);
      begin = end + 1;
    }
    last_ = stack;
    frames = frames_;
    return true;
  }

 private:
  FrameTable& table_;
  std::string last_;
  std::vector<uint32_t> frames_;
  std::vector<size_t> ends_;  // where the frames of last_ end, but for the last one
};

class FileReader {
 public:
  FileReader(const std::string& path, Profiles& profiles, StackLabels& labels)
      : lines_(open_folded(path)),
        profiles_(profiles),
        labels_(labels),
        splitter_(profiles.frames) {
    out_.file = lines_.name();
  }

  Profile read() {
    profiles_.samples.begin();
    std::string_view line;
    while (lines_.next(line)) {
      if (is_blank_or_comment(line))
        read_comment(line);
      else
        read_stack(line);
    }
    add_pending();
    out_.ranges.push_back(profiles_.samples.end());
    if (const auto& conflict = says_.conflict())
      throw Error(out_.file + ":" + std::to_string(conflict->place.line) + ": " +
                  describe_difference(conflict->place.quantity,
                                      "line " + std::to_string(conflict->reference.line),
                                      conflict->reference.quantity) +
                  "; give each event as a file of its own");
    out_.quantity = says_.quantity();
    return std::move(out_);
  }

 private:
  void read_comment(std::string_view line) {
    if (is_quantity_line(line)) says_.read(line, lines_.line_number());
    if (is_launch_fact_line(line)) out_.launches.read(line);
  }

  [[noreturn]] void refuse_difference() const {
    throw Error(lines_.place() +
                ": two counts, of a difference; export each side, and compare them by "
                "'go tool pprof -diff_base'");
  }

  void read_stack(std::string_view line) {
    FoldedLine folded;
    std::string first_line;
    if (is_first_) {
      first_line = line;
      if (has_two_counts(says_.quantity(), lines_, first_line)) refuse_difference();
      line = first_line;
    }
    if (!split_folded(line, false, folded)) throw Error(lines_.place() + ": missing count");
    is_first_ = false;
    const std::optional<Count> count = parse_count(folded.count);
    if (!count || !out_.total.add(*count)) throw Error(lines_.place() + ": " + kCountsTooLarge);
    if (count->value == 0) return;
    if (count->decimals > 0 && out_.fraction.empty()) out_.fraction = lines_.place();
    if (!splitter_.split(folded.stack, sample_.frames))
      throw Error(lines_.place() + ": more than 65536 frames");
    labels_.take(profiles_.frames, sample_);
    sample_.count = *count;
    // equal stacks that follow each other are one sample
    if (pending_.frames == sample_.frames && pending_.labels == sample_.labels) {
      CountSum sum;
      if (!sum.add(pending_.count) || !sum.add(sample_.count))
        throw Error(lines_.place() + ": " + kCountsTooLarge);
      pending_.count = {sum.value(), sum.decimals()};
      return;
    }
    add_pending();
    std::swap(pending_, sample_);
  }

  void add_pending() {
    if (pending_.frames.empty()) return;
    profiles_.samples.add(pending_);
    ++out_.samples;
  }

  LineReader lines_;
  Profiles& profiles_;
  StackLabels& labels_;
  Splitter splitter_;
  Profile out_;
  FileQuantity says_;
  bool is_first_ = true;
  Sample sample_, pending_;
};

bool is_same_event(const Quantity& a, const Quantity& b) {
  return is_comparable(a, b) && (a.event.empty() || b.event.empty() || a.event == b.event);
}

void add(Profile&& file, std::vector<Profile>& profiles) {
  const auto found = std::find_if(profiles.begin(), profiles.end(), [&](const Profile& profile) {
    return is_same_event(profile.quantity, file.quantity);
  });
  if (found == profiles.end()) {
    profiles.push_back(std::move(file));
    return;
  }
  if (!found->total.add({file.total.value(), file.total.decimals()}))
    throw Error(file.file + ": " + kCountsTooLarge);
  found->quantity = common_quantity(found->quantity, file.quantity);
  found->samples += file.samples;
  found->launches.add(file.launches);
  found->ranges.push_back(file.ranges.front());
  if (found->fraction.empty()) found->fraction = file.fraction;
}

}  // namespace

Profiles read_profiles(const std::vector<std::string>& paths, StackLabels labels) {
  Profiles out;
  for (const std::string& path : paths) add(FileReader(path, out, labels).read(), out.all);
  out.samples.finish();
  return out;
}

}  // namespace aiflame::exporter
