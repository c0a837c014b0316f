// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/sass_listing.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "libcommon/base/parse.h"
#include "libcommon/objects/code_listing.h"

namespace aiflame {
namespace {

constexpr uint64_t kInstruction = 16;

// `/*0030*/`; an encoding has a blank after the star.
std::optional<uint64_t> take_offset(std::string_view& line) {
  line = trim_left(line);
  if (!take_prefix(line, "/*")) return std::nullopt;
  const size_t end = line.find("*/");
  if (end == std::string_view::npos) return std::nullopt;
  const auto offset = parse_hex(line.substr(0, end));
  line.remove_prefix(end + 2);
  return offset;
}

// Takes the text up to the next blank or semicolon.
std::string_view take_word(std::string_view& text) {
  text = trim_left(text);
  const size_t end = std::min(text.find_first_of(" \t;"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// `LDG.E.64.CONSTANT`
bool is_mnemonic(std::string_view word) {
  const auto is_letter = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !word.empty() && is_letter(word.front()) &&
         std::all_of(word.begin(), word.end(), [&](char c) {
           return is_letter(c) || is_digit(c) || c == '.' || c == '_' || (c >= 'a' && c <= 'z');
         });
}

}  // namespace

std::vector<SassInstruction> parse_sass_listing(std::string_view listing, size_t instructions) {
  std::vector<SassInstruction> out(instructions);
  bool any = false;
  while (!listing.empty()) {
    const size_t newline = std::min(listing.find('\n'), listing.size());
    std::string_view line = listing.substr(0, newline);
    listing.remove_prefix(std::min(newline + 1, listing.size()));
    const auto offset = take_offset(line);
    if (!offset || *offset % kInstruction != 0 || *offset / kInstruction >= instructions) continue;
    std::string_view word = take_word(line), guard;
    if (word.starts_with('@')) {  // a predicate: @P0, @!UP1
      guard = word;
      word = take_word(line);
    }
    if (!is_mnemonic(word)) continue;
    SassInstruction& its = out[*offset / kInstruction];
    its.mnemonic = word;
    its.operands = single_spaced(line.substr(0, line.find(';')));
    its.guard = guard;
    any = true;
  }
  if (!any) out.clear();
  return out;
}

}  // namespace aiflame
