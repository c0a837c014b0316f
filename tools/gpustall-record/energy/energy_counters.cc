// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/energy/energy_counters.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "libcommon/base/clock.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

// Often enough for any counter: the smallest range that the kernel's documentation of RAPL shows,
// 65 kJ, lasts a minute at 1 kW. Rarely enough to cost nothing: a reading takes microseconds.
constexpr uint64_t kIntervalNs = 1000000000;

// The programs of plugins/energy/: "energy-nvml".
constexpr std::string_view kPrograms = "energy-";

// One for each GPU of a server.
constexpr size_t kShownNotes = 8;

std::string below(const std::string& directory, const std::string& name) {
  return directory + "/" + name;
}

// A file of sysfs, from its beginning: one line. Nothing where it cannot be read.
std::optional<std::string> read_line(int file) {
  std::array<char, 256> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  if (size < 0) return std::nullopt;
  const std::string_view all(text.data(), static_cast<size_t>(size));
  return std::string(all.substr(0, all.find('\n')));
}

std::optional<uint64_t> read_number(int file) {
  const auto line = read_line(file);
  return line ? parse_number<uint64_t>(*line) : std::nullopt;
}

// "" where there is no such file.
std::string line_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return "";
  const auto line = read_line(file);
  close(file);
  return line.value_or("");
}

// The names in a directory that begin like this, sorted.
std::vector<std::string> names_in(const std::string& directory, std::string_view begin) {
  std::vector<std::string> out;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with(begin)) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::optional<uint64_t> counted_between(uint64_t before, uint64_t after, uint64_t range) {
  if (after >= before) return after - before;
  if (range < before) return std::nullopt;  // also where it is not known
  return range - before + after;
}

EnergyCounters::EnergyCounters(const std::string& classes, const std::string& programs,
                               Patience patience)
    : patience_(patience) {
  // may take seconds, which are in no reading
  start_vendors(programs);
  last_ = monotonic_ns();
  find_rapl(classes + "/powercap");
  find_hwmon(classes + "/hwmon");
  numbers_ = counters_.size();
  follow_vendors();
  if (numbers_ > 0) return;
  std::string text = "--energy: this machine has no energy counters in " + classes +
                     "/powercap or " + classes + "/hwmon, and none by a vendor's library";
  if (!closed_.empty())
    text = "--energy: no energy counter may be read: " + closed_.front() +
           "; since Linux 5.10 only root may";
  for (const Vendor& vendor : vendors_)
    for (const std::string& note : vendor.complaints()) text += "; " + note;
  throw Error(text);
}

EnergyCounters::~EnergyCounters() {
  for (const Counter& counter : counters_) close(counter.file);
}

void EnergyCounters::add(const std::string& path, std::string source, std::string name,
                         uint64_t range) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    if (errno != ENOENT) closed_.push_back(path + ": " + std::strerror(errno));
    return;
  }
  const auto before = read_number(file);
  if (!before) {
    closed_.push_back(path + ": no number");
    close(file);
    return;
  }
  counters_.push_back({std::move(source), own_name(std::move(name)), file, range, *before});
}

// A zone "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. Both are there side by side.
// AMD's processors have the same names. "intel-rapl-mmio:0" counts the package a second time.
void EnergyCounters::find_rapl(const std::string& directory) {
  for (const std::string& zone : names_in(directory, "intel-rapl:")) {
    const std::string path = below(directory, zone);
    std::string name = line_of(below(path, "name"));
    const size_t part = zone.rfind(':');
    if (part != zone.find(':'))
      name.insert(0, line_of(below(below(directory, zone.substr(0, part)), "name")) + "/");
    const auto range = parse_number<uint64_t>(line_of(below(path, "max_energy_range_uj")));
    add(below(path, "energy_uj"), "rapl", name.empty() ? zone : name, range.value_or(0));
  }
}

// The device is named, since several GPUs have the same driver: "xe card 0000:3d:00.0".
void EnergyCounters::find_hwmon(const std::string& directory) {
  for (const std::string& chip : names_in(directory, "hwmon")) {
    const std::string path = below(directory, chip);
    std::error_code error;
    const std::string device =
        std::filesystem::read_symlink(below(path, "device"), error).filename();
    for (const std::string& input : names_in(path, "energy")) {
      constexpr std::string_view kInput = "_input";
      if (!input.ends_with(kInput)) continue;
      const std::string begin = input.substr(0, input.size() - kInput.size());
      const std::string label = line_of(below(path, begin).append("_label"));
      std::string name = line_of(below(path, "name"));
      name.append(" ").append(label.empty() ? begin : label);
      if (!device.empty()) name.append(" ").append(device);
      const size_t before = counters_.size();
      add(below(path, input), "hwmon", std::move(name), 0);
      if (counters_.size() > before && !device.empty()) places_.insert(device);
    }
  }
}

// Two counters of one name would be one to aiflame-cost.
std::string EnergyCounters::own_name(std::string name) {
  const std::string begin = name;
  for (int i = 2; !names_.insert(name).second; ++i) name = begin + format(" (%d)", i);
  return name;
}

// All of them start at the same time; each has answered then, or has ended.
void EnergyCounters::start_vendors(const std::string& directory) {
  for (const std::string& file : names_in(directory, kPrograms))
    vendors_.push_back({file, std::make_unique<EnergyProgram>(below(directory, file)), {}, 0});
  const uint64_t end = monotonic_ns() + static_cast<uint64_t>(patience_.first_ms) * 1000000;
  for (Vendor& vendor : vendors_) {
    const uint64_t now = monotonic_ns();
    vendor.program->hear(now < end ? static_cast<int>((end - now) / 1000000) : 0);
    if (vendor.program->is_asked()) vendor.program->give_up();
  }
}

// By a reading of now: the first ones of quick programs may be seconds old.
void EnergyCounters::follow_vendors() {
  for (Vendor& vendor : vendors_)
    if (vendor.program->next()) vendor.program->ask();
  for (Vendor& vendor : vendors_) {
    vendor.program->hear(patience_.last_ms);
    if (vendor.program->is_asked()) vendor.program->give_up();
    follow(vendor);
  }
}

// Follows the counters of a program that has answered, but not of devices that the kernel counts.
void EnergyCounters::follow(Vendor& vendor) {
  const auto first = vendor.program->next();
  if (!first) return;
  vendor.since = std::min(first->time, monotonic_ns());
  std::set<std::string> twice;
  const auto& counters = vendor.program->counters();
  for (size_t i = 0; i < counters.size(); ++i) {
    if (places_.contains(counters[i].place))
      twice.insert(counters[i].place);
    else
      vendor.counters.push_back({i, numbers_++, own_name(counters[i].name), first->microjoules[i]});
  }
  for (const std::string& place : twice)
    remarks_.push_back("energy of " + place + ": hwmon's counters, not those of " +
                       vendor.source());
}

std::vector<EnergyReading> EnergyCounters::read(uint64_t now, bool last) {
  std::vector<EnergyReading> out;
  const bool is_due = last || now - last_ >= kIntervalNs;
  for (size_t i = 0; is_due && i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    EnergyReading reading{i, counter.source, counter.name, last_, now, std::nullopt};
    if (const auto after = read_number(counter.file)) {
      reading.microjoules = counted_between(counter.before, *after, counter.range);
      counter.before = *after;
    }
    out.push_back(reading);
  }
  if (is_due) last_ = now;
  for (Vendor& vendor : vendors_) {
    take_answers(vendor, last, out);
    if (is_due) vendor.program->ask();
  }
  for (Vendor& vendor : vendors_)
    if (last) take_last(vendor, now, out);
  return out;
}

// With `last` it waits for what was asked.
void EnergyCounters::take_answers(Vendor& vendor, bool last, std::vector<EnergyReading>& out) {
  vendor.program->hear(last ? patience_.last_ms : 0);
  while (const auto answer = vendor.program->next()) {
    const uint64_t time = std::clamp(answer->time, vendor.since, monotonic_ns());
    for (Followed& counter : vendor.counters) {
      const std::optional<uint64_t> after = answer->microjoules[counter.index];
      EnergyReading reading{counter.number, vendor.source(), counter.name, vendor.since,
                            time,           std::nullopt};
      if (counter.before && after)
        reading.microjoules = counted_between(*counter.before, *after, 0);
      counter.before = after;
      out.push_back(reading);
    }
    vendor.since = time;
  }
  if (last && vendor.program->is_asked()) vendor.program->give_up();
}

// What a program that has ended had not told is not known.
void EnergyCounters::take_last(Vendor& vendor, uint64_t now, std::vector<EnergyReading>& out) {
  take_answers(vendor, true, out);
  if (!vendor.program->has_ended()) return;
  for (const Followed& counter : vendor.counters)
    out.push_back({counter.number, vendor.source(), counter.name, vendor.since,
                   std::max(now, vendor.since), std::nullopt});
}

std::vector<std::string> EnergyCounters::complaints() const {
  std::vector<std::string> out;
  if (!closed_.empty())
    out.push_back(format("%zu energy counters may not be read, the first is %s", closed_.size(),
                         closed_.front().c_str()));
  for (const Vendor& vendor : vendors_)
    for (std::string& text : vendor.complaints()) out.push_back(std::move(text));
  return out;
}

bool EnergyCounters::has_process(pid_t process) const {
  return std::any_of(vendors_.begin(), vendors_.end(),
                     [&](const Vendor& vendor) { return vendor.program->process() == process; });
}

std::string EnergyCounters::Vendor::source() const {
  return file.substr(file.find('-') + 1);
}

std::vector<std::string> EnergyCounters::Vendor::complaints() const {
  std::vector<std::string> out;
  const std::vector<std::string>& notes = program->notes();
  for (size_t i = 0; i < notes.size() && i < kShownNotes; ++i)
    out.push_back(file + ": " + notes[i]);
  if (notes.size() > kShownNotes)
    out.push_back(file + format(": and %zu more such notes", notes.size() - kShownNotes));
  if (!program->failure().empty())
    out.push_back(file + ": " + program->failure() + "; its energy counters are missing");
  return out;
}

}  // namespace aiflame::record
