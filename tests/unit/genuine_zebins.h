// SPDX-License-Identifier: MIT
// Genuine binaries of Intel's compilers, with the tables that other programs made of them. They are
// not part of the repository: ../shared/data/zebin beside it, or AIFLAME_ZEBINS names it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace aiflame::genuine {

inline std::string directory() {
  const char* named = std::getenv("AIFLAME_ZEBINS");
  return named != nullptr ? named : "../shared/data/zebin";
}

inline bool are_there() {
  return std::filesystem::exists(directory() + "/matmul.pvc.zebin");
}

#define SKIP_WITHOUT_GENUINE_ZEBINS() \
  if (!genuine::are_there()) GTEST_SKIP() << "no " << genuine::directory()

inline const std::vector<std::string>& generations() {
  static const std::vector<std::string> kAll = {"pvc", "dg2", "bmg", "lnl", "ptl"};
  return kAll;
}

inline std::string zebin(const std::string& generation, const std::string& program = "matmul") {
  return directory() + "/" + program + "." + generation + ".zebin";
}

// matmul.GENERATION.KERNEL.asm
inline std::string listing(const std::string& generation, const std::string& kernel) {
  return directory().append("/matmul.").append(generation).append(".").append(kernel) + ".asm";
}

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The kernels of matmul.cl, by the line of their declaration.
inline const std::map<unsigned, std::string>& kernels() {
  static const std::map<unsigned, std::string> kAll = {{3, "multiply_basic"},
                                                       {14, "multiply_local_access"},
                                                       {31, "multiply_local_access_and_tiling"}};
  return kAll;
}

// The line table of each kernel, as llvm-dwarfdump prints it: by offset; the last is its end.
using Lines = std::map<uint64_t, unsigned>;
inline std::map<std::string, Lines> line_tables(const std::string& generation) {
  std::map<std::string, Lines> out;
  std::ifstream in(directory() + "/matmul." + generation + ".lines.txt");
  Lines lines;
  for (std::string text; std::getline(in, text);) {
    std::istringstream row(text);
    std::string address;
    unsigned line = 0;
    // 0x0000000000000158     37     15      1   0             0  is_stmt prologue_end
    if (text.rfind("0x", 0) != 0 || !(row >> address >> line)) continue;
    lines[std::stoull(address, nullptr, 16)] = line;
    if (text.find("end_sequence") == std::string::npos) continue;
    out[kernels().at(lines.begin()->second)] = lines;
    lines.clear();
  }
  return out;
}

// The lines that a newer release of iga64 prints for a kernel, by offset, with single blanks.
inline std::map<uint64_t, std::string> assembly(const std::string& generation,
                                                const std::string& kernel) {
  std::map<uint64_t, std::string> out;
  std::ifstream in(listing(generation, kernel));
  for (std::string text; std::getline(in, text);) {
    if (text.rfind("/* [", 0) != 0) continue;
    std::istringstream words(text.substr(text.find("*/") + 2));
    std::string& line = out[std::stoull(text.substr(4), nullptr, 16)];
    for (std::string word; words >> word;) line += line.empty() ? word : " " + word;
  }
  return out;
}

// The mnemonic of such a line: the word after the predicate.
inline std::string mnemonic(const std::string& line) {
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (word.front() == '(') words >> word;
  return word;
}

}  // namespace aiflame::genuine
