// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_html.h"

#include <gtest/gtest.h>

#include "tools/aiflame-annotate/sha256.h"

namespace aiflame::annotate {
namespace {

// FIPS 180-4's examples, as `printf abc | openssl dgst -sha256 -binary | base64` has them.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(sha256_base64("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
}

TEST(HtmlText, NothingIsMarkup) {
  EXPECT_EQ(html_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(html_text("\033[2J\n\x80"), "\\033[2J\\012\\200");
}

TEST(ListingHtml, ForeignTextIsEscapedEverywhere) {
  const std::string evil = "</script><script>\"'&\033";
  Settings settings;
  const EventTotal total{"gpu-stall", "stalls", 1};
  SourceTexts sources({});
  ListingHtml page(settings, total, sources);
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

}  // namespace
}  // namespace aiflame::annotate
