// SPDX-License-Identifier: MIT
#include "libcommon/device/temporary_source.h"

#include <algorithm>

namespace aiflame {
namespace {

constexpr std::string_view kTemporary = "tempfile_", kStable = "source_", kEnd = ".cl";

// What stands between `begin` and the end; "" where the name has another form.
std::string_view middle_of(std::string_view name, std::string_view begin) {
  if (name.size() != kTemporarySourceBytes || !name.starts_with(begin) || !name.ends_with(kEnd))
    return {};
  return name.substr(begin.size(), name.size() - begin.size() - kEnd.size());
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// PoCL writes four bits of its hash as a letter.
bool is_hash_letter(char c) {
  return c >= 'A' && c <= 'P';
}

}  // namespace

bool is_temporary_source(std::string_view name) {
  const std::string_view random = middle_of(name, kTemporary);
  return !random.empty() && std::all_of(random.begin(), random.end(), is_letter_or_digit);
}

std::string stable_source(std::string_view hash) {
  constexpr size_t kLetters = kTemporarySourceBytes - kStable.size() - kEnd.size();
  return std::string(kStable) + std::string(hash.substr(0, kLetters)) + std::string(kEnd);
}

bool is_stable_source(std::string_view name) {
  const std::string_view hash = middle_of(name, kStable);
  return !hash.empty() && std::all_of(hash.begin(), hash.end(), is_hash_letter);
}

}  // namespace aiflame
