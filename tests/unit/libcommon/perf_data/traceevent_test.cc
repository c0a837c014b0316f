// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/traceevent.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_counted(std::string& out, const std::string& bytes) {
  put(out, uint64_t{bytes.size()});
  out += bytes;
}

std::string format_of(const std::string& name, int id, const std::string& fields) {
  return "name: " + name + "\nID: " + std::to_string(id) +
         "\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" +
         fields + "\nprint fmt: \"%s\", __get_str(kernel)\n";
}

constexpr char kFields[] =
    "\tfield:__data_loc char[] kernel;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:char plain[4];\toffset:12;\tsize:4;\tsigned:1;\n"
    "\tfield:u64 caller;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:u32 half;\toffset:24;\tsize:4;\tsigned:0;\n"
    "\tfield:__rel_loc char[] near;\toffset:28;\tsize:4;\tsigned:1;\n";

std::string tracing_data() {
  std::string out("\x17\x08\x44tracing0.6\0", 14);
  out += '\0';  // little endian
  out += '\x8';
  put(out, uint32_t{4096});
  for (const char* header : {"header_page", "header_event"}) {
    out.append(header).push_back('\0');
    put_counted(out, "of no use");
  }
  put(out, uint32_t{1});
  put_counted(out, "name: function\nID: 1\n");
  put(out, uint32_t{2});
  out.append("sched").push_back('\0');
  put(out, uint32_t{1});
  put_counted(out, format_of("sched_switch", 300, ""));
  out.append("mine").push_back('\0');
  put(out, uint32_t{1});
  put_counted(out, format_of("launch", 1234, kFields));
  return out;
}

// type; kernel: 7 bytes at offset 32; plain; caller; half; near: 5 bytes, 7 after the end of this
// field
std::string raw() {
  std::string out;
  put(out, uint64_t{1234});
  put(out, uint32_t{7 << 16 | 32});
  out += "abcd";
  put(out, uint64_t{0x401234});
  put(out, uint32_t{5});
  put(out, uint32_t{5 << 16 | 7});
  out.append("matmul\0near", 12);
  return out;
}

TEST(TraceFormats, FieldsAreFoundByEventAndName) {
  TraceFormats formats(tracing_data());
  EXPECT_EQ(formats.name(1234), "mine:launch");
  EXPECT_EQ(formats.name(300), "sched:sched_switch");
  EXPECT_EQ(formats.name(1), "");
  const std::string bytes = raw();
  EXPECT_EQ(formats.text(1234, bytes, "kernel"), "matmul");
  EXPECT_EQ(formats.text(1234, bytes, "plain"), "abcd");
  EXPECT_EQ(formats.text(1234, bytes, "near"), "near");
  EXPECT_EQ(formats.word(1234, bytes, "caller"), 0x401234u);
  EXPECT_FALSE(formats.text(1234, bytes, "caller"));
  EXPECT_FALSE(formats.word(1234, bytes, "half"));
  EXPECT_FALSE(formats.word(1234, bytes, "kernel"));
  EXPECT_FALSE(formats.text(1234, bytes, "absent"));
  EXPECT_FALSE(formats.text(300, bytes, "kernel"));
  EXPECT_FALSE(formats.text(7, bytes, "kernel"));
  EXPECT_FALSE(formats.text(UINT64_MAX, bytes, "kernel"));
}

TEST(TraceFormats, NothingIsReadOutsideOfASample) {
  TraceFormats formats(tracing_data());
  std::string bytes = raw();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_EQ(formats.text(1234, cut, "kernel").has_value(), size >= 39) << size;
    EXPECT_EQ(formats.word(1234, cut, "caller").has_value(), size >= 24) << size;
  }
  bytes[10] = static_cast<char>(0xff);
  EXPECT_FALSE(formats.text(1234, bytes, "kernel"));
}

TEST(TraceFormats, SurvivesDamagedData) {
  const std::string whole = tracing_data(), bytes = raw();
  for (size_t size = 0; size <= whole.size(); ++size) {
    TraceFormats cut(whole.substr(0, size));
    EXPECT_EQ(cut.text(1234, bytes, "kernel").has_value(), size == whole.size());
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char other : {'\0', '\xff', ';', '\n', '(', '9'}) {
      std::string changed = whole;
      changed[at] = other;
      TraceFormats formats(std::move(changed));
      const auto text = formats.text(1234, bytes, "kernel");
      EXPECT_LE(text.value_or("").size(), bytes.size());
      formats.word(1234, bytes, "caller");
    }
  }
}

}  // namespace
}  // namespace aiflame
