// SPDX-License-Identifier: MIT
// Code objects in the test's own memory, which is read as if it were another process's.
#include "tools/gpustall-record/python/code_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace aiflame::record {
namespace {

const PythonLayout& layout = kPythonLayouts[1];  // 3.12
constexpr uint64_t kCodeType = 0x1110, kTextType = 0x2220, kBytesType = 0x3330;

struct Object {
  std::vector<uint64_t> words = std::vector<uint64_t>(64);
  template <typename T>
  Object& put(size_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(words.data()) + offset, &value, sizeof value);
    return *this;
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(words.data()); }
};

// A function of ten instructions, in a file of that name; its lines are 7 and, from the second
// instruction on, 9.
class CodeReaderTest : public testing::Test {
 protected:
  CodeReaderTest() {
    using namespace python_object;
    made_.state = Python::State::known;
    made_.layout = &layout;
    made_.code_type = kCodeType;
    made_.unicode_type = kTextType;
    made_.bytes_type = kBytesType;
    text(name_, "step");
    text(file_, "/a/b.py");
    lines_.put<uint64_t>(0, 1).put<uint64_t>(kType, kBytesType).put<uint64_t>(kSize, 6);
    // one unit in the same line as the function begins, then eight that are 2 further (code 12)
    const uint8_t table[] = {0xd0, 0, 0, 0xe7, 0, 0};
    std::memcpy(reinterpret_cast<char*>(lines_.words.data()) + kBytesText, table, sizeof table);
    code_.put<uint64_t>(0, 1)
        .put<uint64_t>(kType, kCodeType)
        .put<uint64_t>(kSize, 10)
        .put<int32_t>(layout.code_first_line, 7)
        .put<uint64_t>(layout.code_file, file_.address())
        .put<uint64_t>(layout.code_name, name_.address())
        .put<uint64_t>(layout.code_lines, lines_.address());
  }

  static void text(Object& out, const char* characters) {
    using namespace python_object;
    out.put<uint64_t>(0, 1)
        .put<uint64_t>(kType, kTextType)
        .put<uint64_t>(kLength, std::strlen(characters))
        .put<uint32_t>(kState, kCompact | kAscii | 1u << kKindShift);
    std::memcpy(reinterpret_cast<char*>(out.words.data()) + layout.ascii_text, characters,
                std::strlen(characters));
  }

  python_frame frame(uint64_t unit, uint64_t flags = 0) const {
    return {code_.address() | flags, code_.address() + layout.code_bytecode + 2 * unit,
            file_.address(), name_.address(), lines_.address()};
  }
  PythonPlace place(const python_frame& frame) const {
    return CodeReader(static_cast<uint32_t>(getpid()), made_).place(frame);
  }
  PythonPlace::Check check(const python_frame& frame) const { return place(frame).check; }

  Python made_;
  Object code_, name_, file_, lines_;
};

TEST_F(CodeReaderTest, FunctionFileAndLine) {
  const PythonPlace first = place(frame(0)), later = place(frame(3, PYTHON_ENDS_RUN));
  EXPECT_EQ(first.check, PythonPlace::Check::passed);
  EXPECT_EQ(first.function, "step");
  EXPECT_EQ(first.file, "/a/b.py");
  EXPECT_EQ(first.line, 7u);
  EXPECT_EQ(later.line, 9u);
}

TEST_F(CodeReaderTest, OneThatHasNotBegunIsHidden) {
  code_.put<int32_t>(layout.code_first_traceable, 2);
  EXPECT_EQ(check(frame(1)), PythonPlace::Check::hidden);
  EXPECT_EQ(check(frame(2)), PythonPlace::Check::passed);
  EXPECT_EQ(check(frame(1, PYTHON_OF_GENERATOR)), PythonPlace::Check::passed);
}

TEST_F(CodeReaderTest, AnotherObjectAtTheAddressFails) {
  const python_frame before = frame(0);
  code_.put<uint64_t>(layout.code_name, file_.address());
  EXPECT_EQ(check(before), PythonPlace::Check::failed);
  code_.put<uint64_t>(layout.code_name, name_.address());
  code_.put<uint64_t>(python_object::kType, kTextType);
  EXPECT_EQ(check(before), PythonPlace::Check::failed);
}

TEST_F(CodeReaderTest, MemoryThatWasGivenBackFails) {
  code_.put<uint64_t>(0, 0);
  EXPECT_EQ(check(frame(0)), PythonPlace::Check::failed);
  code_.put<uint64_t>(0, file_.address());  // of the next free block
  EXPECT_EQ(check(frame(0)), PythonPlace::Check::failed);
  code_.put<uint64_t>(0, UINT32_MAX);  // immortal
  EXPECT_EQ(check(frame(0)), PythonPlace::Check::passed);
}

TEST_F(CodeReaderTest, WhatIsNotMappedFails) {
  python_frame nowhere = frame(0);
  nowhere.code = 8;
  EXPECT_EQ(check(nowhere), PythonPlace::Check::failed);
  nowhere = frame(0);
  nowhere.lines = 8;
  code_.put<uint64_t>(layout.code_lines, 8);
  EXPECT_EQ(check(nowhere), PythonPlace::Check::failed);
}

TEST_F(CodeReaderTest, InstructionsOutsideTheCodeFail) {
  EXPECT_EQ(check(frame(11)), PythonPlace::Check::failed);
  python_frame odd = frame(0);
  odd.instruction += 1;
  EXPECT_EQ(check(odd), PythonPlace::Check::failed);
  code_.put<uint64_t>(python_object::kSize, UINT64_MAX);
  EXPECT_EQ(check(frame(0)), PythonPlace::Check::failed);
}

TEST_F(CodeReaderTest, TextsThatAreNoneHaveAQuestionMark) {
  name_.put<uint64_t>(python_object::kType, kBytesType);
  file_.put<uint64_t>(python_object::kLength, UINT64_MAX);
  EXPECT_EQ(place(frame(0)).function, "?");
  EXPECT_EQ(place(frame(0)).file, "?");
  file_.put<uint64_t>(python_object::kLength, 0);
  EXPECT_EQ(place(frame(0)).file, "?");
}

TEST_F(CodeReaderTest, PlacesStayKnownWhenTheCodeHasGone) {
  CodeReader reader(static_cast<uint32_t>(getpid()), made_);
  const python_frame frames[] = {frame(0), frame(3)};
  for (const python_frame& frame : frames) reader.place(frame);
  code_.put<uint64_t>(0, 0);
  EXPECT_EQ(reader.place(frames[1]).line, 9u);
  EXPECT_EQ(reader.place(frame(4)).check, PythonPlace::Check::failed);
}

}  // namespace
}  // namespace aiflame::record
