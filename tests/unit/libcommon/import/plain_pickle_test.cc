// SPDX-License-Identifier: MIT
#include "libcommon/import/plain_pickle.h"

#include <gtest/gtest.h>

#include <string>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

using namespace std::string_view_literals;
using Kind = PlainPickle::Kind;

std::string failure_of(std::string_view bytes) {
  try {
    const PlainPickle pickle(bytes);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(PlainPickle, ReadsWhatPythonWrites) {
  // pickle.dumps({4294967301: [{'name': 'a', 'stream': 60}], 7: 'a'}, protocol=4)
  const PlainPickle pickle(
      "\x80\x04\x95\x27\x00\x00\x00\x00\x00\x00\x00}\x94(\x8a\x05\x05\x00\x00\x00\x01]\x94}\x94("
      "\x8c\x04name\x94\x8c\x01"
      "a\x94\x8c\x06stream\x94K<uaK\x07h\x04u."sv);
  ASSERT_EQ(pickle.root().kind, Kind::dictionary);
  ASSERT_EQ(pickle.root().items.size(), 4U);
  EXPECT_EQ(pickle.at(pickle.root().items[0]).number, 4294967301U);
  const PlainPickle::Value& list = pickle.at(pickle.root().items[1]);
  ASSERT_EQ(list.kind, Kind::list);
  const PlainPickle::Value& mark = pickle.at(list.items.at(0));
  ASSERT_EQ(mark.items.size(), 4U);
  EXPECT_EQ(pickle.at(mark.items[0]).text, "name");
  EXPECT_EQ(pickle.at(mark.items[1]).text, "a");
  EXPECT_EQ(pickle.at(mark.items[3]).number, 60U);
  EXPECT_EQ(pickle.at(pickle.root().items[2]).number, 7U);
  // the text of the memo
  EXPECT_EQ(pickle.at(pickle.root().items[3]).text, "a");
}

TEST(PlainPickle, HasNoNumbersThatDoNotFit) {
  EXPECT_EQ(PlainPickle("J\xff\xff\xff\xff."sv).root().kind, Kind::other);
  EXPECT_EQ(PlainPickle("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f."sv).root().number,
            uint64_t{INT64_MAX});
  EXPECT_EQ(PlainPickle("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00."sv).root().number,
            UINT64_MAX);
  EXPECT_EQ(PlainPickle("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x01."sv).root().kind,
            Kind::other);
  EXPECT_EQ(PlainPickle("\x8a\x00."sv).root().number, 0U);
}

TEST(PlainPickle, RefusesWhatIsNoPlainData) {
  EXPECT_EQ(failure_of("\x80\x04\x8c\x02os\x8c\x06system\x93."sv),
            "byte 14: STACK_GLOBAL: only plain data is read, and nothing was executed");
  EXPECT_EQ(failure_of("cos\nsystem\n."sv),
            "byte 0: GLOBAL: only plain data is read, and nothing was executed");
  EXPECT_EQ(failure_of("\x80\x06N."sv), "byte 0: a pickle of protocol 6; 2 to 5 are read");
}

TEST(PlainPickle, RefusesWhatIsBroken) {
  EXPECT_EQ(failure_of(""sv), "byte 0: the pickle ends in the middle");
  EXPECT_EQ(failure_of("\x8c\x05"
                       "ab"sv),
            "byte 0: the pickle ends in the middle");
  EXPECT_EQ(failure_of("."sv), "byte 0: takes a value where there is none");
  EXPECT_EQ(failure_of("NNe."sv), "byte 2: needs a mark, and there is none");
  EXPECT_EQ(failure_of("((NK\x01u."sv), "byte 5: fills a thing that is no list or dictionary");
  EXPECT_EQ(failure_of("}(Nu."sv), "byte 3: a key without its value");
  EXPECT_EQ(failure_of("Nq\x05."sv), "byte 1: skips a place of the memo");
  EXPECT_EQ(failure_of("h\x00."sv), "byte 0: a place of the memo that is empty");
}

TEST(PlainPickle, MayHoldItself) {
  // a list that is appended to itself: nothing here follows it
  const PlainPickle pickle(
      "]q\x00h\x00"
      "a."sv);
  EXPECT_EQ(&pickle.at(pickle.root().items.at(0)), &pickle.root());
}

}  // namespace
}  // namespace aiflame
