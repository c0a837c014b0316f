// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/jitdump.h"

#include <gtest/gtest.h>

#include <cstring>

namespace aiflame {
namespace {

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string header() {
  std::string out;
  for (const uint32_t word : {0x4A695444U, 1U, 40U, 62U, 0U, 7U}) put(out, word);
  put<uint64_t>(out, 1);
  put<uint64_t>(out, 0);
  return out;
}

std::string record(uint32_t kind, uint64_t time, const std::string& body) {
  std::string out;
  put(out, kind);
  put(out, static_cast<uint32_t>(16 + body.size()));
  put(out, time);
  return out + body;
}

std::string load(uint64_t time, uint64_t start, uint64_t size, uint64_t index,
                 const std::string& name) {
  std::string body;
  put<uint64_t>(body, 0x700000007);
  for (const uint64_t word : {start, start, size, index}) put(body, word);
  return record(0, time, body + name + '\0' + std::string(4, '\x90'));
}

std::string move(uint64_t time, uint64_t from, uint64_t to, uint64_t size, uint64_t index) {
  std::string body;
  put<uint64_t>(body, 0x700000007);
  for (const uint64_t word : {to, from, to, size, index}) put(body, word);
  return record(1, time, body);
}

std::string lines(uint64_t start) {
  std::string body;
  put(body, start);
  put<uint64_t>(body, 2);
  for (const uint32_t line : {20U, 10U}) {
    put(body, start + (line == 20 ? 8 : 0));
    put(body, line);
    put<uint32_t>(body, 0);
    body.append(line == 20 ? "/a/b.js" : "\xff").push_back('\0');
  }
  return record(2, 1, body);
}

std::string unwinding(uint64_t size, uint64_t header_size, const std::string& bytes) {
  std::string body;
  for (const uint64_t word : {size, header_size, uint64_t{0}}) put(body, word);
  return record(4, 1, body + bytes);
}

TEST(JitDump, UnwindingBelongsToTheNextFunction) {
  const JitDump dump(header() + unwinding(6, 2, "frames") + load(1, 0x1000, 16, 1, "a") +
                     load(2, 0x2000, 16, 2, "b") + move(3, 0x1000, 0x3000, 16, 1));
  ASSERT_EQ(dump.codes().size(), 3u);
  EXPECT_EQ(dump.codes()[0].unwinding.bytes, "frames");
  EXPECT_EQ(dump.codes()[0].unwinding.header_size, 2u);
  EXPECT_EQ(dump.codes()[1].unwinding.bytes, "");
  EXPECT_EQ(dump.codes()[2].unwinding.bytes, "frames");
}

TEST(JitDump, UnwindingOfWrongSizesIsNone) {
  for (const auto& [size, header_size] :
       {std::pair<uint64_t, uint64_t>{7, 2}, {6, 7}, {UINT64_MAX, 0}, {UINT64_MAX, UINT64_MAX}}) {
    const JitDump dump(header() + unwinding(size, header_size, "frames") +
                       load(1, 0x1000, 16, 1, "a"));
    ASSERT_EQ(dump.codes().size(), 1u);
    EXPECT_EQ(dump.codes()[0].unwinding.bytes, "") << size;
  }
}

TEST(JitDump, LoadsInTheOrderOfTheirTimes) {
  const JitDump dump(header() + load(30, 0x2000, 16, 2, "late") + lines(0x1000) +
                     load(10, 0x1000, 16, 1, "early") + record(9, 3, "what is this") +
                     move(20, 0x1000, 0x3000, 16, 1));
  EXPECT_FALSE(dump.is_damaged());
  ASSERT_EQ(dump.codes().size(), 3u);
  const JitCode &early = dump.codes()[0], &moved = dump.codes()[1], &late = dump.codes()[2];
  EXPECT_EQ(early.name, "early");
  EXPECT_EQ(early.start, 0x1000u);
  EXPECT_EQ(early.size, 16u);
  EXPECT_EQ(moved.name, "early");
  EXPECT_EQ(moved.start, 0x3000u);
  EXPECT_EQ(late.name, "late");
  for (const JitCode* code : {&early, &moved}) {
    ASSERT_NE(code->line_at(7), nullptr);
    EXPECT_EQ(code->line_at(7)->line, 10u);
    EXPECT_EQ(code->line_at(8)->line, 20u);
    EXPECT_EQ(code->line_at(8)->file, "/a/b.js");
  }
  EXPECT_EQ(late.line_at(0), nullptr);
}

TEST(JitDump, OtherFilesHaveNoCode) {
  for (const std::string& bytes :
       {std::string(), std::string("DTiJ"), std::string(100, 'x'), header().replace(4, 1, "\x02"),
        header().replace(8, 1, "\xff")}) {
    const JitDump dump(bytes);
    EXPECT_TRUE(dump.is_damaged());
    EXPECT_TRUE(dump.codes().empty());
  }
  const JitDump zero_record(header() + std::string(32, '\0') + load(1, 1, 1, 1, "behind"));
  EXPECT_TRUE(zero_record.is_damaged());
}

TEST(JitDump, CutsAndFlipsStayInsideTheFile) {
  const std::string whole =
      header() + lines(0x1000) + load(10, 0x1000, 16, 1, "early") + move(20, 0x1000, 0x3000, 16, 1);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_LE(JitDump(whole.substr(0, size)).codes().size(), 2u);
  for (size_t at = 0; at < whole.size(); ++at)
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      const JitDump dump(bytes);
      for (const JitCode& code : dump.codes()) {
        EXPECT_LE(code.name.size(), whole.size());
        code.line_at(UINT64_MAX);
      }
    }
}

TEST(JitDump, AFileNameTellsTheProcess) {
  EXPECT_EQ(jitdump_process("/x/jit-7.dump"), 7);
  EXPECT_EQ(jitdump_process("jit-123456.dump"), 123456);
  for (const char* path : {"", "/x/jit-.dump", "/x/jit-7.dumper", "/x/7.dump", "/x/jit-7x.dump",
                           "/jit-7.dump/x", "/x/jit-99999999999.dump", ".dump"})
    EXPECT_EQ(jitdump_process(path), 0) << path;
}

}  // namespace
}  // namespace aiflame
