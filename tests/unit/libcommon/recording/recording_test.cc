// SPDX-License-Identifier: MIT
#include "libcommon/recording/recording.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"
#include "libcommon/recording/sampled_code.h"

namespace aiflame {
namespace {

const std::string kStart =
    "# gpustall 1\n"
    "# device 0 : xe, a, period 1 ms\n"
    "# device 1 : xe, b, period 1 ms\n"
    "# a 7/8 [000] 5.000000001: PERF_RECORD_MMAP2 7/7: [0x1000(0x200) @ 0x40 00:00 0 0]: r-xp /o\n";
const std::string kLaunch =
    "# launch 17\n\n"
    "a 7/8 [000] 5.000000002: 1 gpu-launch: \n"
    "\t1010 k+0x10 (/o)\n"
    "\t4012ab main+0x2b (/a)\n\n";
const std::string kSample =
    "a 7/7 [000] 5.010000000: 57 gpu-stall: \n"
    "\t0 sbid ([stall])\n"
    "\t1120 mad+0x20 (/o)\n"
    "\t1040 k+0x40 (/o)\n\n";

// Calls look(recording, reader, record) after each record. Returns the error without the path.
using Look = std::function<void(const Recording&, const GpustallReader&, const GpustallRecord&)>;
std::string read(const std::string& text, const Look& look) {
  const MemoryFile file(text);
  GpustallReader reader(file.path());
  GpustallRecord record;
  Recording recording;
  try {
    while (reader.next(record)) {
      recording.take(reader, record);
      look(recording, reader, record);
    }
  } catch (const Error& error) {
    return std::string(error.what()).substr(file.path().size());
  }
  return "";
}

std::string error_of(const std::string& text) {
  return read(text, [](const auto&, const auto&, const auto&) {});
}

TEST(Recording, ASampleHasItsLaunchItsSliceAndItsPlace) {
  int samples = 0;
  const std::string error = read(
      kStart + kLaunch + "# slice 5.000000000 5.010000000\n# launch 17\n\n" + kSample +
          "# launch ?\n\n" + kSample,
      [&](const Recording& recording, const GpustallReader& reader, const GpustallRecord& record) {
        if (is_launch_sample(record)) {
          EXPECT_EQ(recording.kernel().symbol, "k");
          EXPECT_EQ(recording.kernel().offset, 0x10u);
        }
        if (!is_device_sample(record)) return;
        EXPECT_EQ(recording.launch(), samples++ == 0 ? 17u : 0u);
        EXPECT_EQ(recording.slice_start(), 5000000000u);
        const SampledCode code = sampled_code(reader, record);
        EXPECT_EQ(code.reason, "sbid");
        EXPECT_EQ(code.kernel, "k");
        EXPECT_EQ(code.helpers, (std::vector<std::string_view>{"mad"}));
        EXPECT_EQ(code.offset, 0x20u);
        EXPECT_EQ(code.start, 0x1000u);
        const auto place = recording.place(record, code.address);
        ASSERT_TRUE(place);
        EXPECT_EQ(*place->path, "/o");
        EXPECT_EQ(place->file_offset, 0x160u);
        EXPECT_FALSE(recording.place(record, 0x1200));
        EXPECT_FALSE(recording.place(record, 0));
      });
  EXPECT_EQ(error, "");
  EXPECT_EQ(samples, 2);
}

// Slices of two devices overlap.
TEST(Recording, LastsAsLongAsItsSlicesCover) {
  uint64_t duration = 0;
  read(kStart + "# slice 1.0 2.0\n# slice 1.5 2.5\n# slice 1.0 2.0\n# slice 4.0 5.0\n",
       [&](const Recording& recording, const auto&, const auto&) {
         duration = recording.duration();
       });
  EXPECT_EQ(duration, 2500000000U);
}

TEST(Recording, ANewOneForgetsTheOneBefore) {
  EXPECT_EQ(error_of(kStart + kLaunch + "# end samples ? launches ? lost 0\n\n" + kStart +
                     "# launched 17 1 -\n"),
            ":17: launch 17 is not known");
}

TEST(Recording, ContradictionsHaveTheirLine) {
  EXPECT_EQ(error_of(kStart + "# launched 3 1 -\n"), ":5: launch 3 is not known");
  EXPECT_EQ(error_of(kStart + "# launch 3\n\n" + kSample), ":7: launch 3 is not known");
  EXPECT_EQ(error_of(kStart + kLaunch.substr(kLaunch.find("a 7/8"))),
            ":5: a gpu-launch needs '# launch N' before it");
  EXPECT_EQ(
      error_of(kStart + "# launch 9223372036854775808\n\na 7/8 [000] 5.0: 1 gpu-launch: \n\n"),
      ":7: a launch number of more than 9223372036854775807");
  EXPECT_EQ(error_of(kStart + "# launch 3\n\na 7/8 [000] 5.0: 1 gpu-launch: \n\n"),
            ":7: a gpu-launch needs its kernel as first frame");
}

// Such recordings exist. What is there is drawn, and the reader's user is told.
TEST(Recording, OtherSumsThanItsEndSaysAreNoError) {
  const auto contradiction_of = [](const std::string& text) {
    std::string last;
    const std::string error =
        read(text, [&](const Recording& recording, const auto&, const GpustallRecord& record) {
          last = recording.contradiction();
          if (record.kind == GpustallRecord::Kind::end && !last.empty())
            last = last.substr(last.find(':'));
        });
    return error + last;
  };
  EXPECT_EQ(contradiction_of(kStart + kSample + "# end samples 57 launches 0 lost 0\n"), "");
  EXPECT_EQ(contradiction_of(kStart + kSample + "# end samples ? launches ? lost 0\n"), "");
  EXPECT_EQ(contradiction_of(kStart + kSample + "# end samples 56 launches 0 lost 0\n"),
            ":10: the recording says it has 56 samples, but 57 are here");
  const std::string launched = kStart + kLaunch + "# launched 17 2 -\n";
  EXPECT_EQ(contradiction_of(launched + "# end samples 0 launches 1 lost 0\n"),
            ":12: the recording says it has 1 launches, but 2 are here");
  EXPECT_EQ(contradiction_of(launched + "# end samples 5 launches 1 lost 0\n"),
            ":12: the recording says it has 5 samples and 1 launches, but 0 and 2 are here");
  // of the one before nothing is left
  EXPECT_EQ(contradiction_of(launched + "# end samples 5 launches 1 lost 0\n" + kStart), "");
}

}  // namespace
}  // namespace aiflame
