// SPDX-License-Identifier: MIT
// Sorts long texts that share most of their bytes with their neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace aiflame {

// `key` holds eight bytes of the text as a number that compares like them. Most comparisons need
// only the key, and not the text, which may be anywhere in hundreds of megabytes.
struct OrderedText {
  uint64_t key;  // set by sort_texts()
  const char* text;
  uint32_t size;
  uint32_t number;  // the caller's

  std::string_view view() const { return {text, size}; }
};

// Both are bytewise. `frames`: as if each text ended with a ';', so that all stacks that begin with
// the same frames are adjacent. `plain`: a prefix comes before all texts that it is a prefix of.
enum class TextOrder { frames, plain };

// Less than, equal to or greater than 0.
int compare_texts(std::string_view a, std::string_view b, TextOrder order);

void sort_texts(std::span<OrderedText> texts, TextOrder order);

}  // namespace aiflame
