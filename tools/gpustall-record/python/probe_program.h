// SPDX-License-Identifier: MIT
// The program python_probe.bpf.c in the kernel. The only user of libbpf.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tools/gpustall-record/python/python_probe.h"

namespace aiflame::record {

class ProbeProgram {
 public:
  // `file`: the program, compiled. Throws Error with the cause.
  explicit ProbeProgram(const std::string& file);
  ~ProbeProgram();
  ProbeProgram(const ProbeProgram&) = delete;
  ProbeProgram& operator=(const ProbeProgram&) = delete;

  // Runs it at each hit of a tracepoint of tracefs from now on, ahead of what is recorded of the
  // hit. Throws Error.
  void attach(const std::string& group, const std::string& tracepoint);
  // By the process's number in the first pid namespace. False when there are too many.
  [[nodiscard]] bool add(uint32_t pid, const python_process& process);
  void remove(uint32_t pid);

  // Hands over the stacks that are waiting, those of a thread in order.
  void drain(const std::function<void(const python_stack&)>& sink);
  // Stacks that have found no room so far.
  uint64_t lost() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame::record
