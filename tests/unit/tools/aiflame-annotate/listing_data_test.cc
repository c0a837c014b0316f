// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_data.h"

#include <gtest/gtest.h>

#include "libcommon/listing/listings.h"

namespace aiflame::annotate {
namespace {

// Reads it as aiflame-svg does. Returns the number of lines.
size_t read_back(const std::string& text) {
  ListingsReader reader;
  size_t lines = 0;
  for (size_t begin = 0; begin < text.size(); ++lines) {
    const size_t end = text.find('\n', begin);
    reader.read(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  reader.end();
  return lines;
}

Annotation annotation_of(size_t instructions, const std::string& text) {
  Annotation it;
  it.kernel = it.function = text;
  it.lines = {{"", 0, 0}, {"/nowhere/" + text, 7, instructions}};
  for (size_t i = 0; i < instructions; ++i) {
    AnnotatedInstruction& code = it.code.emplace_back();
    code.offset = 16 * i;
    code.samples = 1;
    code.stalls = 1;
    code.line = i % 2 == 0 ? 1 : 0;
    code.guard = code.mnemonic = code.operands = text;
    code.reasons = {{text, 1}};
    code.producers = {16 * i, 32};
    code.chain = {16 * i, 0};
    code.causes = {{0, 1, false}};
  }
  it.samples = instructions;
  return it;
}

TEST(ListingData, IsReadBackWhateverTheNames) {
  Settings settings;
  settings.chains = 0;
  SourceTexts sources({});
  for (const std::string text : {"k", "a;b\tc\nd", " ", "\033[2J\xff", "<&\"'>"}) {
    ListingData data;
    data.add(annotation_of(3, text), "k.html", "stalls", settings, sources);
    EXPECT_EQ(data.added(), 1u);
    EXPECT_EQ(read_back(data.text()), 7u) << data.text();
  }
}

TEST(ListingData, LongRunsWithoutSamplesAreCounted) {
  Settings settings;
  SourceTexts sources({});
  Annotation it = annotation_of(40, "k");
  for (size_t i = 5; i < 30; ++i) it.code[i].samples = 0;
  it.samples = 15;
  ListingData data;
  data.add(it, "k.html", "stalls", settings, sources);
  EXPECT_NE(data.text().find("\nskip\t25\n"), std::string::npos) << data.text();
  read_back(data.text());
}

TEST(ListingData, WhatDoesNotFitIsCounted) {
  Settings settings;
  SourceTexts sources({});
  ListingData data;
  const std::string name(1000, 'n');
  for (int i = 0; i < 3; ++i)
    data.add(annotation_of(400, name), "k.html", "stalls", settings, sources);
  EXPECT_EQ(data.added(), 1u);
  EXPECT_EQ(data.left_out(), 2u);
  EXPECT_LE(data.text().size(), kListingsBytes);
  data.add(annotation_of(2, "small"), "k.html", "stalls", settings, sources);
  EXPECT_EQ(data.added(), 2u);
  read_back(data.text());
}

}  // namespace
}  // namespace aiflame::annotate
