// SPDX-License-Identifier: MIT
#include "libcommon/listing/listings.h"

#include <gtest/gtest.h>

#include <vector>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

const std::vector<std::string> kGood = {
    "# aiflame-listings 1",
    "kernel\tk<1>\tcalled\tk-1.html\t12\tstalls\t1\t18446744073709551600",
    "finding\t2c8\tload at a.cl:10 feeds <all>",
    "loop\t2b8\t2d8\t12",
    "file\t/home/u/a.cl",
    "text\t9\tfor (;;)",
    "line\t10\t12\tsum += a[k] & b[k];",
    "gap",
    "line\t20\t0\t",
    "code\t2b8\t0\t\tnop\t\t\t\t\t",
    "code\t2c8\t10\t0\tmad r20\tsbid 7;a b 3\t2b8 7\t2b8 2a0\t2c8\t2b8 nop 70%;[unknown]",
    "skip\t21",
    "code\t2d8\t2\t1\tjmpi\tsbid 2\t\t\t\t",
};

// Returns the reader's message, or an empty text.
std::string problem(const std::vector<std::string>& lines) {
  ListingsReader reader;
  try {
    for (const std::string& line : lines) reader.read(line);
    reader.end();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string with(size_t at, const std::string& line) {
  std::vector<std::string> lines = kGood;
  lines[at] = line;
  return problem(lines);
}

TEST(ListingsReader, ReadsEachRecordAndEscapesIt) {
  ListingsReader reader;
  std::string out;
  for (const std::string& line : kGood) out += reader.read(line) + "\n";
  reader.end();
  EXPECT_EQ(reader.kernel(), "k<1>");
  EXPECT_NE(out.find("kernel\tk&lt;1&gt;\tcalled\tk-1.html\t12\tstalls\t1\t18446744073709551600\n"),
            std::string::npos);
  EXPECT_NE(out.find("line\t10\t12\tsum += a[k] &amp; b[k];\n"), std::string::npos);
  EXPECT_NE(out.find("code\t2c8\t10\t0\tmad r20\tsbid 7;a b 3\t2b8 7\t2b8 2a0\t2c8\t2b8 nop 70%;"),
            std::string::npos);
}

TEST(ListingsReader, ForeignTextIsPrintable) {
  ListingsReader reader;
  reader.read(kGood[0]);
  EXPECT_EQ(reader.read("kernel\t\033[2J\u202e\t\tk.html\t0\tstalls\t0\t0"),
            "kernel\t\\033[2J\\342\\200\\256\t\tk.html\t0\tstalls\t0\t0");
}

TEST(ListingsReader, SaysWhatIsWrong) {
  EXPECT_EQ(problem(kGood), "");
  EXPECT_EQ(problem({}), "expected '# aiflame-listings 1'");
  EXPECT_EQ(with(0, "# aiflame-listings 2"),
            "expected '# aiflame-listings 1', not '# aiflame-listings 2'");
  EXPECT_EQ(with(1, "gap"), "expected a kernel first");
  EXPECT_EQ(with(1, "kernel\t\t\tk.html\t12\tstalls\t1\t0"), "a kernel without a name");
  EXPECT_EQ(with(1, "kernel\tk\t\t../k.html\t12\tstalls\t1\t0"),
            "'../k.html' is no page that aiflame-annotate writes");
  EXPECT_EQ(with(1, "kernel\tk\t\tk.html\t12\tstalls\t2\t0"), "expected 0 or 1");
  EXPECT_EQ(with(1, "kernel\tk\t\tk.html\t12\tstalls\t1"), "'kernel' has too few fields");
  EXPECT_EQ(with(1, "kernel\tk\t\tk.html\t12\tstalls\t1\t0\t"), "'kernel' has too many fields");
  EXPECT_EQ(with(3, "loop\t2b8\t2x8\t12"), "expected a number, not '2x8'");
  EXPECT_EQ(with(4, "skip\t3"), "'text' is no part of a listing here");
  EXPECT_EQ(with(7, "<script>"), "'<script>' is no part of a listing here");
  EXPECT_EQ(with(9, "code\t2b8\t0\t2\tnop\t\t\t\t\t"),
            "expected a number of a 'line' before, not '2'");
  EXPECT_EQ(with(9, "code\t2b8\t0\t\tnop\tsbid\t\t\t\t"),
            "expected a name, a blank and a number, not 'sbid'");
  EXPECT_EQ(with(9, "code\t2b8\t0\t\tnop\t\tx 1\t\t\t"),
            "expected an offset, a blank and a number, not 'x 1'");
  EXPECT_EQ(with(9, "code\t2b8\t0\t\tnop\t\t\t2a0,3\t\t"), "expected an offset, not '2a0,3'");
}

TEST(ListingsReader, TheSamplesAddUp) {
  EXPECT_EQ(with(9, "code\t2b8\t1\t\tnop\t\t\t\t\t"), "'k<1>' has fewer samples");
  EXPECT_EQ(with(9, "code\t2b8\t18446744073709551615\t\tnop\t\t\t\t\t"),
            "'k<1>' has fewer samples");
  EXPECT_EQ(with(12, "gap"), "the instructions of 'k<1>' have 10 samples, not 12");
  std::vector<std::string> two = kGood;
  two.insert(two.begin() + 12, kGood[1]);
  EXPECT_EQ(problem(two), "the instructions of 'k<1>' have 10 samples, not 12");
}

TEST(ListingsReader, NoTruncationIsTakenForTheWhole) {
  std::string all;
  for (const std::string& line : kGood) all += line + "\n";
  for (size_t size = 0; size + 1 < all.size(); ++size) {
    std::vector<std::string> lines;
    size_t begin = 0;
    for (size_t end = 0; end <= size; ++end) {
      if (end < size && all[end] != '\n') continue;
      if (end > begin) lines.push_back(all.substr(begin, end - begin));
      begin = end + 1;
    }
    // the first line alone is a file without listings
    const bool is_whole = lines.size() == 1 && lines[0] == kListingsHeader;
    EXPECT_EQ(problem(lines).empty(), is_whole) << size;
  }
}

TEST(IsPageName, ABareFileAlone) {
  EXPECT_TRUE(is_page_name("xcompute-2.html"));
  for (const char* bad : {"", ".html", "..html", "a/b.html", "..", "a.htm", "a b.html", "a:b.html",
                          "javascript:x.html", "a?.html", "a#.html", "\"a.html"})
    EXPECT_FALSE(is_page_name(bad)) << bad;
}

}  // namespace
}  // namespace aiflame
