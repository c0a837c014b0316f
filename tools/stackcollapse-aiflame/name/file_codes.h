// SPDX-License-Identifier: MIT
// What is known of addresses in files, whichever processes have the file mapped, and wherever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcommon/symbols/call_frames.h"
#include "libcommon/text/text_hash.h"

namespace aiflame::collapse {

struct FileCode {
  static constexpr uint32_t kNone = UINT32_MAX;

  uint64_t offset = 0;             // in the file
  uint32_t object = kNone;         // and which of its names is meant: told apart by the caller
  uint32_t frame = kNone;          // what is drawn
  const CallRule* rule = nullptr;  // how to find its caller
};

// One array: a look-up is one miss of the cache, as a rule.
class FileCodes {
 public:
  // Forgets all when it would know more than `most`.
  explicit FileCodes(size_t most) : most_(most) {}

  // Valid until the next call. `object` is not FileCode::kNone.
  FileCode& at(uint64_t offset, uint32_t object) {
    FileCode* code = find(offset, object);
    if (code->object != FileCode::kNone) return *code;
    if (used_ == most_) {
      codes_.assign(kFirst, {});
      used_ = 0;
      code = find(offset, object);
    } else if (2 * used_ == codes_.size()) {
      grow();
      code = find(offset, object);
    }
    ++used_;
    code->offset = offset;
    code->object = object;
    return *code;
  }

  // Calls body(code) for each.
  template <typename Body>
  void each(Body body) {
    for (FileCode& code : codes_)
      if (code.object != FileCode::kNone) body(code);
  }

 private:
  static constexpr size_t kFirst = 1024;

  FileCode* find(uint64_t offset, uint32_t object) {
    const size_t mask = codes_.size() - 1;
    // bits of a product that all bits of both have come to
    size_t at = ((offset + object * 0x9e3779b97f4a7c15) * factor_ >> 24) & mask;
    while (codes_[at].object != FileCode::kNone &&
           (codes_[at].offset != offset || codes_[at].object != object))
      at = (at + 1) & mask;
    return &codes_[at];
  }
  void grow() {
    std::vector<FileCode> old(codes_.size() * 4);
    old.swap(codes_);
    for (const FileCode& code : old)
      if (code.object != FileCode::kNone) *find(code.offset, code.object) = code;
  }

  const size_t most_;
  // nobody can write a file whose addresses all meet in one place
  const uint64_t factor_ = hash_seed() | 1;
  std::vector<FileCode> codes_ = std::vector<FileCode>(kFirst);
  size_t used_ = 0;
};

}  // namespace aiflame::collapse
