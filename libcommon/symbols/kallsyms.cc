// SPDX-License-Identifier: MIT
#include "libcommon/symbols/kallsyms.h"

#include <sys/utsname.h>

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/io/read_text.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame {
namespace {

// The largest list seen, with all modules of a distribution loaded, has 20 MB.
constexpr size_t kMaxKallsyms = size_t{512} << 20;

}  // namespace

bool is_kernel_symbol(char type) {
  return std::string_view("TtWwDdBb").find(type) != std::string_view::npos;
}

bool is_other_kernel(const std::string& release, const std::string& architecture) {
  struct utsname running {};
  if (uname(&running) != 0) return !release.empty() || !architecture.empty();
  return (!release.empty() && release != running.release) ||
         (!architecture.empty() && architecture != running.machine);
}

bool is_running_kernel(const std::string& build_id) {
  return build_id.empty() || build_id == kernel_build_id();
}

Kallsyms::Kallsyms(std::string text) : text_(std::move(text)) {
  const std::string_view all = std::string_view(text_).substr(0, UINT32_MAX);
  symbols_.reserve(all.size() / 40);  // a line of the image has 44 bytes on average
  bool hidden = true, in_order = true;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view line = all.substr(at, end - at);
    const size_t start = at;
    at = end + 1;
    // address, type, name
    const size_t blank = line.size() > 16 && line[16] == ' ' ? 16 : line.find(' ');
    if (blank == std::string_view::npos || line.size() < blank + 4) continue;
    const auto address = parse_hex(line.substr(0, blank));
    if (!address || !is_kernel_symbol(line[blank + 1]) || line[blank + 3] == '$') continue;
    if (*address != 0) hidden = false;
    if (!symbols_.empty() && symbols_.back().start > *address) in_order = false;
    symbols_.push_back({*address, static_cast<uint32_t>(start + blank + 3)});
  }
  if (hidden) symbols_.clear();
  if (in_order) return;
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.start < b.start; });
}

std::string_view Kallsyms::name(const Symbol& symbol) const {
  const std::string_view rest = std::string_view(text_).substr(symbol.name);
  return rest.substr(0, std::min(rest.find_first_of("\t\n"), rest.size()));
}

void Kallsyms::relocate(const std::string& symbol, uint64_t was) {
  for (const Symbol& each : symbols_) {
    if (text_.compare(each.name, symbol.size(), symbol) != 0 || name(each) != symbol) continue;
    moved_ = each.start - was;
    return;
  }
}

const Kallsyms::Symbol* Kallsyms::find(uint64_t address) const {
  // Of several names for one address, the last, as perf does: only the last has a length.
  auto next = std::upper_bound(symbols_.begin(), symbols_.end(), address + moved_,
                               [](uint64_t at, const Symbol& s) { return at < s.start; });
  if (next == symbols_.begin()) return nullptr;
  const Symbol& found = *std::prev(next);
  if (next == symbols_.end() && address + moved_ - found.start >= 8192) return nullptr;
  return &found;
}

std::optional<std::string_view> Kallsyms::at(uint64_t address) const {
  const Symbol* found = find(address);
  return found == nullptr ? std::nullopt : std::optional(name(*found));
}

std::optional<uint64_t> Kallsyms::start_of(uint64_t address) const {
  const Symbol* found = find(address);
  return found == nullptr ? std::nullopt : std::optional(found->start);
}

std::string find_kallsyms(const std::string& build_id) {
  if (is_running_kernel(build_id)) return read_text("/proc/kallsyms", kMaxKallsyms);
  return read_text(build_id_cache(build_id) + "/kallsyms", kMaxKallsyms);
}

}  // namespace aiflame
