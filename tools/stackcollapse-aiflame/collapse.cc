// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/collapse.h"

#include <sys/stat.h>

#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "libcommon/folded/launch_fact.h"
#include "libcommon/folded/note.h"
#include "libcommon/io/file_kind.h"
#include "libcommon/memory/large_memory.h"
#include "tools/stackcollapse-aiflame/fold/device_events.h"
#include "tools/stackcollapse-aiflame/write/drawn_events.h"
#include "tools/stackcollapse-aiflame/write/stack_writer.h"

namespace aiflame::collapse {
namespace {

constexpr std::string_view kRecording = "# gpustall ";

// With --cpu and --idle, the event may be the devices'; the CPU event is then the first of the
// input.
std::string cpu_event(const Settings& settings) {
  const bool wants_cpu = settings.cpu || settings.times.idle;
  return wants_cpu && is_device_event(settings.event) ? "" : settings.event;
}

// Whether CPU samples say what the host did. Their stacks have no ranges, and other roots.
bool tells_host(const Settings& settings) {
  return settings.times.idle && settings.roots.empty() && !settings.by_range.is_set();
}

bool is_file(const std::string& path) {
  struct stat status {};
  return path != "-" && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Collapse::Collapse(Settings settings)
    : settings_(std::move(settings)),
      filter_(settings_.filter),
      text_frames_(settings_.frames, settings_.sources),
      roots_(settings_.roots, tables_.texts),
      lines_(tables_.texts, tables_.stacks, settings_.frames, text_frames_, roots_.prefix("")),
      cpu_(EventChoice(cpu_event(settings_), settings_.launch_events), filter_, settings_.by_time,
           tables_.texts),
      launch_samples_(filter_, settings_.by_time, tables_.texts),
      host_samples_(tells_host(settings_), tables_),
      device_counts_(settings_.by_time, tables_.texts, is_launch_event(settings_.event)),
      origins_(filter_),
      launches_(filter_, cpu_, launch_samples_, origins_, tables_.texts),
      memory_(settings_.memory, settings_.by_time, tables_, origins_, device_counts_),
      device_(settings_.device, filter_, tables_, lines_, roots_, origins_, launches_,
              host_samples_, device_counts_, memory_, settings_.strict),
      text_rules_{settings_.frames,         settings_.sources, settings_.by_time,
                  settings_.read_each_line, settings_.threads, settings_.strict},
      text_(text_rules_, filter_, tables_, lines_, cpu_, launches_, device_) {}

void Collapse::read_all(const std::vector<std::string>& paths) {
  std::vector<std::string> recordings;
  std::vector<std::unique_ptr<ByteSource>> streams;
  for (const std::string& path : paths) {
    if (is_perf_data_directory(path)) {
      read_perf_data(ByteSource(path + "/data"), path);
      continue;
    }
    auto source = std::make_unique<ByteSource>(path);
    if (paths.size() == 1 || !source->peek(kRecording.size()).starts_with(kRecording))
      read_source(std::move(*source));
    else if (is_file(path))
      recordings.push_back(path);
    else
      streams.push_back(std::move(source));
  }
  for (const std::string& path : recordings) read_source(ByteSource(path));
  for (const auto& stream : streams) read_source(std::move(*stream));
}

void Collapse::read_source(ByteSource&& source) {
  if (is_perf_data(source.peek(8))) return read_perf_data(std::move(source), "");
  // `perf script` may write a header first, and what a program printed may stand before it
  refuse_other_kinds(source, {FileKind::recording, FileKind::perf_script});
  text_.read(std::move(source));
}

void Collapse::read_perf_data(ByteSource&& source, const std::string& directory) {
  take_huge_pages();
  perf_data_ = std::make_unique<PerfDataInput>(std::move(source), directory, settings_.frames,
                                               settings_.sources, roots_, filter_, tables_, cpu_,
                                               launches_, host_samples_);
  perf_data_->read();
}

// Old recordings do not tell when devices were idle, nor do those without times of launches.
void Collapse::check_windows() const {
  for (const auto& [index, use] : statistics_.devices)
    if (use.has_window) return;
  throw Error(format("option '--%s': no recording tells what its devices did at each moment",
                     settings_.times.idle ? "idle" : "exposed"));
}

void Collapse::check_memory() const {
  if (statistics_.allocations == 0 && statistics_.frees == 0 && statistics_.lost_memory == 0)
    warn("no recording has device memory; gpustall-record --memory records it");
}

// Where instances have no numbers, all of a name are one root.
void Collapse::check_ranges(const RangeRoots& ranges) const {
  ranges.require();
  if (ranges.has_unnumbered())
    hint("instances of '%s' have no numbers: gpustall-record --number-ranges tells them apart",
         printable(settings_.by_range.name()).c_str());
}

// Returns the sum of what is drawn.
uint64_t Collapse::add_times(StackWriter& writer) {
  statistics_.tells_windows = true;
  const DrawnTimes times = draw_times(
      device_counts_, settings_.times, [this](uint32_t code) { return device_.work_class(code); },
      [this](uint32_t sampler) {
        return statistics_.devices[origins_.samplers()[sampler].device].coverage.tells_idle();
      });
  statistics_.ran_beside = times.ran_beside;
  if (times.without_work > 0)
    warn("%.9f s of hidden time are of no launch that is drawn",
         static_cast<double>(times.without_work) / 1e9);
  writer.add_times(device_counts_, times);
  return times.sum;
}

void Collapse::write(Output& out) {
  device_.end_recording();
  device_.report();
  const Counted counted{cpu_, launch_samples_, device_counts_, origins_.samplers(),
                        device_.totals()};
  DrawnEvents drawn = choose_events(counted, settings_.event, settings_.event_may_be_missing,
                                    settings_.cpu, filter_.any());
  statistics_ = std::move(drawn.statistics);
  const bool of_memory = drawn.device && is_memory_event(statistics_.drawn);
  if (of_memory) {
    check_memory();
    drawn.quantity = memory_.quantity();
    statistics_.unit = drawn.quantity.unit;
  }
  const bool of_time = statistics_.drawn == kDeviceEvents[kTime];
  const bool with_times = drawn.device && of_time && settings_.times.needs_timeline();
  if (settings_.times.exposed && !of_time &&
      statistics_.device.count(std::string(kExposedEvent)) == 0)
    throw Error("option '--exposed': no recording tells which stalls are exposed");
  if (with_times) check_windows();

  StackWriter writer(tables_, settings_.by_time.is_set(), drawn.both(), settings_.hide_interpreter,
                     settings_.compiler_frames, settings_.graph_frames, settings_.by_range);
  uint64_t expected = drawn.of_device;
  if (with_times)
    expected = add_times(writer);
  else if (settings_.times.exposed)
    writer.add_exposed(device_counts_);
  else if (drawn.device)
    writer.add_device(device_counts_, statistics_.drawn, drawn.scales);
  if (drawn.cpu != nullptr) {
    add_samples(expected, drawn.cpu->stacks().total());
    writer.add_cpu(drawn.cpu->stacks());
  }
  check_ranges(writer.range_roots());
  if (expected > 0 && drawn.quantity.is_known()) out.write(quantity_line(drawn.quantity));
  if (of_memory)
    for (const std::string& note : memory_.notes()) out.write(note_line(note));
  else if (drawn.device)
    for (const LaunchFact& fact : device_.launch_facts().all()) out.write(launch_fact_line(fact));
  if (writer.write(out) != expected)
    throw Error("internal: the counts written are not the samples read");
}

}  // namespace aiflame::collapse
