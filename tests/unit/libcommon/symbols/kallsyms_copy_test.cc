// SPDX-License-Identifier: MIT
// The copy gives the same answer as the whole list, or none.
#include "libcommon/symbols/kallsyms_copy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "libcommon/symbols/kallsyms.h"

namespace aiflame {
namespace {

constexpr uint64_t kText = 0xffffffff81000000;

void add_line(std::string& list, uint64_t address, char type, const std::string& name) {
  char text[24];
  snprintf(text, sizeof text, "%016llx %c ", static_cast<unsigned long long>(address), type);
  list.append(text).append(name).append("\n");
}

// A list as the kernel writes it: per-processor variables; the image in order, with several names
// for some addresses and types that perf does not take; then modules and BPF programs in no order.
std::string kernel_list(size_t preamble, size_t functions) {
  std::string list;
  std::mt19937 random(1);
  for (size_t i = 0; i < preamble; ++i) add_line(list, 8 * i, 'A', "variable" + std::to_string(i));
  add_line(list, kText, 'T', "_stext");
  add_line(list, kText, 'T', "_text");
  uint64_t address = kText;
  for (size_t i = 0; i < functions; ++i) {
    address += 16 * (random() % 9);  // sometimes by 0
    const std::string name(1 + random() % 60, static_cast<char>('a' + i % 26));
    add_line(list, address, "TtWDr"[random() % 5], name + std::to_string(i));
  }
  for (size_t i = 0; i < functions / 4; ++i)
    add_line(list, 0xffffffffc0000000 + 64 * (random() % 10000), 't', "m\t[module]");
  add_line(list, 0xffffffffc0900000, 't', "bpf_prog\t[bpf]");
  return list;
}

class KallsymsCopyTest : public testing::Test {
 protected:
  KallsymsCopyTest() {
    static int number = 0;
    const std::string base = testing::TempDir() + "kallsyms_copy_test." + std::to_string(getpid()) +
                             "." + std::to_string(++number);
    copy_ = base + ".copy";
    running_ = base + ".running";
  }
  ~KallsymsCopyTest() override {
    unlink(copy_.c_str());
    unlink(running_.c_str());
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  // Looks many addresses up in both; returns how many the copy found. After its last function the
  // copy finds nothing and searches again each time, so the steps grow there.
  static size_t compare(KallsymsCopy& copy, const Kallsyms& list, uint64_t end) {
    size_t answers = 0;
    uint64_t step = 24;
    for (uint64_t address = kText - 64; address < end; address += step) {
      const auto function = copy.at(address);
      step = function ? 24 : std::min<uint64_t>(step + 8, 65536 + 8);
      if (!function) continue;
      ++answers;
      EXPECT_EQ(function->name, list.at(address)) << std::hex << address;
      EXPECT_EQ(function->start, list.start_of(address)) << std::hex << address;
    }
    return answers;
  }

  std::string copy_, running_;
};

TEST_F(KallsymsCopyTest, AnswersAsTheListDoes) {
  for (const size_t preamble : {0u, 5u, 3000u}) {
    for (const size_t functions : {3u, 300u, 20000u}) {
      const std::string text = kernel_list(preamble, functions);
      write(copy_, text);
      write(running_, text);
      KallsymsCopy copy(copy_, running_);
      ASSERT_EQ(copy.text(), kText);
      const Kallsyms list(text);
      // the image does not show where its last function ends
      uint64_t last = kText;
      while (list.start_of(last + 160) != list.start_of(last)) last += 16;
      const size_t answers = compare(copy, list, 0xffffffff82000000);
      EXPECT_GT(answers + 100, (last - kText) / 24);
      EXPECT_GT(answers, 0U);
      EXPECT_FALSE(copy.at(kText - 1));
      EXPECT_FALSE(copy.at(0));
      EXPECT_FALSE(copy.at(0xffffffffc0000040));
      EXPECT_FALSE(copy.at(0xffffffffc0900001));
      EXPECT_FALSE(copy.at(UINT64_MAX));
    }
  }
}

TEST_F(KallsymsCopyTest, IsNotUsedWhenTheKernelHasMoved) {
  const std::string text = kernel_list(5, 100);
  write(copy_, text);
  std::string moved = text;
  moved.replace(moved.find("ffffffff81000000 T _text"), 16, "ffffffff91000000");
  for (const std::string& running :
       {moved, std::string(), text.substr(0, 40), "0000000000000000 T _text\n" + text}) {
    write(running_, running);
    EXPECT_EQ(KallsymsCopy(copy_, running_).text(), 0U) << running.substr(0, 100);
  }
  write(running_, text);
  EXPECT_NE(KallsymsCopy(copy_, running_).text(), 0U);
  EXPECT_EQ(KallsymsCopy(copy_ + ".none", running_).text(), 0U);
  EXPECT_EQ(KallsymsCopy(testing::TempDir(), running_).text(), 0U);
  write(copy_, "0000000000000000 T _text\n0000000000000000 T run\n");
  write(running_, "0000000000000000 T _text\n0000000000000000 T run\n");
  KallsymsCopy hidden(copy_, running_);
  EXPECT_EQ(hidden.text(), 0U);
  EXPECT_FALSE(hidden.at(0));
}

TEST_F(KallsymsCopyTest, GivesNoWrongAnswerWhenCutOrOutOfOrder) {
  const std::string text = kernel_list(5, 2000);
  const Kallsyms list(text);
  write(running_, text);
  for (size_t size = 0; size < text.size(); size += size < 400 ? 1 : 997) {
    write(copy_, text.substr(0, size));
    KallsymsCopy copy(copy_, running_);
    compare(copy, list, 0xffffffff81100000);
  }
  // two blocks of the image are exchanged: any answer, but no crash
  std::string mixed = text;
  const size_t middle = mixed.find('\n', mixed.size() / 3) + 1;
  const size_t end = mixed.find("m\t[module]") - 19;
  mixed = text.substr(0, 400) + text.substr(middle, end - middle) + text.substr(400, middle - 400) +
          text.substr(end);
  write(copy_, mixed);
  KallsymsCopy copy(copy_, running_);
  for (uint64_t address = kText; address < kText + 0x40000; address += 8) copy.at(address);
  // random bytes
  std::mt19937 random(2);
  for (int round = 0; round < 50; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 200; ++i)
      damaged[400 + random() % (damaged.size() - 400)] = static_cast<char>(random());
    write(copy_, damaged);
    KallsymsCopy other(copy_, running_);
    for (uint64_t address = kText; address < kText + 0x40000; address += 104) other.at(address);
  }
}

}  // namespace
}  // namespace aiflame
