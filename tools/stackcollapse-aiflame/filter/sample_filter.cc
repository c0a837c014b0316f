// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/filter/sample_filter.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/text/globs.h"

namespace aiflame::collapse {
namespace {

// The items of all lists of an option. Throws UsageError where one is empty: an unset variable in a
// script must not mean "no filter".
std::vector<std::string> items(const char* option, const std::vector<std::string>& lists) {
  std::vector<std::string> out;
  for (std::string_view rest : lists) {
    for (;;) {
      const size_t comma = rest.find(',');
      const std::string_view item = trim(rest.substr(0, comma));
      if (item.empty())
        throw UsageError(format("option '--%s': an empty item in its list", option));
      out.emplace_back(item);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return out;
}

std::vector<int64_t> ids(const char* option, const std::vector<std::string>& lists) {
  std::vector<int64_t> out;
  for (const std::string& item : items(option, lists)) {
    const auto id = parse_number<int64_t>(item);
    if (!id) throw UsageError(format("option '--%s': '%s' is not a number", option, item.c_str()));
    out.push_back(*id);
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool has(const std::vector<int64_t>& ids, int64_t id) {
  return std::binary_search(ids.begin(), ids.end(), id);
}

}  // namespace

SampleFilter::SampleFilter(const FilterOptions& options)
    : pids_(ids("pids", options.pids)),
      tids_(ids("tids", options.tids)),
      comms_(items("comms", options.comms)),
      kernels_(items("kernels", options.kernels)) {
  for (const std::string& item : items("devices", options.devices)) {
    if (const auto number = parse_number<uint64_t>(item))
      numbers_.push_back(*number);
    else
      devices_.push_back(item);
  }
  if (!options.time.empty()) times_ = TimeRanges(options.time.back());
}

bool SampleFilter::passes(const SampleOrigin& origin) const {
  return passes_time(origin.time) && passes_thread(origin.comm, origin.pid, origin.tid);
}

bool SampleFilter::passes_thread(std::string_view comm, std::optional<int64_t> pid,
                                 int64_t tid) const {
  return (pids_.empty() || (pid && has(pids_, *pid))) && (tids_.empty() || has(tids_, tid)) &&
         (comms_.empty() || matches_any(comms_, comm));
}

bool SampleFilter::passes_time(std::optional<uint64_t> time) const {
  return times_.all() || (time && times_.contains(*time));
}

bool SampleFilter::passes_device(uint64_t index, std::string_view description) const {
  if (numbers_.empty() && devices_.empty()) return true;
  if (std::find(numbers_.begin(), numbers_.end(), index) != numbers_.end()) return true;
  if (devices_.empty()) return false;
  std::string_view name = description.substr(std::min(description.find(','), description.size()));
  if (take_prefix(name, ",")) name = trim(name.substr(0, name.find(',')));
  return matches_any(devices_, name) || matches_any(devices_, description);
}

bool SampleFilter::passes_kernel(std::initializer_list<std::string_view> names) const {
  return kernels_.empty() || std::any_of(names.begin(), names.end(), [this](std::string_view name) {
           return matches_any(kernels_, name);
         });
}

void SampleFilter::begin_input(const std::string& name, uint64_t first, uint64_t last) {
  if (!times_.needs_whole()) return;
  if (last == 0)
    throw Error(name +
                ": option '--time': parts in percent need the times of the first and last sample, "
                "which perf record writes into a file's header (not with -B, unless with "
                "--timestamp-boundary), and nothing else does");
  times_.of_whole(first, last);
}

bool SampleFilter::lacks(const SampleOrigin& origin) const {
  return (of_times() && !origin.time) || (!pids_.empty() && !origin.pid);
}

}  // namespace aiflame::collapse
