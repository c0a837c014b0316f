// SPDX-License-Identifier: MIT
#include "libcommon/io/whole_input.h"

#include <algorithm>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr size_t kStep = size_t{1} << 20;

}  // namespace

WholeInput::WholeInput(ByteSource& source, size_t longest) {
  const auto check = [&](uint64_t size) {
    if (size > longest)
      throw Error(format("%s: longer than %zu GiB", source.name().c_str(), longest >> 30));
  };
  if (source.seekable() && source.size() > 0) {
    check(source.size());
    window_ = source.map_at(0, source.size());
    if (window_.bytes() != nullptr) return;
  }
  for (size_t size = 0;;) {
    if (size == text_.size()) text_.resize(size + std::max(kStep, size / 2));
    const size_t read = source.read(text_.data() + size, text_.size() - size);
    size += read;
    check(size);
    if (read > 0) continue;
    text_.resize(size);
    return;
  }
}

}  // namespace aiflame
