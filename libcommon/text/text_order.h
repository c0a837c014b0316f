// SPDX-License-Identifier: MIT
// Long texts that share most of their bytes with their neighbours, sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace aiflame {

// Eight bytes of a text, as a number that compares like them, save most looks at the text itself,
// which may lie somewhere in hundreds of megabytes.
struct OrderedText {
  uint64_t key;  // of sort_texts()
  const char* text;
  uint32_t size;
  uint32_t number;  // the caller's

  std::string_view view() const { return {text, size}; }
};

// Bytewise. As frames, as if a ';' stood behind each text, so that all stacks that begin with the
// same frames stand together; as plain text, a beginning of others comes before all of them.
enum class TextOrder { frames, plain };

// Less than, equal to or greater than 0.
int compare_texts(std::string_view a, std::string_view b, TextOrder order);

void sort_texts(std::span<OrderedText> texts, TextOrder order);

}  // namespace aiflame
