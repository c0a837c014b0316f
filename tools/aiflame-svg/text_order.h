// SPDX-License-Identifier: MIT
// Long texts that share most of their bytes with their neighbours, sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace aiflame {

// Eight bytes of a text, as a number that compares like them, save most looks at the text itself.
struct OrderedText {
  uint64_t key;  // of sort_texts()
  const char* text;
  uint32_t size;
  uint32_t number;  // the caller's

  std::string_view view() const { return {text, size}; }
};

// How stacks are sorted: bytewise, as if each ended with a ';', so that all that begins with the
// same frames stands together. Less than, equal to or greater than 0. The first `same` bytes are
// known to be alike.
int compare_stacks(std::string_view a, std::string_view b, size_t same = 0);

void sort_texts(std::vector<OrderedText>& texts);

}  // namespace aiflame
