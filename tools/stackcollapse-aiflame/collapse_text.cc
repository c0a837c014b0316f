// SPDX-License-Identifier: MIT
// The part of Collapse that reads text: alone as long as it is short, then in as many threads as
// there are processors. Each has a Collapse of its own and takes the next half a megabyte of whole
// samples, until a recording begins or the end is near; sums do not depend on who summed.
#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "libcommon/processors.h"
#include "libcommon/program.h"
#include "tools/stackcollapse-aiflame/collapse.h"

namespace aiflame {
namespace {

using Kind = PerfRecord::Kind;

constexpr std::string_view kClock = "# clockid: monotonic ";  // of `perf script --header`

// So much is read in a millisecond: starting threads costs a tenth of one.
constexpr uint64_t kAlone = uint64_t{2} << 20;
// Reading is one thread's work at a time, and that of a quarter of it all.
constexpr unsigned kMaxThreads = 6;

}  // namespace

void Collapse::read_text(ByteSource&& source) {
  tell_whole(source.name(), 0, 0);
  PerfScriptReader reader(std::move(source), settings_.sources.lines);
  monotonic_text_ = false;
  uint64_t samples = read_samples(reader, kAlone);
  const unsigned threads = settings_.threads != 0 ? settings_.threads : processors();
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
  while (reader.offset() < until) {
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

uint64_t Collapse::read_in_threads(PerfScriptReader& reader, unsigned threads) {
  struct Part {
    Collapse* collapse;
    PerfScriptReader reader;
    LineBlock block;
    uint64_t samples = 0;
    std::exception_ptr error;
    uint64_t error_line = 0;
  };
  std::mutex mutex;  // of `reader` and `done`
  bool done = false;
  const auto work = [&](Part& part) {
    try {
      for (;;) {
        {
          const std::lock_guard lock(mutex);
          part.error_line = reader.line_number();
          done = done || !reader.cut(part.block);
          if (done) return;
        }
        part.reader.read(part.block);
        part.samples += part.collapse->read_samples(part.reader);
        if (part.collapse->later_.empty()) continue;
        // launches are kept in order: what is behind the blocks that are cut is for one thread
        const std::lock_guard lock(mutex);
        done = true;
      }
    } catch (...) {
      part.error = std::current_exception();
      const std::lock_guard lock(mutex);
      done = true;
    }
  };

  const unsigned count = std::min(threads, kMaxThreads);
  std::vector<Part> parts(count);
  std::vector<std::unique_ptr<Collapse>> others;
  std::vector<std::thread> running;
  parts[0].collapse = this;
  for (unsigned i = 1; i < count; ++i) {
    others.push_back(std::make_unique<Collapse>(settings_));
    others.back()->cpu_event_ = cpu_event_;
    others.back()->cpu_event_known_ = true;
    others.back()->in_threads_ = true;
    parts[i].collapse = others.back().get();
  }
  for (unsigned i = 1; i < count; ++i) {
    try {
      running.emplace_back(work, std::ref(parts[i]));
    } catch (const std::system_error&) {
      break;  // no more threads are to be had: fewer do it
    }
  }
  in_threads_ = true;
  work(parts[0]);
  for (std::thread& thread : running) thread.join();
  in_threads_ = false;

  // the first mistake of the input is the one to tell, whoever came upon it
  const Part* failed = nullptr;
  uint64_t samples = 0;
  for (const Part& part : parts) {
    if (part.error && (failed == nullptr || part.error_line < failed->error_line)) failed = &part;
    samples += part.samples;
    reader.add_unrecognised(part.reader);
  }
  if (failed != nullptr) std::rethrow_exception(failed->error);
  for (const auto& other : others) absorb(*other);
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

// Adds what another Collapse has counted of perf script text.
void Collapse::absorb(const Collapse& part) {
  for (const auto& [event, samples] : part.statistics_.cpu) statistics_.cpu[event] += samples;
  statistics_.cpu_filtered += part.statistics_.cpu_filtered;
  statistics_.untold += part.statistics_.untold;
  std::vector<uint32_t> texts(part.texts_.size(), UINT32_MAX);
  const auto text = [&](uint32_t number) {
    if (texts[number] == UINT32_MAX) texts[number] = texts_.number(part.texts_.text(number));
    return texts[number];
  };
  const auto stack = [&](uint32_t number) {
    scratch_.clear();
    part.stacks_.each_frame(number, [&](uint32_t frame) { scratch_.push_back(text(frame)); });
    const uint32_t root = text(part.stacks_.stack(number).root);
    return stacks_.number(root, scratch_.data(), scratch_.size());
  };
  for (uint32_t number = 0; number < part.cpu_stacks_.by_number.size(); ++number) {
    const uint64_t samples = part.cpu_stacks_.by_number[number];
    if (samples == 0) continue;
    const TimedStack counted = part.counted_stack(number);
    count_in(text(counted.interval), stack(counted.stack), samples);
  }
  for (LaterLaunch later : part.later_) {
    later.stack = stack(later.stack);
    later_.push_back(std::move(later));
  }
}

}  // namespace aiflame
