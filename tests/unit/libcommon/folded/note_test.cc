// SPDX-License-Identifier: MIT
#include "libcommon/folded/note.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(Note, IsALineThatNeverEndsInADigit) {
  EXPECT_EQ(note_line("peak 6.5 GiB, 12 stacks"), "# aiflame-note: peak 6.5 GiB, 12 stacks\n");
  EXPECT_EQ(note_line("after entry 12"), "# aiflame-note: after entry 12.\n");
  EXPECT_EQ(note_line("a\nb"), "# aiflame-note: a\\012b\n");
}

TEST(Note, IsReadOnceFromEachLine) {
  Notes notes;
  EXPECT_TRUE(notes.empty());
  notes.read("# aiflame-note: one");
  notes.read("# aiflame-note:  two \r");
  notes.read("# aiflame-note: one");
  notes.read("# aiflame-note:");
  notes.read("# aiflame: unit ns");
  notes.read("# aiflame-note: " + std::string(Notes::kLongest, 'x'));
  EXPECT_EQ(notes.all(), (std::vector<std::string>{"one", "two"}));
  Notes others;
  others.read("# aiflame-note: three");
  others.read("# aiflame-note: two");
  notes.add(others);
  EXPECT_EQ(notes.all(), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(Note, HostileInputHasFew) {
  Notes notes;
  for (int i = 0; i < 100; ++i) notes.read("# aiflame-note: " + std::to_string(i) + "x");
  EXPECT_EQ(notes.all().size(), Notes::kMost);
}

}  // namespace
}  // namespace aiflame
