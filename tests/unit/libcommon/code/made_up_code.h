// SPDX-License-Identifier: MIT
// Code that is written down for a test: a line is an instruction.
//
//   "load r4 <- r2"        writes r4, reads r2
//   "add r5 <- r4 r6"
//   "@ add r5 <- r4"       under a predicate
//   "? r1"                 of unknown registers
//
// Registers: r of 32 bits, p a predicate, b a byte of a register file: "b64+32" is 32 bytes.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "libcommon/code/code_flow.h"

namespace aiflame {

inline RegisterRange register_of(const std::string& text) {
  RegisterRange out;
  out.kind = text[0] == 'p' ? RegisterKind::predicate : RegisterKind::general;
  out.first = static_cast<uint32_t>(std::atoi(text.c_str() + 1));
  const size_t plus = text.find('+');
  out.count =
      plus == std::string::npos ? 1 : static_cast<uint32_t>(std::atoi(text.c_str() + plus + 1));
  return out;
}

inline Operation operation_of(const std::string& name) {
  if (name == "load") return Operation::load;
  if (name == "local") return Operation::local_load;
  if (name == "store") return Operation::store;
  if (name == "divide") return Operation::slow_arithmetic;
  if (name == "barrier") return Operation::barrier;
  if (name == "jump" || name == "call" || name == "return") return Operation::control;
  return name == "?" ? Operation::unknown : Operation::arithmetic;
}

// `flow`: jumps, calls and what does not fall through; by default all instructions but "return" do.
inline CodeFlow made_up_code(const std::vector<std::string>& lines, Flow flow = {}) {
  CodeFlow out;
  const bool falls = flow.falls_through.empty();
  flow.returns.resize(lines.size());
  for (const std::string& line : lines) {
    RegisterUse use;
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    use.conditional = name == "@";
    if (use.conditional) words >> name;
    use.known = name != "?";
    std::vector<RegisterRange>* to = &use.writes;
    if (line.find("<-") == std::string::npos) to = &use.reads;
    while (words >> word) {
      if (word == "<-")
        to = &use.reads;
      else
        to->push_back(register_of(word));
    }
    if (!use.known) use.reads.clear(), use.writes.clear();
    const size_t index = out.offsets.size();
    if (falls) flow.falls_through.push_back(name != "return");
    flow.returns[index] = name == "return";
    out.offsets.push_back(index * 16);
    out.registers.push_back(use);
    out.operations.push_back(operation_of(name));
  }
  out.ways = FlowGraph(flow);
  return out;
}

}  // namespace aiflame
