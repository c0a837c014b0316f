// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/pickle_bytes.h"

#include <algorithm>
#include <array>

#include "libcommon/base/program.h"

namespace aiflame::torch_memory {
namespace {

constexpr size_t kBuffer = size_t{1} << 18;
// PROTO, and the first and last protocol that is read
constexpr char kProto = '\x80';
constexpr unsigned kFirstProtocol = 2, kLastProtocol = 5;

// The value of each character of base64; 255: none.
constexpr auto kDigits = [] {
  std::array<uint8_t, 256> out{};
  out.fill(255);
  uint8_t value = 0;
  for (const char c :
       std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
    out[static_cast<unsigned char>(c)] = value++;
  return out;
}();

}  // namespace

PickleBytes::PickleBytes(const std::string& path) : source_(path) {
  buffer_.resize(kBuffer);
  const std::string first(source_.peek(64));
  source_.read_ahead();
  if (first.find('<') == first.find_first_not_of(" \t\r\n\xef\xbb\xbf") && !first.empty()) {
    in_page_ = true;
    find_page_data();
  }
  if (!in_page_ && (first.empty() || first[0] != kProto))
    throw Error(name() + ": this is no pickle of protocol 2 to 5, and no page of trace_plot()");
  if (static_cast<char>(u8()) != kProto) fail(0, "the page has no pickle of protocol 2 to 5");
  const unsigned protocol = u8();
  if (protocol < kFirstProtocol || protocol > kLastProtocol)
    fail(0, format("the pickle's protocol is %u; 2 to 5 are read", protocol));
}

void PickleBytes::fail(uint64_t offset, const std::string& what) const {
  throw Error(format("%s: byte %llu: ", name().c_str(), static_cast<unsigned long long>(offset)) +
              what);
}

void PickleBytes::fail_of_length(uint64_t size) const {
  fail(format("a text of %llu bytes; more than %llu are not read",
              static_cast<unsigned long long>(size),
              static_cast<unsigned long long>(kLongestText)));
}

std::string_view PickleBytes::line() {
  for (size_t size = 0;; ++size) {
    if (size > kLongestText) fail_of_length(size);
    need(size + 1);
    if (buffer_[at_ + size] != '\n') continue;
    const std::string_view out(buffer_.data() + at_, size);
    at_ += size + 1;
    return out;
  }
}

void PickleBytes::fill(uint64_t size) {
  std::copy(buffer_.begin() + static_cast<ptrdiff_t>(at_),
            buffer_.begin() + static_cast<ptrdiff_t>(end_), buffer_.begin());
  offset_ += at_;
  end_ -= at_;
  at_ = 0;
  if (buffer_.size() < size) buffer_.resize(size);
  while (end_ < size)
    if (!fill_more()) fail(offset_ + end_, "the pickle is cut");
}

bool PickleBytes::fill_more() {
  const size_t got = read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

size_t PickleBytes::read(char* data, size_t size) {
  return in_page_ ? read_base64(data, size) : source_.read(data, size);
}

// A page of _memory_viz.py has the pickle in a list of files:
//
//   const local_files = [{"name": "snapshot.pickle", "base64": "gASVzw8A…"}]
void PickleBytes::find_page_data() {
  constexpr std::string_view kKey = "\"base64\":";
  std::string chunk(kBuffer, '\0');
  for (;;) {
    if (const size_t key = page_text_.find(kKey); key != std::string::npos)
      if (const size_t quote = page_text_.find('"', key + kKey.size());
          quote != std::string::npos) {
        page_at_ = quote + 1;
        return;
      }
    const size_t got = source_.read(chunk.data(), chunk.size());
    if (got == 0) throw Error(name() + ": this page has no snapshot: it is not of trace_plot()");
    // the key may go on in the next chunk
    constexpr size_t kRest = 64;
    if (page_text_.size() > kRest) page_text_.erase(0, page_text_.size() - kRest);
    page_text_.append(chunk, 0, got);
  }
}

size_t PickleBytes::read_base64(char* data, size_t size) {
  size_t out = 0;
  while (size - out >= 3 && !page_ended_) {
    while (page_text_.size() - page_at_ < 4) {
      page_text_.erase(0, page_at_);
      page_at_ = 0;
      const size_t held = page_text_.size();
      page_text_.resize(held + kBuffer);
      const size_t got = source_.read(page_text_.data() + held, kBuffer);
      page_text_.resize(held + got);
      if (got == 0) {
        page_ended_ = true;
        return out;
      }
    }
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const char c = page_text_[page_at_ + i];
      const uint8_t digit = kDigits[static_cast<unsigned char>(c)];
      if (digit == 255) page_ended_ = true;
      // '=' at the end, and the quote behind it
      bits = bits << 6 | (page_ended_ ? 0U : digit);
    }
    page_at_ += 4;
    if (page_ended_) {
      size_t digits = 0;
      while (kDigits[static_cast<unsigned char>(page_text_[page_at_ - 4 + digits])] != 255)
        ++digits;
      for (size_t i = 1; i < digits; ++i) data[out++] = static_cast<char>(bits >> (24 - 8 * i));
      return out;
    }
    data[out++] = static_cast<char>(bits >> 16);
    data[out++] = static_cast<char>(bits >> 8);
    data[out++] = static_cast<char>(bits);
  }
  return out;
}

}  // namespace aiflame::torch_memory
