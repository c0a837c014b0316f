// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/missing_agent.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/process/find_program.h"
#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/command/process_tree.h"

namespace aiflame::record {
namespace {

template <typename T>
bool read_at(std::ifstream& file, uint64_t offset, T& to) {
  file.seekg(static_cast<std::streamoff>(offset & INT64_MAX));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&to), sizeof to));
}

constexpr const char* kNoAgent = "no program loaded an agent: ";

// Processes that a line names.
constexpr size_t kNamed = 3;

using Reasons = std::vector<std::pair<std::string, std::vector<std::string>>>;  // with processes

void add_reason(Reasons& reasons, const std::string& text, const std::string& process) {
  const auto same = std::ranges::find(reasons, text, &Reasons::value_type::first);
  if (same != reasons.end())
    same->second.push_back(process);
  else
    reasons.push_back({text, {process}});
}

std::string name_of(uint32_t pid, const std::string& comm) {
  return comm.empty() ? format("process %u", pid) : format("%s (%u)", comm.c_str(), pid);
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < kNamed; ++i) out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) out += format(" and %zu more", names.size() - kNamed);
  return out;
}

// What follows the names of processes.
std::string why(const LoadedRuntime& one) {
  const AgentRuntime& runtime = *one.runtime;
  if (one.has_agent) {
    const std::string text = format(" loaded the agent for %s, which ", runtime.interface);
    if (one.lacks == AGENT_ENVIRONMENT)
      return text + "did not report: " AGENT_ENVIRONMENT " had not reached the program";
    return text + "could not reach the recorder; see 'Who is recorded' in gpustall-launches(7)";
  }
  const std::string text = format(" loaded %s, but not its agent: ", runtime.interface);
  const std::string changed = " had been changed or removed on the way to it";
  if (!one.was_offered)
    return text + runtime.variables[0] + " was set already, or the agent is not installed";
  if (!one.lacks.empty()) return text + one.lacks + changed;
  return text + "it " + runtime.otherwise +
         (one.has_ended ? format(", or %s%s", runtime.variables[0], changed.c_str()) : "");
}

}  // namespace

bool is_statically_linked(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum == 0)
    return false;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read_at(file, header.e_phoff + i * sizeof part, part) || part.p_type == PT_INTERP)
      return false;
  }
  return true;
}

std::vector<std::string> why_no_agent(const std::vector<std::string>& command,
                                      const AgentSearch& search) {
  Reasons reasons;
  for (const LoadedRuntime& one : search.loaded)
    add_reason(reasons, why(one), name_of(one.pid, one.comm));
  std::vector<std::string> lines;
  for (const auto& [text, processes] : reasons) lines.push_back(listed(processes) + text);
  if (!lines.empty()) return lines;
  const std::string path = command.empty() ? std::string() : find_program(command.front());
  if (!path.empty() && is_statically_linked(path))
    return {std::string(kNoAgent) + "'" + path +
            "' is statically linked, so nothing can be loaded into it"};
  if (!search.obstacle.empty())
    return {std::string(kNoAgent) +
            "whether one used OpenCL, Level Zero or CUDA was not seen: " + search.obstacle};
  return {std::string(kNoAgent) + "none of the processes " +
          (search.runs_on ? "had used OpenCL, Level Zero or CUDA by then"
                          : "used OpenCL, Level Zero or CUDA")};
}

std::string who_runs_on(const std::vector<pid_t>& processes) {
  std::vector<std::string> names;
  for (const pid_t pid : processes)
    names.push_back(name_of(static_cast<uint32_t>(pid), comm_of(pid)));
  return (names.size() == 1 ? std::string("1 process outlives")
                            : format("%zu processes outlive", names.size())) +
         " the command, with which the recording ends: " + listed(names);
}

}  // namespace aiflame::record
