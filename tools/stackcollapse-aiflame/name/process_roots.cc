// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/process_roots.h"

#include "libcommon/base/choices.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/perf_script/frame_names.h"

namespace aiflame::collapse {
namespace {

// in the order of RootLevel
constexpr std::string_view kNames[] = {"host", "rank", "job", "container", "pod"};

// As container engines shorten their ids where people read them.
constexpr size_t kContainerDigits = 12;

std::string value_of(RootLevel level, const std::string& host, const ProcessFacts& facts) {
  switch (level) {
    case RootLevel::host:
      return host;
    case RootLevel::rank:
      return facts.rank;
    case RootLevel::job:
      return facts.job;
    case RootLevel::container:
      return facts.container.substr(0, kContainerDigits);
    case RootLevel::pod:
      return facts.pod;
  }
  return "";
}

}  // namespace

std::string root_level_names() {
  return choice_names(kNames);
}

std::vector<RootLevel> parse_root_levels(std::string_view list) {
  std::vector<RootLevel> out;
  for (const size_t level : parse_choices("root", list, kNames))
    out.push_back(static_cast<RootLevel>(level));
  return out;
}

void ProcessRoots::take_header(const GpustallRecord& header) {
  if (header.key == "hostname") host_ = header.value;
  std::string_view number = header.key;
  if (!take_prefix(number, "process ")) return;
  const auto pid = parse_number<int64_t>(number);
  const auto facts = parse_process_facts(header.value);
  if (!pid || !facts) return;  // of a later writer
  facts_[*pid] = *facts;
  prefixes_.erase(*pid);
}

void ProcessRoots::end_recording() {
  host_.clear();
  facts_.clear();
  prefixes_.clear();
}

uint32_t ProcessRoots::root(uint32_t plain, int64_t pid) {
  if (levels_.empty()) return plain;
  const auto [known, is_new] = prefixes_.try_emplace(pid);
  if (is_new) {
    const auto facts = facts_.find(pid);
    known->second = prefix(host_, facts == facts_.end() ? ProcessFacts() : facts->second);
  }
  return texts_.number(known->second + std::string(texts_.text(plain)));
}

// "host n1;rank 3;"
std::string ProcessRoots::prefix(const std::string& host, const ProcessFacts& facts) const {
  std::string out;
  for (const RootLevel level : levels_) {
    const char* name = kNames[static_cast<size_t>(level)].data();
    const std::string value = value_of(level, host, facts);
    out += value.empty() ? format("[unknown %s];", name)
                         : folded_text(format("%s %s", name, value.c_str())) + ";";
  }
  return out;
}

}  // namespace aiflame::collapse
