// SPDX-License-Identifier: MIT
#include "libcommon/symbols/kallsyms.h"

#include <algorithm>
#include <cctype>

#include "libcommon/parse.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame {
namespace {

// The largest seen, with all modules of a distribution loaded, has 20 MB.
constexpr size_t kMaxKallsyms = size_t{512} << 20;

// perf's choice: text, weak, data and bss, local or not
bool is_listed(char type) {
  const int upper = std::toupper(static_cast<unsigned char>(type));
  return upper == 'T' || upper == 'W' || upper == 'D' || upper == 'B';
}

}  // namespace

Kallsyms::Kallsyms(std::string text) : text_(std::move(text)) {
  bool hidden = true;
  for (size_t at = 0; at < text_.size();) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = std::string_view(text_).substr(at, end - at);
    at = end + 1;
    // address, type, name
    const size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.size() < blank + 4) continue;
    const auto address = parse_hex(line.substr(0, blank));
    if (!address || !is_listed(line[blank + 1]) || line[blank + 3] == '$') continue;
    std::string_view symbol = line.substr(blank + 3);
    symbol = symbol.substr(0, symbol.find('\t'));
    if (*address != 0) hidden = false;
    symbols_.push_back(
        {*address, static_cast<size_t>(symbol.data() - text_.data()), symbol.size()});
  }
  if (hidden) symbols_.clear();
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.start < b.start; });
}

void Kallsyms::relocate(const std::string& symbol, uint64_t was) {
  for (const Symbol& each : symbols_) {
    if (name(each) != symbol) continue;
    moved_ = each.start - was;
    return;
  }
}

const Kallsyms::Symbol* Kallsyms::find(uint64_t address) const {
  // of several names for one address, the last as perf has it: only that one has a length
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
  if (build_id.empty() || build_id == kernel_build_id())
    return read_text("/proc/kallsyms", kMaxKallsyms);
  return read_text(build_id_cache(build_id) + "/kallsyms", kMaxKallsyms);
}

}  // namespace aiflame
