// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/inlined_names.h"

#include <algorithm>

namespace aiflame {
namespace {

// How often a name is compared with a string. A library of ten objects with a thousand names each
// needs a few hundred thousand comparisons.
constexpr uint64_t kMaxSteps = uint64_t{1} << 24;

// The names that a table uses, sorted, each once.
std::vector<uint64_t> names_of(const LineTable& table) {
  std::vector<uint64_t> out;
  for (const LineSequence& sequence : table.sequences)
    for (const LineRow& row : sequence.rows)
      if (row.context != 0) out.push_back(row.name);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

class Strings {
 public:
  explicit Strings(std::string_view bytes) : bytes_(bytes) {
    for (size_t at = 0; at < bytes.size();) {
      starts_.push_back(at);
      const size_t end = bytes.find('\0', at);
      at = end == std::string_view::npos ? bytes.size() : end + 1;
    }
  }

  size_t count() const { return starts_.size(); }
  uint64_t start(size_t number) const { return starts_[number]; }
  // The number of the string that begins at an offset, or count().
  size_t number(uint64_t at) const {
    const auto found = std::lower_bound(starts_.begin(), starts_.end(), at);
    return found != starts_.end() && *found == at ? static_cast<size_t>(found - starts_.begin())
                                                  : count();
  }
  // Whether all names, counted from `base`, are beginnings of strings.
  bool hold(uint64_t base, const std::vector<uint64_t>& names, uint64_t& steps) const {
    return std::all_of(names.begin(), names.end(), [&](uint64_t name) {
      if (steps > 0) --steps;
      return base + name < bytes_.size() && (base + name == 0 || bytes_[base + name - 1] == '\0');
    });
  }

 private:
  std::string_view bytes_;
  std::vector<uint64_t> starts_;
};

}  // namespace

std::vector<std::optional<uint64_t>> inlined_name_bases(const std::vector<LineTable>& tables,
                                                        std::string_view debug_str) {
  std::vector<std::optional<uint64_t>> out(tables.size());
  // the object was not linked, or its linker wrote the number
  const bool in_headers =
      tables.size() == 1 ||
      std::any_of(tables.begin(), tables.end(), [](auto& each) { return each.names != 0; });
  if (in_headers) {
    for (size_t i = 0; i < tables.size(); ++i) out[i] = tables[i].names;
    return out;
  }
  const Strings strings(debug_str);
  uint64_t steps = kMaxSteps;
  std::vector<std::vector<uint64_t>> names;
  names.reserve(tables.size());
  for (const LineTable& table : tables) names.push_back(names_of(table));

  // each table as far to the front as possible, then each as far to the back
  std::vector<size_t> first(tables.size()), last(tables.size());
  size_t next = 0;
  for (size_t i = 0; i < tables.size(); ++i) {
    if (names[i].empty()) continue;
    while (next < strings.count() && steps > 0 &&
           !strings.hold(strings.start(next), names[i], steps))
      ++next;
    if (next == strings.count() || steps == 0) return out;
    first[i] = next;
    next = strings.number(strings.start(next) + names[i].back()) + 1;
  }
  size_t end = strings.count();
  for (size_t i = tables.size(); i-- > 0;) {
    if (names[i].empty()) continue;
    size_t at = end;
    do {
      if (at == 0 || steps == 0) return out;
      --at;
    } while (!strings.hold(strings.start(at), names[i], steps) ||
             strings.number(strings.start(at) + names[i].back()) >= end);
    last[i] = end = at;
  }
  for (size_t i = 0; i < tables.size(); ++i)
    if (!names[i].empty() && first[i] == last[i]) out[i] = strings.start(first[i]);
  return out;
}

}  // namespace aiflame
