// SPDX-License-Identifier: MIT
#include "libcommon/text/text_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace aiflame {
namespace {

using Texts = std::vector<std::string>;

Texts sorted(const Texts& texts, TextOrder order) {
  std::vector<OrderedText> items;
  for (const std::string& text : texts)
    items.push_back(
        {0, text.data(), static_cast<uint32_t>(text.size()), static_cast<uint32_t>(items.size())});
  sort_texts(items, order);
  Texts out;
  for (const OrderedText& item : items) {
    EXPECT_EQ(item.view(), texts[item.number]);
    out.emplace_back(item.view());
  }
  return out;
}

Texts expected(Texts texts, TextOrder order) {
  std::sort(texts.begin(), texts.end(), [&](const std::string& a, const std::string& b) {
    return order == TextOrder::plain ? a < b : a + ";" < b + ";";
  });
  return texts;
}

// Few different bytes, zero among them: prefixes are long, and the end of a text is hard to tell
// from a zero.
TEST(TextOrder, AgreesWithStdSort) {
  std::mt19937 random(11);
  const std::string bytes("\0a\0\xff;:<", 7);
  for (const TextOrder order : {TextOrder::plain, TextOrder::frames}) {
    for (const size_t count : {0U, 1U, 2U, 12U, 13U, 100U, 20000U}) {
      Texts texts;
      for (size_t i = 0; i < count; ++i) {
        std::string text(random() % 4 == 0 ? 16 : 0, 'x');
        for (size_t n = random() % 24; n > 0; --n) text += bytes[random() % bytes.size()];
        texts.push_back(text);
      }
      EXPECT_TRUE(sorted(texts, order) == expected(texts, order)) << count;
    }
  }
}

TEST(TextOrder, EqualTextsOfAnyLength) {
  for (size_t size = 0; size < 40; ++size) {
    Texts texts(30, std::string(size, 'a'));
    texts.insert(texts.end(), 30, std::string(size + 1, '\0'));
    for (const TextOrder order : {TextOrder::plain, TextOrder::frames})
      EXPECT_TRUE(sorted(texts, order) == expected(texts, order)) << size;
  }
}

// Seen with -fsanitize=undefined: memcpy() must not get a null pointer, even for no bytes.
TEST(TextOrder, EmptyTextsMayBeNull) {
  std::vector<OrderedText> items(40);
  for (uint32_t i = 0; i < items.size(); ++i) items[i] = {0, nullptr, 0, i};
  for (const TextOrder order : {TextOrder::plain, TextOrder::frames}) sort_texts(items, order);
  for (const OrderedText& item : items) EXPECT_EQ(item.view(), "");
}

// An input that makes the multikey quicksort always choose a bad pivot.
TEST(TextOrder, GroupsThatDivideBadly) {
  // of the texts left, the smallest are at one quarter, one half and three quarters: the keys that
  // are sampled
  const size_t count = 20000;
  Texts texts(count);
  std::vector<size_t> places(count);
  for (size_t i = 0; i < count; ++i) places[i] = i;
  for (size_t number = 0; places.size() > 3;) {
    const size_t size = places.size();
    for (const size_t at : {size - size / 4 - 1, size / 2, size / 4}) {
      texts[places[at]] = "key " + std::to_string(100000 + number++);
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  EXPECT_TRUE(sorted(texts, TextOrder::plain) == expected(texts, TextOrder::plain));
}

TEST(TextOrder, Compares) {
  EXPECT_LT(compare_texts("a", "a.x", TextOrder::plain), 0);
  EXPECT_GT(compare_texts("a", "a.x", TextOrder::frames), 0);  // '.' is less than ';'
  EXPECT_LT(compare_texts("a", "a;x", TextOrder::frames), 0);
  EXPECT_GT(compare_texts("a;b", "a.x", TextOrder::frames), 0);
  EXPECT_LT(compare_texts("a;b", "a<", TextOrder::frames), 0);
  EXPECT_GT(compare_texts("\xff", "a", TextOrder::frames), 0);
  EXPECT_EQ(compare_texts("", "", TextOrder::frames), 0);
  EXPECT_EQ(compare_texts("a;b", "a;b", TextOrder::plain), 0);
}

}  // namespace
}  // namespace aiflame
