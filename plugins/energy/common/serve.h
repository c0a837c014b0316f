// SPDX-License-Identifier: MIT
// A program that reads a vendor's energy counters, for gpustall-record --energy. The vendor's
// library is loaded into it alone, so what the library does wrong costs its own counters and
// nothing else. Texts go both ways. The program tells its counters, and then answers each line of
// standard input with a reading of all of them, in their order:
//
//   counter 0000:3d:00.0 Intel(R) Data Center GPU Max 1550 card 0000:3d:00.0
//   counter - NVIDIA H100 80GB HBM3 GPU-8f5b2f2e-…
//   note nvmlDeviceGetTotalEnergyConsumption of device 1: error 3
//   at 5012000000000 81234567 ?
//
// A counter has the PCI address of its device, or -, and a name. `at` has the time, CLOCK_MONOTONIC
// in nanoseconds, and microjoules, or ? where the counter could not be read. Where there are no
// counters the program says `none` and ends. To try one: echo | libexec/aiflame/energy-nvml
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace aiflame::energy {

struct Counter {
  std::string place;                              // "0000:3d:00.0", "" = not known
  std::string name;                               // one for each counter
  std::function<std::optional<uint64_t>()> read;  // microjoules
};

struct Found {
  std::vector<Counter> counters;
  std::vector<std::string> notes;  // why there are not more of them
};

// The program's main: finds the counters, tells them, and answers until its input ends. Whatever
// the library prints goes to standard error.
int serve(Found (*find)());

// "0000:3d:00.0"
std::string pci_address(uint64_t domain, uint64_t bus, uint64_t device, uint64_t function);

// The name in a buffer that a library has filled in: it need not have ended it.
template <size_t Size>
std::string name_in(const char (&buffer)[Size]) {
  return std::string(buffer, strnlen(buffer, Size));
}

}  // namespace aiflame::energy
