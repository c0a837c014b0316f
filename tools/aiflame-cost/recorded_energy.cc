// SPDX-License-Identifier: MIT
#include "tools/aiflame-cost/recorded_energy.h"

#include <cstdint>
#include <map>
#include <string_view>

#include "libcommon/base/count.h"
#include "libcommon/base/program.h"
#include "libcommon/gpustall/energy_reading.h"
#include "libcommon/gpustall/gpustall_reader.h"

namespace aiflame::cost {
namespace {

// A machine has fewer counters. Of hostile input no more are kept.
constexpr size_t kMostCounters = 4096;

class EnergySums {
 public:
  explicit EnergySums(std::string path) : path_(std::move(path)) {}

  void add(const EnergyReading& reading) {
    if (sums_.size() == kMostCounters && !sums_.contains(reading.name))
      throw Error(path_ + format(": more than %zu energy counters", kMostCounters));
    Sum& sum = sums_[reading.name];
    if (!reading.microjoules) sum.incomplete = true;
    if (!add_checked(sum.microjoules, reading.microjoules.value_or(0)))
      throw Error(path_ + ": the energy does not fit 64 bits");
  }
  // The only one there is.
  std::string only() const {
    if (sums_.empty())
      throw Error(path_ + ": no energy was recorded; record with gpustall-record --energy");
    if (sums_.size() > 1)
      throw Error(path_ + ": several energy counters; choose by --counter: " + names());
    return sums_.begin()->first;
  }
  uint64_t microjoules(const std::string& wanted) const {
    const auto found = sums_.find(wanted);
    if (found == sums_.end())
      throw Error(path_ + ": no energy counter '" + wanted + "'; there is " + names());
    if (found->second.incomplete)
      throw Error(path_ + ": the counter '" + found->first +
                  "' was set back or could not be read for a time; its energy is not known");
    return found->second.microjoules;
  }
  // package-0/core is a part of package-0.
  void check_apart(const std::vector<std::string>& wanted) const {
    for (const std::string& whole : wanted)
      for (const std::string& part : wanted)
        if (part.starts_with(whole + "/") || (part == whole && &part != &whole))
          throw Error(path_ + format(": the counter '%s' is in '%s' already and would count twice",
                                     part.c_str(), whole.c_str()));
  }

 private:
  struct Sum {
    uint64_t microjoules = 0;
    bool incomplete = false;
  };

  std::string names() const {
    std::string out;
    for (const auto& [name, sum] : sums_) out += (out.empty() ? "'" : ", '") + name + "'";
    return out;
  }

  const std::string path_;
  std::map<std::string, Sum> sums_;
};

}  // namespace

void take_recorded_joules(const std::string& path, const std::vector<std::string>& names,
                          Assumptions& given) {
  GpustallReader reader(path);
  EnergySums sums(input_name(path));
  GpustallRecord record;
  while (reader.next(record)) {
    if (record.kind != GpustallRecord::Kind::header || !is_energy_key(record.key)) continue;
    const auto reading = parse_energy(record.key, record.value);
    if (!reading)
      throw Error(reader.place(record) +
                  ": expected '# energy N : SOURCE, NAME, from START to END, JOULES J'");
    sums.add(*reading);
  }
  const std::vector<std::string> wanted = names.empty() ? std::vector{sums.only()} : names;
  sums.check_apart(wanted);
  uint64_t sum = 0;
  for (const std::string& name : wanted) {
    if (!add_checked(sum, sums.microjoules(name)))
      throw Error(input_name(path) + ": the energy does not fit 64 bits");
    given.counters += (given.counters.empty() ? "" : ", ") + name;
  }
  given.joules = Given{static_cast<double>(sum) / 1e6, format_count(sum, 6)};
}

}  // namespace aiflame::cost
