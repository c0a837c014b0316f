// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/read/perf_data_input.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <ctime>

#include "libcommon/base/program.h"
#include "libcommon/folded/quantity.h"
#include "tools/stackcollapse-aiflame/fold/event_unit.h"

namespace aiflame::collapse {
namespace {

// `perf record -e cycles,name=mine/` has a name of its own, so the kernel's numbers come first.
std::string_view unit_of(const PerfAttribute& event) {
  switch (event.type) {
    case PERF_TYPE_SOFTWARE:
      return event.config == PERF_COUNT_SW_CPU_CLOCK || event.config == PERF_COUNT_SW_TASK_CLOCK
                 ? kNanoseconds
                 : "events";
    case PERF_TYPE_HARDWARE: {
      // the upper half is the PMU, where there are several kinds of cores
      const uint64_t number = event.config & UINT32_MAX;
      return number == PERF_COUNT_HW_CPU_CYCLES || number == PERF_COUNT_HW_REF_CPU_CYCLES
                 ? "cycles"
                 : "events";
    }
    case PERF_TYPE_TRACEPOINT:
      return "events";
    default:
      return unit_of_cpu_event(event.name);
  }
}

bool is_monotonic(const PerfAttribute& event) {
  return event.uses_clock() && event.clock == CLOCK_MONOTONIC;
}

void add_lost(uint64_t& sum, uint64_t more) {
  sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}

}  // namespace

void PerfDataInput::read() {
  chooses_ = !cpu_.events().known();
  chooses_launch_ = launches_.samples().event().empty();
  reader_.read([this](const PerfDataRecord& record) { take(record); });
  if (chooses_ && chooses_launch_) launches_.samples().set_first(drawn_launch_ < drawn_);
  for (size_t event = 0; event < reader_.events().size(); ++event)
    cpu_.events().set_unit(reader_.events()[event].name, unit_of(reader_.events()[event]));
  stacks_.finish();
  report();
  stacks_.report();
  jit_codes_.report();
}

void PerfDataInput::report() const {
  const char* name = reader_.name().c_str();
  const auto report_count = [name](uint64_t count, const char* what) {
    if (count > 0) warn("%s: %llu %s", name, static_cast<unsigned long long>(count), what);
  };
  if (reader_.cut()) warn("%s: recording is cut short; read what is whole", name);
  report_count(lost_records_, "records lost while recording");
  report_count(lost_samples_, "samples lost while recording");
  report_count(unknown_, "samples of unknown events ignored");
  report_count(guests_, "samples of virtual machines ignored");
  report_count(stacks_.damaged_chains(), "samples with a damaged call graph drawn without it");
  report_count(reader_.late(), "records were not in order");
}

void PerfDataInput::take(const PerfDataRecord& record) {
  while (build_ids_ < reader_.build_ids().size())
    machine_.take_build_id(reader_.build_ids()[build_ids_++]);
  if (machine_.kernel_release() != reader_.release() ||
      machine_.kernel_architecture() != reader_.architecture())
    machine_.take_kernel(reader_.release(), reader_.architecture());
  ByteCursor cursor(record.body);
  switch (record.type) {
    case PERF_RECORD_SAMPLE:
      take_sample(record);
      break;
    case PERF_RECORD_LOST:
      cursor.u64();
      add_lost(lost_records_, cursor.u64());
      break;
    case PERF_RECORD_LOST_SAMPLES:
      add_lost(lost_samples_, cursor.u64());
      break;
    default:
      machine_.take(record);
      if (machine_.has_kernel() && reader_.events().has_kernel()) stacks_.expect_kernel();
      jit_codes_.take(record, reader_.events().has_clock());
      break;
  }
}

void PerfDataInput::take_sample(const PerfDataRecord& record) {
  const PerfEvents& events = reader_.events();
  const size_t event = events.of(record);
  if (event == PerfEvents::kNone) {
    ++unknown_;
    return;
  }
  PerfSample sample;
  if (!parse_sample(events[event], record.body, sample)) throw Error("malformed sample");
  Space space = Space::none;
  switch (record.misc & PERF_RECORD_MISC_CPUMODE_MASK) {
    case PERF_RECORD_MISC_KERNEL:
      space = Space::kernel;
      break;
    case PERF_RECORD_MISC_USER:
      space = Space::user;
      break;
    case PERF_RECORD_MISC_GUEST_KERNEL:
    case PERF_RECORD_MISC_GUEST_USER:
      ++guests_;
      return;
    default:
      break;
  }
  stacked_ = false;
  if (sample.has_read)
    take_values(events[event], sample, space);
  else
    give(event, sample.period, sample, space);
}

// PERF_SAMPLE_READ: a sample of a group's leader has the counters of all members. A member that has
// counted since the preceding sample gets a sample of its own, with the difference as its period.
void PerfDataInput::take_values(const PerfAttribute& event, const PerfSample& sample, Space space) {
  const uint64_t shape = event.read_format;
  const bool group = (shape & PERF_FORMAT_GROUP) != 0;
  const auto bit = [shape](uint64_t mask) { return (shape & mask) != 0 ? size_t{1} : size_t{0}; };
  const size_t times =
      group ? 0 : bit(PERF_FORMAT_TOTAL_TIME_ENABLED) + bit(PERF_FORMAT_TOTAL_TIME_RUNNING);
  const bool has_id = bit(PERF_FORMAT_ID) != 0;
  const size_t step = 1 + bit(PERF_FORMAT_ID) + bit(uint64_t{1} << 4);  // lost
  for (uint64_t i = 0; i < sample.read_count; ++i) {
    const uint64_t value = word_at(sample.read, i * step);
    const uint64_t id = has_id ? word_at(sample.read, i * step + 1 + times) : sample.id;
    const size_t counted = reader_.events().find_id(id);
    if (counted == PerfEvents::kNone) {
      ++unknown_;
      continue;
    }
    uint64_t& before = values_[id];
    const uint64_t period = value - before;
    before = value;
    if (period != 0) give(counted, period, sample, space);
  }
}

// Of several events the first that was asked for is drawn, as `perf evlist` prints them, and not
// the first that has fired. Stacks of a later one are thrown away when an earlier one fires.
bool PerfDataInput::draws(size_t event) {
  const std::string& name = reader_.events()[event].name;
  if (chooses_ && event < drawn_) {
    drawn_ = event;
    if (cpu_.events().known() && !cpu_.events().draws(name)) {
      stacks_.finish();
      cpu_.choose_again(name);
    }
  }
  if (cpu_.events().changes_with(name)) {
    stacks_.finish();
    cpu_.choose_again(name);
  }
  return cpu_.events().take(name);
}

// The same for launches.
void PerfDataInput::order_launches(size_t event) {
  if (!chooses_launch_ || event >= drawn_launch_) return;
  drawn_launch_ = event;
  LaunchSamples& samples = launches_.samples();
  if (const std::string& name = reader_.events()[event].name; name != samples.event())
    samples.choose_again(name);
}

void PerfDataInput::give(size_t event, uint64_t period, const PerfSample& sample, Space space) {
  const PerfAttribute& attribute = reader_.events()[event];
  if (cpu_.events().is_launch(attribute.name)) {
    give_launch(event, sample, space);
    return;
  }
  if (!draws(event)) return;
  const bool passed = !filter_.any() || passes(sample);
  if (!passed && !host_.is_wanted()) return;
  if (!stacked_) {
    stacks_.make(attribute, sample, space, reader_.events().prints_code(event));
    stacked_ = true;
  }
  const uint64_t weight = attribute.is_tracepoint() ? 1 : std::max<uint64_t>(period, 1);
  if (passed) stacks_.count(weight, time_of(sample));
  if (host_.is_wanted()) give_host(event, weight, sample);
}

void PerfDataInput::give_host(size_t event, uint64_t weight, const PerfSample& sample) {
  const PerfAttribute& attribute = reader_.events()[event];
  const std::optional<uint64_t> time = time_of(sample);
  if (!time || !is_monotonic(attribute) || unit_of(attribute) != kNanoseconds)
    return host_.add_useless();
  host_.add(attribute.name, sample.tid, *time, stacks_.number(), weight);
}

void PerfDataInput::begin_filter() {
  if (filter_begun_ || !filter_.any()) return;
  filter_.begin_input(reader_.name(), reader_.first_sample(), reader_.last_sample());
  filter_begun_ = true;
}

bool PerfDataInput::passes(const PerfSample& sample) {
  begin_filter();
  const PerfMachine::Thread& thread = machine_.thread(sample.pid, sample.tid);
  const std::string comm = printed_comm(thread);
  return cpu_.drawn().passes({comm, thread.pid, sample.tid, time_of(sample)});
}

void PerfDataInput::give_launch(size_t number, const PerfSample& sample, Space space) {
  const PerfAttribute& event = reader_.events()[number];
  order_launches(number);
  TraceFormats* arguments = formats(event, sample);
  if (!stacked_) {
    // At the entry of a function the frame pointer is still its caller's, so the chain lacks the
    // caller. This argument, the return address, supplies it.
    uint64_t caller = 0;
    if (arguments != nullptr)
      caller = arguments->word(event.config, sample.raw, kCallerArgument).value_or(0);
    stacks_.make(event, sample, space, true, caller);
    stacked_ = true;
  }
  begin_filter();
  PerfLaunch launch;
  launch.input = reader_.name();
  launch.event = event.name;
  const std::string comm = printed_comm(machine_.thread(sample.pid, sample.tid));
  launch.origin = {comm, stacks_.pid(), sample.tid, time_of(sample)};
  launch.monotonic = is_monotonic(event);
  for (const char* field : kKernelArguments)
    if (arguments != nullptr && launch.kernel.empty())
      launch.kernel = arguments->text(event.config, sample.raw, field).value_or("");
  launch.stack = stacks_.number();
  launches_.take(launch);
}

// The formats that a sample's arguments are read by. nullptr where the sample has no arguments, or
// the input no formats.
TraceFormats* PerfDataInput::formats(const PerfAttribute& event, const PerfSample& sample) {
  if (!event.is_tracepoint() || sample.raw.empty() || reader_.tracing_data().empty())
    return nullptr;
  if (formats_ == nullptr) formats_ = std::make_unique<TraceFormats>(reader_.tracing_data());
  return formats_.get();
}

}  // namespace aiflame::collapse
