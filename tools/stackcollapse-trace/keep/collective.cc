// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/collective.h"

#include <algorithm>
#include <optional>

#include "libcommon/base/parse.h"

namespace aiflame::trace {
namespace {

struct ElementType {
  std::string_view name;
  uint64_t bytes;
};

// as "dtype" of record_param_comms and as "Input type" of operators write them
constexpr ElementType kTypes[] = {
    {"Float", 4},
    {"float", 4},
    {"Double", 8},
    {"double", 8},
    {"Half", 2},
    {"c10::Half", 2},
    {"BFloat16", 2},
    {"c10::BFloat16", 2},
    {"Long", 8},
    {"long int", 8},
    {"Int", 4},
    {"int", 4},
    {"Short", 2},
    {"short int", 2},
    {"Char", 1},
    {"signed char", 1},
    {"Byte", 1},
    {"unsigned char", 1},
    {"Bool", 1},
    {"bool", 1},
    {"Float8_e4m3fn", 1},
    {"Float8_e5m2", 1},
    {"Float8_e4m3fnuz", 1},
    {"Float8_e5m2fnuz", 1},
    {"ComplexFloat", 8},
    {"ComplexDouble", 16},
};

uint64_t bytes_of_type(std::string_view type) {
  for (const ElementType& one : kTypes)
    if (one.name == type) return one.bytes;
  return 0;
}

// The elements of the first tensor in a list of shapes: "[[64,32],[]]" has 2048.
std::optional<uint64_t> first_elements(std::string_view shapes) {
  const size_t begin = shapes.find_first_of("0123456789");
  if (begin == std::string_view::npos) return std::nullopt;
  std::string_view rest = shapes.substr(begin, shapes.find(']', begin) - begin);
  uint64_t product = 1;
  while (!rest.empty()) {
    const std::string_view digits = rest.substr(0, rest.find(','));
    const auto size = parse_number<uint64_t>(digits);
    if (!size || __builtin_mul_overflow(product, *size, &product)) return std::nullopt;
    rest.remove_prefix(std::min(rest.size(), digits.size() + 1));
  }
  return product;
}

}  // namespace

std::string_view collective_name(const Event& event) {
  if (!event.text(TextArg::collective).empty()) return event.text(TextArg::collective);
  std::string_view name = event.name;
  return take_prefix(name, "nccl:") ? name : std::string_view();
}

uint64_t message_bytes(const Event& event) {
  uint64_t elements = event.number(NumberArg::elements_in);
  std::string_view type = event.text(TextArg::type);
  if (elements == Event::kNone) {
    const auto first = first_elements(event.text(TextArg::shapes));
    if (!first) return Event::kNone;
    elements = *first;
    type = event.text(TextArg::types);
  } else if (event.number(NumberArg::elements_out) != Event::kNone) {
    // an allgather's output and a scatter's input hold the whole message
    elements = std::max(elements, event.number(NumberArg::elements_out));
  }
  const uint64_t bytes = bytes_of_type(type);
  uint64_t product = 0;
  if (bytes == 0 || __builtin_mul_overflow(elements, bytes, &product)) return Event::kNone;
  return product;
}

std::string collective_text(std::string_view name, uint64_t bytes) {
  constexpr uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
  std::string out(name);
  if (bytes == Event::kNone) return out;
  if (bytes < 64 * kKiB) return out + " under 64 KiB";
  if (bytes < kMiB) return out + " 64 KiB to 1 MiB";
  if (bytes < 16 * kMiB) return out + " 1 to 16 MiB";
  if (bytes < 256 * kMiB) return out + " 16 to 256 MiB";
  return out + " 256 MiB and more";
}

}  // namespace aiflame::trace
