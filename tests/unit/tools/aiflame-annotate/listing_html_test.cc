// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_html.h"

#include <gtest/gtest.h>

namespace aiflame::annotate {
namespace {

TEST(ListingHtml, ForeignTextIsEscapedEverywhere) {
  const std::string evil = "</script><script>\"'&\033";
  Settings settings;
  const EventTotal total{"gpu-stall", "stalls", 1};
  SourceTexts sources({});
  PageLinks links;
  ListingHtml page(settings, total, sources, links);
  Annotation it;
  it.kernel = it.function = it.object = evil;
  it.samples = 1;
  it.lines.push_back({evil, 7, 1});
  AnnotatedInstruction& code = it.code.emplace_back();
  code.samples = 1;
  code.guard = code.mnemonic = code.operands = evil;
  code.reasons = {{evil, 1}};
  const std::string text = page.begin({}, {{evil, 1}}) + page.function(it) + page.end();
  EXPECT_EQ(text.find(evil), std::string::npos);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  size_t scripts = 0;
  for (size_t at = 0; (at = text.find("<script>", at)) != std::string::npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 1u);
}

TEST(ListingHtml, LinksAreByKernelAndTheRecordingsOffset) {
  Settings settings;
  settings.html = "page.html";
  const EventTotal total{"gpu-clock", "samples", 3};
  SourceTexts sources({});
  PageLinks links;
  ListingHtml page(settings, total, sources, links);
  Annotation it;
  it.kernel = "k";
  it.samples = 1;
  it.recorded_more = 0x1490;
  it.lines.push_back({"a.cl", 7, 1});
  AnnotatedInstruction& code = it.code.emplace_back();
  code.offset = 0x6a9;
  code.samples = 1;
  const std::string first = page.function(it);
  EXPECT_NE(first.find("<p>1 sample, "), std::string::npos);
  EXPECT_NE(first.find("0x1490 more"), std::string::npos);
  it.kernel = "other";
  it.recorded_more = 0;
  page.function(it);
  it.function = "called";  // by the same kernel
  page.function(it);
  EXPECT_EQ(links.text(),
            "k_[G]\thref=./page.html#k1\ttarget=_blank\n"
            "k_[G];0x1b39_[g]\thref=./page.html#0x6a9\ttarget=_blank\n"
            "k_[G];a.cl:7_[G]\thref=./page.html#a.cl:7\ttarget=_blank\n"
            "other_[G]\thref=./page.html#k2\ttarget=_blank\n"
            "other_[G];a.cl:7_[G]\thref=./page.html#2-a.cl:7\ttarget=_blank\n");
}

}  // namespace
}  // namespace aiflame::annotate
