// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/colour/shade.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libcommon/base/utf8.h"
#include "libcommon/text/fnv1a.h"

namespace aiflame::svg {
namespace {

// One step of drand48(3). A name's colour is the first value after seeding.
uint64_t drand48_step(uint64_t state) {
  return (state * 0x5deece66d + 0xb) & ((uint64_t{1} << 48) - 1);
}
double as_fraction(uint64_t state) {
  return static_cast<double>(state) / static_cast<double>(uint64_t{1} << 48);
}

double name_value(std::string_view name) {
  uint32_t sum = 0;
  while (!name.empty()) sum += take_code_point(name);
  return as_fraction(drand48_step((uint64_t{sum} << 16) + 0x330e));
}

// A value from the first three characters, each with less weight than the previous one.
template <typename Iterator>
double leading_value(Iterator at, Iterator end) {
  double vector = 0, weight = 1, greatest = 1;
  for (uint32_t modulus = 10; modulus <= 12 && at != end; ++modulus, ++at) {
    vector += static_cast<double>(*at % modulus) / (modulus - 1) * weight;
    greatest += weight;
    weight *= 0.70;
  }
  return 1 - vector / greatest;
}

std::vector<uint32_t> code_points(std::string_view text) {
  std::vector<uint32_t> out;
  while (!text.empty()) out.push_back(take_code_point(text));
  return out;
}

// Without a module prefix, "libc`": a function looks the same in every module.
std::vector<uint32_t> without_module(std::vector<uint32_t> name) {
  if (name.empty()) return name;
  const auto tick = std::find(name.begin() + 1, name.end(), '`');
  if (tick != name.end()) name.erase(name.begin(), tick + 1);
  return name;
}

double hash_value(std::string_view name, bool reversed) {
  std::vector<uint32_t> text = code_points(name);
  if (reversed) std::reverse(text.begin(), text.end());
  text = without_module(std::move(text));
  return leading_value(text.begin(), text.end());
}

}  // namespace

std::array<double, 3> shade_values(std::string_view name, Shade shade) {
  std::array<double, 3> values{};
  switch (shade) {
    case Shade::name:
      values.fill(name_value(name));
      break;
    case Shade::hash:
      values[0] = hash_value(name, false);
      values[1] = values[2] = hash_value(name, true);
      break;
    case Shade::scrambled:
      uint64_t state = fnv1a(name);
      for (double& value : values) {
        state = drand48_step(state);
        value = as_fraction(state);
      }
      break;
  }
  return values;
}

}  // namespace aiflame::svg
