// SPDX-License-Identifier: MIT
// Root frames that say where a process ran (--root): "host n1;rank 3;train". What is not known
// reads "[unknown rank]".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/gpustall/gpustall_record.h"
#include "libcommon/gpustall/process_facts.h"
#include "libcommon/text/text_table.h"

namespace aiflame::collapse {

enum class RootLevel { host, rank, job, container, pod };

// "host,rank". Throws UsageError for a name that is none.
std::vector<RootLevel> parse_root_levels(std::string_view list);
// The names, with blanks between them.
std::string root_level_names();

class ProcessRoots {
 public:
  // `texts` gets the roots.
  ProcessRoots(std::vector<RootLevel> levels, TextTable& texts)
      : levels_(std::move(levels)), texts_(texts) {}

  // Takes the lines of a recording that say which host it is of, and who its processes are.
  void take_header(const GpustallRecord& header);
  void end_recording();

  // The root of a process of the recording: what --root asks for, before the root without it.
  // Both are numbers in the texts.
  uint32_t root(uint32_t plain, int64_t pid);
  // What comes before the root of a process of which at most the host is known, "" = not even that.
  std::string prefix(const std::string& host) const { return prefix(host, {}); }

 private:
  std::string prefix(const std::string& host, const ProcessFacts& facts) const;

  const std::vector<RootLevel> levels_;
  TextTable& texts_;
  // of the recording
  std::string host_;
  std::unordered_map<int64_t, ProcessFacts> facts_;    // by pid
  std::unordered_map<int64_t, std::string> prefixes_;  // by pid
};

}  // namespace aiflame::collapse
