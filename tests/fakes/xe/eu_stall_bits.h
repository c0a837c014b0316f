// SPDX-License-Identifier: MIT
// Encodes EU stall records bit by bit from a table of bit ranges, named as in the kernel's
// structures (Linux, xe_eu_stall.c), and decodes them. It shares nothing with
// libcommon/objects/intel/eu_stall.cc, which it tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace eu_stall_bits {

struct Range {
  int first, last;  // both inclusive
};
using Format = std::map<std::string, Range>;

// Formats by name, with their fields; "ip" is the address divided by 8.
inline const Format& format_of(std::string_view name) {
  static const Format pvc{
      {"ip", {0, 28}},           {"active", {29, 36}},    {"other", {37, 44}},
      {"control", {45, 52}},     {"pipestall", {53, 60}}, {"send", {61, 68}},
      {"dist_acc", {69, 76}},    {"sbid", {77, 84}},      {"sync", {85, 92}},
      {"inst_fetch", {93, 100}},
  };
  static const Format xe2{
      {"ip", {0, 28}},           {"tdr", {29, 36}},       {"other", {37, 44}},
      {"control", {45, 52}},     {"pipestall", {53, 60}}, {"send", {61, 68}},
      {"dist_acc", {69, 76}},    {"sbid", {77, 84}},      {"sync", {85, 92}},
      {"inst_fetch", {93, 100}}, {"active", {101, 108}},  {"ex_id", {109, 111}},
      {"end_flag", {112, 112}},
  };
  static const Format xe3p{
      {"ip", {0, 60}},          {"tdr", {61, 68}},
      {"other", {69, 76}},      {"control", {77, 84}},
      {"pipestall", {85, 92}},  {"send", {93, 100}},
      {"dist_acc", {101, 108}}, {"sbid", {109, 116}},
      {"sync", {117, 124}},     {"inst_fetch", {125, 132}},
      {"active", {133, 140}},   {"ex_id", {141, 143}},
      {"end_flag", {144, 144}},
  };
  return name == "pvc" ? pvc : name == "xe2" ? xe2 : xe3p;
}

inline void put(std::vector<unsigned char>& record, Range bits, uint64_t value) {
  for (int bit = bits.first; bit <= bits.last; ++bit, value >>= 1)
    if ((value & 1) != 0)
      record[static_cast<size_t>(bit / 8)] |= static_cast<unsigned char>(1 << bit % 8);
}

inline uint64_t get(const unsigned char* record, Range bits) {
  uint64_t value = 0;
  for (int bit = bits.last; bit >= bits.first; --bit)
    value = value << 1 | (record[bit / 8] >> bit % 8 & 1);
  return value;
}

// Encodes `values` by field name. Fields of other formats are ignored: the hardware has no room for
// them.
inline std::vector<unsigned char> encode(const std::string& format, size_t bytes,
                                         const std::map<std::string, uint64_t>& values) {
  std::vector<unsigned char> record(bytes);
  for (const auto& [field, bits] : format_of(format)) {
    const auto value = values.find(field);
    if (value != values.end()) put(record, bits, value->second);
  }
  return record;
}

// Reads the fields of a record: "0x1000 sbid=5 active=2", an address and counts of up to 255, which
// are added to `samples`. False at a word that it does not understand.
inline bool read_fields(std::istringstream& words, const std::string& format,
                        std::map<std::string, uint64_t>& values, uint64_t& samples) {
  std::string word;
  if (!(words >> word)) return false;
  values["ip"] = std::stoull(word, nullptr, 0) / 8;
  values["end_flag"] = 1;
  while (words >> word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos || format_of(format).count(name) == 0) return false;
    const uint64_t count = std::stoull(word.substr(equals + 1));
    if (count > 255) return false;
    values[name] = count;
    samples += count;
  }
  return true;
}

}  // namespace eu_stall_bits
