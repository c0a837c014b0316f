// SPDX-License-Identifier: MIT
// Numbers for names, of kernels or of stall reasons, so that samples compare by number. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace aiflame::record {

class NameTable {
 public:
  // The number of `name`, from 1; adds it when it is new. 0 stands for no name.
  uint32_t intern(const std::string& name) {
    const auto [at, added] = numbers_.try_emplace(name, static_cast<uint32_t>(names_.size()));
    if (added) names_.push_back(name);
    return at->second;
  }
  const std::string& name(uint32_t number) const { return names_[number]; }

 private:
  std::vector<std::string> names_{""};
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace aiflame::record
