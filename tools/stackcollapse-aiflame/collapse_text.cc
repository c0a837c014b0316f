// SPDX-License-Identifier: MIT
// The part of Collapse that reads text: alone as long as it is short, then in as many threads as
// there are processors. Each has a Collapse of its own and takes the next piece; sums do not depend
// on who summed. Where pieces are not enough to know what a line means, it is all read by one.
#include <algorithm>
#include <memory>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/parallel/parallel.h"
#include "libcommon/perf_script/perf_script_pieces.h"
#include "tools/stackcollapse-aiflame/collapse.h"

namespace aiflame::collapse {
namespace {

using Kind = PerfRecord::Kind;

constexpr std::string_view kClock = "# clockid: monotonic ";  // of `perf script --header`

// Bytes that are read before other threads start. That takes a millisecond, as most lines are new;
// starting threads costs a tenth of one. Without it: 7 to 14 % (`make bench`, collapse, small).
constexpr uint64_t kAlone = uint64_t{128} << 10;
// Each thread has tables of its own, which one thread merges at the end.
constexpr size_t kMaxThreads = 16;

}  // namespace

void Collapse::read_text(ByteSource&& source) {
  tell_whole(source.name(), 0, 0);
  PerfScriptReader reader(std::move(source), settings_.sources.lines);
  monotonic_text_ = false;
  uint64_t samples = read_samples(reader, kAlone);
  const size_t threads = settings_.threads != 0 ? settings_.threads : workers(kMaxThreads);
  // The first sample says what is drawn, so there has to be one. Debug information is not read by
  // each thread for itself.
  if (threads > 1 && cpu_event_known_ && !settings_.sources.inlined)
    samples += read_in_threads(reader, threads);
  samples += read_samples(reader);
  end_recording();
  const unsigned long long line = reader.cut_line();
  if (reader.cuts() > 0)
    warn("%s: recording is cut short; read up to line %llu", reader.name().c_str(), line);
  if (reader.unrecognised() == 0) return;
  if (samples == 0)
    throw Error(format("%s:%llu: expected perf script text", reader.name().c_str(),
                       static_cast<unsigned long long>(reader.first_unrecognised())));
  warn("%llu lines ignored, first at %s:%llu: unrecognised line",
       static_cast<unsigned long long>(reader.unrecognised()), reader.name().c_str(),
       static_cast<unsigned long long>(reader.first_unrecognised()));
}

uint64_t Collapse::read_samples(PerfScriptReader& reader, uint64_t until) {
  PerfRecord record;
  SampleText text;
  Stack stack;
  uint64_t samples = 0, lines = 0;
  while (reader.offset() < until && !mode_set_) {
    if (!settings_.read_each_line && reader.peek(record, text) && !is_launch(record.event)) {
      if (known_.sample(record, text, stack, lines)) {
        reader.skip(text, lines);
        if (draws(record)) count(record, stacks_.number(stack));
        ++samples;
        continue;
      }
      reader.refuse();
    }
    if (!reader.next(record)) break;
    if (in_threads_ && record.kind != Kind::sample && PerfScriptReader::sets_mode(record.text)) {
      mode_set_ = true;
      break;
    }
    if (record.recorded) {
      take_recorded(reader, record);
    } else if (record.kind == Kind::sample) {
      if (is_launch(record.event))
        take_launch_sample(reader, record);
      else if (draws(record))
        count(record, stack_of(record, 0));
    } else {
      monotonic_text_ |= record.text.starts_with(kClock);
      continue;
    }
    ++samples;
  }
  return samples;
}

uint64_t Collapse::read_in_threads(PerfScriptReader& reader, size_t threads) {
  struct Part {
    std::unique_ptr<Collapse> collapse;
    PerfScriptReader reader;
    PerfScriptPiece piece;
    uint64_t samples = 0;
  };
  PerfScriptPieces pieces(reader);
  const auto work = [&pieces](Part& part) {
    try {
      while (pieces.next(part.piece)) {
        part.reader.read(part.piece.block);
        part.samples += part.collapse->read_samples(part.reader);
        pieces.has_lines(part.piece, part.reader.line_number() - part.piece.block.line_number);
        if (part.collapse->mode_set_) pieces.give_up();
        // launches are kept in order: what is behind the pieces at hand is for one thread
        if (!part.collapse->later_.empty()) pieces.stop();
      }
    } catch (...) {
      pieces.give_up();  // one thread comes upon the first mistake first, and knows its line
    }
  };

  std::vector<Part> parts(threads);
  for (Part& part : parts) {
    part.collapse = std::make_unique<Collapse>(settings_, &known_);
    part.collapse->cpu_event_ = cpu_event_;
    part.collapse->cpu_event_known_ = true;
    part.collapse->in_threads_ = true;
  }
  in_threads(parts.size(), [&](size_t number) { work(parts[number]); });
  pieces.finish();
  if (pieces.given_up()) return 0;

  uint64_t samples = 0;
  for (const Part& part : parts) {
    samples += part.samples;
    if (part.reader.unrecognised() > 0)
      reader.add_unrecognised(part.reader.unrecognised(),
                              pieces.line(part.reader.first_unrecognised()));
    absorb(*part.collapse);
  }
  std::sort(later_.begin(), later_.end(),
            [](const LaterLaunch& a, const LaterLaunch& b) { return a.line < b.line; });
  for (const LaterLaunch& later : later_) {
    PerfDataLaunch out;
    out.input = reader.name();
    out.event = later.event;
    out.origin = {later.comm, later.pid, later.tid, later.time};
    out.monotonic = monotonic_text_;
    out.kernel = later.kernel;
    out.stack = later.stack;
    launch(out);
  }
  later_.clear();
  return samples;
}

// Adds what a thread has counted of perf script text. Its stacks are of our texts and callers, the
// intervals of its own texts.
void Collapse::absorb(const Collapse& part) {
  for (const auto& [event, samples] : part.statistics_.cpu) statistics_.cpu[event] += samples;
  statistics_.cpu_filtered += part.statistics_.cpu_filtered;
  statistics_.untold += part.statistics_.untold;
  stacks_.reserve(stacks_.size() + part.stacks_.size());
  const auto stack = [&](uint32_t number) { return stacks_.number(part.stacks_.stack(number)); };
  for (uint32_t number = 0; number < part.cpu_stacks_.by_number.size(); ++number) {
    const uint64_t samples = part.cpu_stacks_.by_number[number];
    if (samples == 0) continue;
    const TimedStack counted = part.counted_stack(number);
    count_in({texts_.number(part.texts_.text(counted.interval)), stack(counted.stack)}, samples);
  }
  for (LaterLaunch later : part.later_) {
    later.stack = stack(later.stack);
    later_.push_back(std::move(later));
  }
}

}  // namespace aiflame::collapse
