// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/energy_counters.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::record {
namespace {

// Often enough for any counter: the smallest range that the kernel's documentation of RAPL shows,
// 65 kJ, lasts a minute at 1 kW. Rarely enough to cost nothing: a reading takes microseconds.
constexpr uint64_t kIntervalNs = 1000000000;

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

EnergyCounters::EnergyCounters(const std::string& classes, uint64_t now) : last_(now) {
  find_rapl(classes + "/powercap");
  find_hwmon(classes + "/hwmon");
  if (!counters_.empty()) return;
  throw Error(closed_.empty() ? "--energy: this machine has no energy counters in " + classes +
                                    "/powercap or " + classes + "/hwmon"
                              : "--energy: no energy counter may be read: " + closed_.front() +
                                    "; since Linux 5.10 only root may");
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
  counters_.push_back({std::move(source), std::move(name), file, range, *before});
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
      add(below(path, input), "hwmon", std::move(name), 0);
    }
  }
}

std::vector<EnergyReading> EnergyCounters::read(uint64_t now, bool last) {
  std::vector<EnergyReading> out;
  if (!last && now - last_ < kIntervalNs) return out;
  for (size_t i = 0; i < counters_.size(); ++i) {
    Counter& counter = counters_[i];
    EnergyReading reading{i, counter.source, counter.name, last_, now, std::nullopt};
    if (const auto after = read_number(counter.file)) {
      reading.microjoules = counted_between(counter.before, *after, counter.range);
      counter.before = *after;
    }
    out.push_back(reading);
  }
  last_ = now;
  return out;
}

}  // namespace aiflame::record
