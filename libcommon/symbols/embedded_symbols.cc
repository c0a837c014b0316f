// SPDX-License-Identifier: MIT
#include "libcommon/symbols/embedded_symbols.h"

#include <lzma.h>

#include <algorithm>
#include <cstdint>

namespace aiflame {
namespace {

// xz expands up to 7000-fold; symbol tables expand three- to sixfold, mostly names.
constexpr size_t kOfAByte = 16, kOfAnySection = size_t{2} << 20;
// What `xz -9` needs to expand.
constexpr uint64_t kDecoderMemory = uint64_t{66} << 20;
// Most symbol tables fit.
constexpr size_t kFirst = size_t{1} << 20;

}  // namespace

std::string expand_embedded_symbols(std::string_view section) {
  const size_t most = kOfAnySection + kOfAByte * std::min(section.size(), SIZE_MAX / 32);
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kDecoderMemory, 0) != LZMA_OK) return "";
  stream.next_in = reinterpret_cast<const uint8_t*>(section.data());
  stream.avail_in = section.size();
  std::string out;
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && out.size() < most) {
    const size_t before = out.size();
    // the memory follows what is there, not what a section's size promises
    out.resize(std::min(most, std::max(std::min(4 * section.size(), kFirst), 2 * before)));
    stream.next_out = reinterpret_cast<uint8_t*>(out.data() + before);
    stream.avail_out = out.size() - before;
    status = lzma_code(&stream, LZMA_FINISH);
    out.resize(out.size() - stream.avail_out);
  }
  lzma_end(&stream);
  return status == LZMA_STREAM_END ? out : "";
}

}  // namespace aiflame
