// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/read/text_threads.h"

#include <algorithm>
#include <deque>

#include "libcommon/parallel/parallel.h"
#include "libcommon/perf_script/perf_script_pieces.h"
#include "tools/stackcollapse-aiflame/name/text_frames.h"
#include "tools/stackcollapse-aiflame/read/text_samples.h"

namespace aiflame::collapse {
namespace {

// Each thread has tables of its own, which one thread puts together.
constexpr size_t kMaxThreads = 16;

// One thread's part of the text. It shares the texts and callers of the common lines.
class Part {
 public:
  Part(const TextRules& rules, const SampleFilter& filter, KnownLines& common,
       const EventChoice& events)
      : frames_(rules.frames, rules.sources),
        lines_(common, frames_),
        cpu_(events, filter, rules.by_time, intervals_),
        samples_(lines_, stacks_, cpu_, rules.each_line) {}

  // Folds pieces until there are no more.
  void read(PerfScriptPieces& pieces);

  const CpuSamples& cpu() const { return cpu_; }
  const StackTable& stacks() const { return stacks_; }
  const GpustallReader& reader() const { return reader_; }
  std::vector<TextLaunch>& launches() { return launches_; }
  uint64_t count() const { return count_; }

 private:
  TextSamples::Taken take_other(const GpustallRecord& record);

  TextFrames frames_;
  KnownLines lines_;
  TextTable intervals_;
  StackTable stacks_;
  CpuSamples cpu_;
  TextSamples samples_;
  GpustallReader reader_;
  PerfScriptPiece piece_;
  std::vector<TextLaunch> launches_;
  uint64_t count_ = 0;
  bool sets_mode_ = false;  // a line changes how the lines after it are read
};

void Part::read(PerfScriptPieces& pieces) {
  try {
    while (pieces.next(piece_)) {
      reader_.read(piece_.block);
      if (!sets_mode_)
        count_ += samples_.read(reader_, UINT64_MAX, [this](const GpustallRecord& record) {
          return take_other(record);
        });
      pieces.has_lines(piece_, reader_.line_number() - piece_.block.line_number);
      if (sets_mode_) pieces.give_up();
      // the launches of the pieces at hand are kept; one thread reads the rest
      if (!launches_.empty()) pieces.stop();
    }
  } catch (...) {
    pieces.give_up();  // one thread reads the text again and reports the first mistake
  }
}

TextSamples::Taken Part::take_other(const GpustallRecord& record) {
  if (!record.is_sample) {
    sets_mode_ = reader_.sets_mode(record.text);
    return sets_mode_ ? TextSamples::Taken::stopped : TextSamples::Taken::ignored;
  }
  const SampleOrigin origin = origin_of(record);
  launches_.push_back({record.line, std::string(record.event), std::string(record.comm),
                       std::string(kernel_argument(record.arguments)), origin.pid, origin.tid,
                       origin.time, samples_.stack(record)});
  return TextSamples::Taken::counted;
}

}  // namespace

size_t TextThreads::threads() const {
  return rules_.threads != 0 ? rules_.threads : workers(kMaxThreads);
}

uint64_t TextThreads::read(GpustallReader& reader, size_t threads,
                           std::vector<TextLaunch>& launches) {
  PerfScriptPieces pieces(reader);
  std::deque<Part> parts;
  const EventChoice events = cpu_.events().for_thread();
  for (size_t i = 0; i < std::min(threads, kMaxThreads); ++i)
    parts.emplace_back(rules_, filter_, lines_, events);
  in_threads(parts.size(), [&](size_t number) { parts[number].read(pieces); });
  pieces.finish();
  if (pieces.given_up()) return 0;

  uint64_t samples = 0;
  StackTable& stacks = tables_.stacks;
  for (Part& part : parts) {
    const auto stack_of = [&](uint32_t number) {
      return stacks.number(part.stacks().stack(number));
    };
    samples += part.count();
    const GpustallReader& read = part.reader();
    if (read.unrecognised() > 0)
      reader.add_unrecognised(read.unrecognised(), pieces.line(read.first_unrecognised()));
    PassedOver passed_over = read.passed_over();
    if (passed_over.headers > 0) {
      passed_over.first_line = pieces.line(passed_over.first_line);
      reader.add_passed_over(passed_over);
    }
    stacks.reserve(stacks.size() + part.stacks().size());
    cpu_.absorb(part.cpu(), stack_of);
    for (TextLaunch& launch : part.launches()) {
      launch.stack = stack_of(launch.stack);
      launches.push_back(std::move(launch));
    }
  }
  std::sort(launches.begin(), launches.end(),
            [](const TextLaunch& a, const TextLaunch& b) { return a.line < b.line; });
  return samples;
}

}  // namespace aiflame::collapse
