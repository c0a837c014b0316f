// SPDX-License-Identifier: MIT
#include "libcommon/folded/launch_fact.h"

#include <algorithm>
#include <array>
#include <utility>

#include "libcommon/base/count.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/printable.h"

namespace aiflame {
namespace {

constexpr std::string_view kBegin = "# aiflame-launch: ";
constexpr std::string_view kAnnotation = "_[G]";
constexpr size_t kLongestLine = 65536, kLongestLimit = 64;

struct Number {
  std::string_view key;
  std::optional<uint64_t> KernelFacts::*of;
};
constexpr std::array kNumbers{Number{"registers", &KernelFacts::registers},
                              Number{"static-local", &KernelFacts::static_local},
                              Number{"scratch", &KernelFacts::scratch},
                              Number{"spills", &KernelFacts::spills}};

std::string bytes_text(uint64_t bytes) {
  return format_count_with_commas(bytes, 0) + " B";
}

// "registers 40" of the line's items before the kernel. False where the value is malformed.
bool take_item(std::string_view item, LaunchFact& out) {
  std::string_view value = item;
  const std::string_view key = take_field(value);
  value = trim_left(value);
  const auto number = parse_number<uint64_t>(value);
  if (key == "launches" || key == "sizes") {
    if (!number) return false;
    (key == "launches" ? out.launches : out.other_sizes) = *number;
  } else if (key == "items" || key == "group" || key == "local") {
    // each is a text of gpustall(5) by itself
    const auto part = parse_launch_size(trim_left(item));
    if (!part) return false;
    if (key == "items") out.size.items = part->items;
    if (key == "group") out.size.group = part->group;
    if (key == "local") out.size.local = part->local;
  } else if (key == "occupancy") {
    if (!number || *number > 100) return false;
    out.occupancy = *number;
  } else if (key == "limit") {
    if (value.size() > kLongestLimit || !is_printable(value)) return false;
    out.limit = value;
  } else {
    for (const Number& one : kNumbers) {
      if (key != one.key) continue;
      if (!number) return false;
      out.code.*one.of = *number;
    }
  }
  return true;
}

// How many groups there are in each dimension; nothing where they do not fill it.
std::optional<std::array<uint64_t, 3>> groups_of(const LaunchSize& size) {
  std::array<uint64_t, 3> out{};
  for (size_t i = 0; i < out.size(); ++i) {
    if (size.group[i] == 0 || size.items[i] == 0 || size.items[i] % size.group[i] != 0)
      return std::nullopt;
    out[i] = size.items[i] / size.group[i];
  }
  return out;
}

// "1024x1024 work-items, in groups of 16x16", "64x64 blocks of 16x16 threads"
std::string size_words(const LaunchFact& fact, LaunchWords words) {
  if (fact.other_sizes > 0) return format_count_with_commas(fact.other_sizes, 0) + " other sizes";
  const bool cuda = words == LaunchWords::cuda;
  if (cuda)
    if (const auto blocks = groups_of(fact.size))
      return extent_text(*blocks) + " blocks of " + extent_text(fact.size.group) + " threads";
  const std::string groups = cuda ? "blocks of " : "groups of ";
  std::string out;
  if (fact.size.items[0] != 0)
    out = extent_text(fact.size.items) + (cuda ? " threads" : " work-items");
  if (fact.size.group[0] != 0)
    out += (out.empty() ? groups : ", in " + groups) + extent_text(fact.size.group);
  return out.empty() ? "unknown size" : out;
}

// What limits the occupancy: folded(5) has OpenCL's words.
std::string limit_words(const std::string& limit, LaunchWords words) {
  if (words == LaunchWords::cuda && limit == "local memory") return "shared memory";
  if (limit == "group")
    return words == LaunchWords::cuda ? "the size of blocks" : "the size of groups";
  return printable(limit);
}

}  // namespace

std::optional<uint64_t> LaunchFact::local() const {
  if (size.local == 0) return code.static_local;
  const uint64_t of_code = code.static_local.value_or(0);
  return size.local > UINT64_MAX - of_code ? UINT64_MAX : size.local + of_code;
}

std::vector<std::string> launch_fact_texts(const LaunchFact& fact, LaunchWords words) {
  std::vector<std::string> out;
  out.push_back(format_count_with_commas(fact.launches, 0) +
                (fact.launches == 1 ? " launch of " : " launches of ") + size_words(fact, words));
  std::string code;
  const auto add = [&code](const std::string& text) {
    code.append(code.empty() ? "" : ", ").append(text);
  };
  if (fact.code.registers) add(std::to_string(*fact.code.registers) + " registers");
  if (const auto local = fact.local(); local && *local > 0)
    add(bytes_text(*local) +
        (words == LaunchWords::cuda ? " of shared memory" : " of local memory"));
  if (fact.code.spills && *fact.code.spills > 0) add(bytes_text(*fact.code.spills) + " spilled");
  if (fact.code.scratch && *fact.code.scratch > 0) add(bytes_text(*fact.code.scratch) + " scratch");
  if (!code.empty()) out.push_back(std::exchange(code, ""));
  if (fact.occupancy)
    out.push_back("occupancy " + std::to_string(*fact.occupancy) + "% at most (estimate)" +
                  (fact.limit.empty() ? "" : ", limited by " + limit_words(fact.limit, words)));
  return out;
}

std::string launch_fact_line(const LaunchFact& fact) {
  std::string out(kBegin);
  out += "launches " + std::to_string(fact.launches);
  if (fact.other_sizes > 0) out += ", sizes " + std::to_string(fact.other_sizes);
  if (fact.size.items[0] != 0) out += ", " + launch_size_text({fact.size.items, {}, 0});
  if (fact.size.group[0] != 0) out += ", " + launch_size_text({{}, fact.size.group, 0});
  if (fact.size.local != 0) out += ", local " + std::to_string(fact.size.local);
  for (const Number& one : kNumbers)
    if (fact.code.*one.of)
      out.append(", ").append(one.key).append(" ").append(std::to_string(*(fact.code.*one.of)));
  if (fact.occupancy) out += ", occupancy " + std::to_string(*fact.occupancy);
  if (!fact.limit.empty()) out += ", limit " + fact.limit;
  return out + ", kernel " + fact.kernel + "\n";
}

std::optional<LaunchFact> parse_launch_fact(std::string_view line) {
  line = trim_right(line);
  if (line.size() > kLongestLine || !take_prefix(line, kBegin)) return std::nullopt;
  LaunchFact out;
  // the kernel comes last, as ", " may be in its name
  while (!take_prefix(line, "kernel ")) {
    const size_t end = line.find(", ");
    if (end == std::string_view::npos || !take_item(line.substr(0, end), out)) return std::nullopt;
    line.remove_prefix(end + 2);
  }
  if (!line.ends_with(kAnnotation) || line.find(';') != std::string_view::npos) return std::nullopt;
  out.kernel = printable(line);
  return out;
}

void LaunchFacts::add(LaunchFact fact) {
  const uint64_t launches = std::exchange(fact.launches, 0);
  const auto known = launches_.find(fact);
  if (known != launches_.end())
    known->second = launches > UINT64_MAX - known->second ? UINT64_MAX : known->second + launches;
  else if (launches_.size() < kMost)
    launches_.emplace(std::move(fact), launches);
}

void LaunchFacts::add(const LaunchFacts& other) {
  for (const LaunchFact& fact : other.all()) add(fact);
}

std::vector<LaunchFact> LaunchFacts::all() const {
  std::vector<LaunchFact> out;
  out.reserve(launches_.size());
  for (const auto& [fact, launches] : launches_) out.emplace_back(fact).launches = launches;
  std::stable_sort(out.begin(), out.end(), [](const LaunchFact& a, const LaunchFact& b) {
    return std::tie(a.kernel, b.launches) < std::tie(b.kernel, a.launches);
  });
  return out;
}

}  // namespace aiflame
