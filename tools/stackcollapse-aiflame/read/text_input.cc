// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/read/text_input.h"

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"

namespace aiflame::collapse {
namespace {

constexpr std::string_view kClock = "# clockid: monotonic ";  // of `perf script --header`

// One thread reads this much in a millisecond if most lines are new. Starting the others costs a
// tenth of that.
constexpr uint64_t kAlone = uint64_t{128} << 10;

[[noreturn]] void fail(const GpustallReader& reader, uint64_t line, const char* what) {
  throw Error(
      format("%s:%llu: %s", reader.name().c_str(), static_cast<unsigned long long>(line), what));
}

void report(const GpustallReader& reader, uint64_t samples, bool strict) {
  if (reader.unrecognised() > 0 && samples == 0)
    fail(reader, reader.first_unrecognised(), "expected perf script text");
  const bool line_is_first = reader.cuts() == 0 || reader.first_unrecognised() <= reader.cut_line();
  if (strict && reader.unrecognised() > 0 && line_is_first)
    fail(reader, reader.first_unrecognised(), "unrecognised line");
  if (strict && reader.cuts() > 0) fail(reader, reader.cut_line(), "recording is cut short here");
  if (reader.cuts() > 0)
    warn("%s: recording is cut short; read up to line %llu", reader.name().c_str(),
         static_cast<unsigned long long>(reader.cut_line()));
  if (const PassedOver& passed = reader.passed_over(); passed.headers > 0)
    warn("unknown columns of %llu headers passed over, first at %s:%llu: '%s'",
         static_cast<unsigned long long>(passed.headers), reader.name().c_str(),
         static_cast<unsigned long long>(passed.first_line), printable(passed.column).c_str());
  if (reader.unrecognised() == 0) return;
  warn("%llu lines ignored, first at %s:%llu: unrecognised line",
       static_cast<unsigned long long>(reader.unrecognised()), reader.name().c_str(),
       static_cast<unsigned long long>(reader.first_unrecognised()));
}

}  // namespace

void TextInput::read(ByteSource&& source) {
  filter_.begin_input(source.name(), 0, 0);
  GpustallReader reader(std::move(source), rules_.sources.lines);
  monotonic_ = false;
  uint64_t samples = read_alone(reader, kAlone);
  samples += read_in_threads(reader);
  samples += read_alone(reader, UINT64_MAX);
  device_.end_recording();
  report(reader, samples, rules_.strict);
}

uint64_t TextInput::read_alone(GpustallReader& reader, uint64_t until) {
  using Taken = TextSamples::Taken;
  return samples_.read(reader, until, [&](const GpustallRecord& record) {
    if (record.recorded) {
      take_recorded(reader, record);
    } else if (record.is_sample) {
      take_launch(reader, record);
    } else {
      monotonic_ |= record.text.starts_with(kClock);
      return Taken::ignored;
    }
    return Taken::counted;
  });
}

void TextInput::take_recorded(const GpustallReader& reader, const GpustallRecord& record) {
  if (record.is_sample && !is_launch_sample(record) && !is_call_sample(record) &&
      !is_allocation_sample(record) && !is_device_sample(record) && !is_exposed_sample(record))
    samples_.take(record);
  else
    device_.take(reader, record);
}

void TextInput::take_launch(const GpustallReader& reader, const GpustallRecord& sample) {
  take_launch(reader, sample.event, origin_of(sample), kernel_argument(sample.arguments),
              samples_.stack(sample));
}

void TextInput::take_launch(const GpustallReader& reader, std::string_view event,
                            const SampleOrigin& origin, std::string_view kernel, uint32_t stack) {
  PerfLaunch launch;
  launch.input = reader.name();
  launch.event = event;
  launch.origin = origin;
  launch.monotonic = monotonic_;
  launch.kernel = kernel;
  launch.stack = stack;
  launches_.take(launch);
}

uint64_t TextInput::read_in_threads(GpustallReader& reader) {
  if (reader.offset() < kAlone) return 0;  // the end has been reached
  const size_t threads = threads_.threads();
  // The first sample decides which event is drawn, so one must have come. With --inline every
  // thread would read the debug information for itself.
  if (threads < 2 || !cpu_.events().known() || rules_.sources.inlined) return 0;
  std::vector<TextLaunch> launches;
  const uint64_t samples = threads_.read(reader, threads, launches);
  for (const TextLaunch& read : launches)
    take_launch(reader, read.event, {read.comm, read.pid, read.tid, read.time}, read.kernel,
                read.stack);
  return samples;
}

}  // namespace aiflame::collapse
