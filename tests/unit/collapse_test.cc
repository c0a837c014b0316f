// SPDX-License-Identifier: MIT
// What is known of lines, and threads, change the speed of reading perf script text, and nothing
// else: the reader alone is the measure.
#include "tools/stackcollapse-aiflame/collapse.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "libcommon/output.h"
#include "libcommon/program.h"

namespace aiflame {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The folded lines, the statistics and the warnings or the error.
std::string fold(const std::string& text, Settings settings) {
  static const int input = memfd_create("input", MFD_CLOEXEC);
  static const int output = memfd_create("output", MFD_CLOEXEC);
  const auto path = [](int fd) { return "/proc/self/fd/" + std::to_string(fd); };
  for (int fd : {input, output}) EXPECT_EQ(ftruncate(fd, 0), 0);
  EXPECT_EQ(pwrite(input, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  testing::internal::CaptureStderr();
  std::string said;
  try {
    Collapse collapse(std::move(settings));
    collapse.read(path(input));
    Output out(path(output));
    collapse.write(out);
    out.close();
    said = collapse.statistics().json();
  } catch (const Error& error) {
    said = error.what();
  }
  return read(path(output)) + said + testing::internal::GetCapturedStderr();
}

void expect_the_same(const std::string& text, Settings settings = {}) {
  settings.read_each_line = true;
  settings.threads = 1;
  const std::string exact = fold(text, settings);
  settings.read_each_line = false;
  ASSERT_EQ(fold(text, settings), exact);
  settings.threads = 3;
  ASSERT_EQ(fold(text, settings), exact);
}

// `text` again and again, so that it is long enough for threads.
std::string repeated(const std::string& text, size_t size = size_t{6} << 20) {
  std::string out;
  while (out.size() < size) out += text;
  return out;
}

// A text of pieces that samples are made of, most of them where they belong.
std::string random_text(unsigned seed, size_t size) {
  constexpr const char* kHeaders[] = {
      "java  3244 cpu-clock: ",
      "java 3244/3245 [001]  12.000250:     250000 cycles: ",
      "V8 Worker 7/8 [003]  6511.123456:          3 cycles:u: ",
      "a 1/2 5.5: 0 cycles:",
      "job 12 x 123/124 9.5: 7 cycles: ",
      ":-1 -1/-1 [000] 3.5: 1 cycles: ",
      "   comm 12 cycles: ",
      "a 1/2 5.5: 1 cycles: 4012ab main (/a)",
      "a 1/2 [000] 5.5: sched:sched_switch: prev_comm=a prev_pid=1 ==> next_comm=b",
      "a 1/2 [000] 5.5: PERF_RECORD_MMAP2 1/1: [0x1000(0x200) @ 0 00:00 0 0]: r-xp /o",
      "no header at all",
  };
  constexpr const char* kLines[] = {
      "\t    7f1e214c24d9 SpinPause (/usr/lib/jvm/libjvm.so)",
      "\t          4012ab main+0x2b (/home/u/a)",
      "\tffffffff81 entry_SYSCALL_64+0x72 ([kernel.kallsyms])",
      "\t    7f30c0e50238 Lorg/a/B::c;d+0xb8 (/tmp/perf-3244.map)",
      "\t             123 a->b->c (/x (deleted))",
      "\t          4012ab (anonymous namespace)::f(int)+0x1 (/a b)",
      "\t          4012ab [unknown] ([unknown])",
      "\t          4012ab  ([kernel])",
      "4012ab main+0x2b (/home/u/a)",
      "0 ()",
      "\t          4012ab main+0x2b (/home/u/a)\r",
      "\t no frame",
      "    77 (x",
      "\t1 2 x: (y)",
      "a 1/2 5.5: 1 cycles: ",
      "\ta 1/2 5.5: 1 cycles: ",
      "# a comment",
      "#",
      " ",
      "\t",
      "\r",
  };
  std::mt19937 random(seed);
  const auto one_of = [&](const auto& of, size_t usual) {
    return std::string(of[random() % (random() % 64 == 0 ? std::size(of) : usual)]);
  };
  std::string out;
  while (out.size() < size) {
    out += one_of(kHeaders, 4) + "\n";
    for (auto n = random() % 12; n > 0; --n) out += one_of(kLines, 8) + "\n";
    if (random() % 64 != 0) out += "\n";
    if (random() % 64 == 0) out += "\n";
  }
  if (seed % 2 == 0) out.resize(size - seed % 100);  // cut somewhere
  return out;
}

TEST(Collapse, OddTextsAreTheSameReadLineByLine) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    expect_the_same(random_text(seed, 200 + seed * 40));
    if (HasFatalFailure()) return;
  }
}

TEST(Collapse, ThreadsReadAsOneDoes) {
  Settings settings;
  settings.frames = {true, true, true, true, true};
  expect_the_same(random_text(1, size_t{7} << 20), settings);
  expect_the_same(random_text(2, size_t{5} << 20));
  expect_the_same(repeated(read("tests/data/stackcollapse-aiflame/cpu.perf-script")), settings);
}

TEST(Collapse, FiltersAndIntervalsAreTheSame) {
  Settings settings;
  settings.filter.comms = {"j*,a"};
  settings.filter.time = {"5,6000"};
  settings.by_time = TimeStep("10");
  expect_the_same(random_text(1, size_t{5} << 20), settings);
  for (unsigned seed = 300; seed < 340; ++seed) expect_the_same(random_text(seed, 5000), settings);
}

TEST(Collapse, ARecordingAmongTheTextEndsTheThreads) {
  const std::string text = repeated("a 1/2 5.5: 1 cycles: \n\t4012ab main (/a)\n\n");
  const std::string recording = read("tests/data/stackcollapse-aiflame/matmul.gpustall");
  expect_the_same(text + recording + text + recording + text);
  expect_the_same(text + "#gpustall 1\n# launch x\n\n" + text);
}

TEST(Collapse, LaunchesThatThreadsComeUponAreTakenInOrder) {
  const std::string text = repeated("a 1/2 5.5: 1 cycles: \n\t4012ab main (/a)\n\n", 3 << 20);
  const auto launch = [](const std::string& event, const std::string& arguments) {
    return "b 3/4 [000] 6.250000: " + event + ": " + arguments + "\n\t4012ab run (/b)\n\n";
  };
  const std::string launches =
      launch("probe_libOpenCL:clEnqueueNDRangeKernel", "(401200) kernel=\"k\"") +
      launch("probe_libze_loader:zeCommandListAppendLaunchKernel", "");
  Settings settings;
  settings.launch_events = "probe_*";
  expect_the_same(text + launches + text + launches + text, settings);
  expect_the_same(
      text + launches + text + read("tests/data/stackcollapse-aiflame/matmul.gpustall") + text,
      settings);
}

TEST(Collapse, AnErrorIsThatOfTheFirstLine) {
  const std::string text = repeated("a 1/2 5.5: 1 cycles: \n\t4012ab main (/a)\n\n");
  std::string deep = "a 1/2 5.5: 1 cycles: \n";
  for (unsigned i = 0; i < 65537; ++i) deep += "0 ()\n";
  expect_the_same(text + deep + "\n" + text + deep + "\n" + text);
  const std::string error = fold(text + deep + "\n" + text, {});
  EXPECT_NE(error.find(": a sample of more than 65536 frames"), std::string::npos) << error;
}

TEST(Collapse, LongLinesAndSamplesWithoutEndAreTheSame) {
  const std::string sample = "a 1/2 5.5: 1 cycles: \n\t4012ab main (/a)\n";
  expect_the_same(repeated(sample + "\n") + "\t1 " + std::string(3 << 20, 'x') + " (/a)\n\n" +
                  repeated(sample + "\n"));
  expect_the_same(repeated(sample, size_t{4} << 20));  // no blank line at all
}

}  // namespace
}  // namespace aiflame
