// SPDX-License-Identifier: MIT
// Two things speed up the reading of perf script text, and must change nothing else: the cache of
// known lines, and threads. The tests compare with a single thread that reads each line.
#include "tools/stackcollapse-aiflame/collapse.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"

namespace aiflame::collapse {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string path(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

// The folded lines, the statistics and the warnings or the error, with INPUT for the input's name.
std::string fold_input(const std::string& input, Settings settings) {
  static const int output = memfd_create("output", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(output, 0), 0);
  testing::internal::CaptureStderr();
  std::string said;
  try {
    Collapse collapse(std::move(settings));
    collapse.read(input);
    Output out(path(output));
    collapse.write(out);
    out.close();
    said = collapse.statistics().json();
  } catch (const Error& error) {
    said = error.what();
  }
  said += testing::internal::GetCapturedStderr();
  for (size_t at; (at = said.find(input)) != std::string::npos;)
    said.replace(at, input.size(), "INPUT");
  return read(path(output)) + said;
}

// The input is a file.
std::string fold(const std::string& text, Settings settings) {
  static const int input = memfd_create("input", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(input, 0), 0);
  EXPECT_EQ(pwrite(input, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return fold_input(path(input), std::move(settings));
}

std::string fold_pipe(const std::string& text, Settings settings) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  std::thread writer([&text, &ends] {
    for (std::string_view rest = text; !rest.empty();) {
      const ssize_t n = write(ends[1], rest.data(), rest.size());
      if (n <= 0) break;  // the reader has found a mistake
      rest.remove_prefix(static_cast<size_t>(n));
    }
    close(ends[1]);
  });
  // with this end closed, nothing waits for text after a mistake
  const int input = open(path(ends[0]).c_str(), O_RDONLY | O_CLOEXEC);
  close(ends[0]);
  std::string folded = fold_input(path(input), std::move(settings));
  close(input);
  writer.join();
  return folded;
}

void expect_the_same(const std::string& text, Settings settings = {}) {
  settings.read_each_line = true;
  settings.threads = 1;
  const std::string exact = fold(text, settings);
  settings.read_each_line = false;
  ASSERT_EQ(fold(text, settings), exact);
  settings.threads = 3;
  ASSERT_EQ(fold(text, settings), exact);
  ASSERT_EQ(fold_pipe(text, settings), exact);
}

// `text`, repeated until it is long enough for threads.
std::string repeated(const std::string& text, size_t size = size_t{6} << 20) {
  std::string out;
  while (out.size() < size) out += text;
  return out;
}

// A text of random pieces of samples, most of them in the right place.
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

TEST(Collapse, LaunchesThatThreadsReadAreTakenInOrder) {
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
  // longer than a piece, one of them without its blank line
  const std::string deep = sample + repeated("\t4012ab main (/a)\n", size_t{700} << 10);
  const std::string text = repeated(sample + "\n", size_t{2} << 20);
  expect_the_same(text + deep + "\n" + text + deep + deep + "\n" + text + "\n" + deep);
  expect_the_same(text + "\n\n\n" + repeated("\n", size_t{1} << 20) + text + "odd\n\n" + text);
}

TEST(Collapse, TheFirstOddLineIsReportedWithItsNumber) {
  const std::string sample = "a 1/2 5.5: 1 cycles: \n\t4012ab main (/a)\n\n";
  const std::string text = repeated(sample, size_t{3} << 20);
  expect_the_same(text + "odd\n\n" + text + "odd\nodd\n\n" + text);
  Settings settings;
  settings.threads = 3;
  const std::string line = std::to_string(text.size() / sample.size() * 3 + 1);
  EXPECT_NE(fold(text + "odd\n\n" + text + "odd\n\n" + text, settings)
                .find("2 lines ignored, first at INPUT:" + line + ": "),
            std::string::npos);
}

}  // namespace
}  // namespace aiflame::collapse
