// SPDX-License-Identifier: MIT
// Devices of the stand-ins, each a directory of files that a test writes:
//
//   $FAKE_ENERGY/nvml/0/{name,energy}   $FAKE_ENERGY/amd/0/…  rocm/0/…  ze/0/…
//
// `energy` is a number in the library's unit, or a word: crash, hang, or "error 3".
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

namespace aiflame::fake_energy {

inline std::string path_of(const char* vendor, unsigned device, const char* file) {
  const char* root = std::getenv("FAKE_ENERGY");
  return std::string(root == nullptr ? "/nonexistent" : root) + "/" + vendor + "/" +
         std::to_string(device) + "/" + file;
}

inline std::string line_of(const char* vendor, unsigned device, const char* file) {
  std::ifstream in(path_of(vendor, device, file));
  std::string out;
  std::getline(in, out);
  return out;
}

inline unsigned device_count(const char* vendor) {
  unsigned count = 0;
  while (access(path_of(vendor, count, "energy").c_str(), F_OK) == 0) ++count;
  return count;
}

// 0 and the number, or the error. A test that writes the file may have just emptied it.
inline int read_energy(const char* vendor, unsigned device, uint64_t& out) {
  std::string text;
  while (text.empty()) text = line_of(vendor, device, "energy");
  if (text == "crash") std::abort();
  while (text == "hang") pause();
  constexpr const char* kError = "error ";
  if (text.starts_with(kError)) return std::stoi(text.substr(6));
  out = std::stoull(text);
  return 0;
}

}  // namespace aiflame::fake_energy
