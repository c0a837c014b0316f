// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/frame_names.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(PerfFrames, RootFrame) {
  FrameRules rules;
  EXPECT_EQ(root_frame("V8 Worker", true, 5, 6, rules), "V8_Worker");
  EXPECT_EQ(root_frame("a;b", true, 5, 6, rules), "a:b");
  rules.pid = true;
  EXPECT_EQ(root_frame("a", true, 5, 6, rules), "a-5");
  EXPECT_EQ(root_frame("a", false, 6, 6, rules), "a-?");
  rules.tid = true;
  EXPECT_EQ(root_frame("a", false, 6, 6, rules), "a-?/6");
  EXPECT_EQ(root_frame("a", true, 5, 6, rules), "a-5/6");
  EXPECT_EQ(root_frame("", true, 5, 6, rules), "?-5/6");
  EXPECT_EQ(root_frame("", true, 5, 6, {}), "");
}

TEST(PerfFrames, UnknownSymbols) {
  FrameRules rules;
  EXPECT_EQ(fold_frame("  7f12 [unknown] (/lib/libc.so (deleted))", "a", "", rules), "[libc.so]");
  EXPECT_EQ(fold_frame("  7f12 [unknown] ([unknown])", "a", "", rules), "[unknown]");
  EXPECT_EQ(fold_frame("  7f12 (/lib/libc.so)", "a", "", rules), "[libc.so]");
  rules.addresses = true;
  EXPECT_EQ(fold_frame("  7f12 [unknown] (/lib/libc.so)", "a", "", rules), "[libc.so <7f12>]");
}

TEST(PerfFrames, OldProcessNamesAreNoFrames) {
  EXPECT_EQ(fold_frame("  7f12 (java) (/lib/libc.so)", "a", "", FrameRules()), "");
  EXPECT_EQ(fold_frame("  7f12 (V8 Worker) (/lib/libc.so)", "a", "", FrameRules()), "");
}

TEST(PerfFrames, SymbolsInParentheses) {
  const auto folded = [](const char* symbol, const char* object) {
    return fold_frame(std::string("\t7f12 ") + symbol + " (" + object + ")", "a", "", {});
  };
  EXPECT_EQ(folded("(LAMBDA (X) :IN FOO)+0x10", "/tmp/perf-1.map"), "(LAMBDA (X) :IN FOO)");
  EXPECT_EQ(folded("(LAMBDA (X) :IN FOO)", "/usr/lib/sbcl.core"), "(LAMBDA (X) :IN FOO)");
  EXPECT_EQ(folded("(SETF CAR)", "/tmp/perf-1.map"), "(SETF CAR)");
  EXPECT_EQ(folded("(anonymous)+0x1", "/usr/bin/node"), "(anonymous)");
  EXPECT_EQ(folded("(FLET A->B :IN STRING->NUMBER)+0x1", "/tmp/perf-1.map"),
            "(FLET A->B :IN STRING->NUMBER)");
  EXPECT_EQ(folded("(wrapper managed-to-native) object:f (intptr,intptr)+0x10", "/tmp/perf-1.map"),
            "(wrapper managed-to-native) object:f");
}

TEST(PerfFrames, ArrowsOfNamesAreNoChain) {
  const auto folded = [](const char* symbol) {
    return fold_frame(std::string("\t7f12 ") + symbol + "+0x1 (/x)", "a", "", {});
  };
  EXPECT_EQ(folded("outer->inner"), "outer;inner_[i]");
  EXPECT_EQ(folded("A::operator->"), "A::operator->");
  EXPECT_EQ(folded("<fn() -> u8 as core::ops::FnOnce<()>>::call_once"),
            "<fn() -> u8 as core::ops::FnOnce<()>>::call_once");
  EXPECT_EQ(folded("f(decltype(a->b))"), "f");
}

TEST(PerfFrames, StubsKeepTheirMark) {
  EXPECT_EQ(fold_frame("\t7f12 operator new(unsigned long)@plt+0x1 (/x)", "a", "", {}),
            "operator new@plt");
  EXPECT_EQ(fold_frame("\t7f12 malloc@plt+0x1 (/x)", "a", "", {}), "malloc@plt");
}

TEST(PerfFrames, FramesWithoutAnObject) {
  EXPECT_EQ(fold_frame("\t  401146 work(int)+0x16", "a", "", {}), "work");
  EXPECT_EQ(fold_frame("\t  401146 f<void (int)>(int)+0x16", "a", "", {}), "f<void (int)>");
  EXPECT_EQ(fold_frame("\t  401146", "a", "", {}), "[unknown]");
  EXPECT_EQ(fold_frame("\t  401146 [unknown] (/lib/x.so+0x1a2)", "a", "", {}), "[x.so]");
}

TEST(PerfFrames, JavaNamesAreTidied) {
  const char* line = "  7f12 Lorg/x/A;.<init>(Ljava/lang/Object;)V (/tmp/perf-1.map)";
  EXPECT_EQ(fold_frame(line, "java", "", FrameRules()), "org/x/A:.<init>");
  EXPECT_EQ(fold_frame(line, "other", "", FrameRules()), "Lorg/x/A:.<init>");
}

TEST(PerfFrames, PythonFramesOfAnAgent) {
  FrameRules rules;
  rules.kernel = true;
  const auto folded = [&](const char* name) {
    return fold_frame(std::string("\t0 ") + name + " ([python])", "python3", "", rules);
  };
  // two lines of a function are one frame
  for (const char* name : {"py::forward:/home/u/model.py:12", "py::forward:/home/u/model.py:13"})
    EXPECT_EQ(folded(name), "py::forward:model.py");
  EXPECT_EQ(folded("py::<module>:/home/u/model.py:?"), "py::<module>:model.py");
  // the line is all that tells these apart
  EXPECT_EQ(folded("py::train.<locals>.<lambda>:/u/a.py:7"), "py::train.<locals>.<lambda>:a.py:7");
  EXPECT_EQ(folded("py::f.<locals>.g:/u/a.py:7"), "py::f.<locals>.g:a.py");
  EXPECT_EQ(folded("py::<listcomp>:/u/a.py:8"), "py::<listcomp>:a.py:8");
  EXPECT_EQ(folded("py::init:/lib/torch/nn/__init__.py:8"), "py::init:nn/__init__.py");
  EXPECT_EQ(folded("py::init:/__init__.py:8"), "py::init:/__init__.py");
  EXPECT_EQ(folded("py::init:__main__.py:8"), "py::init:__main__.py");
  EXPECT_EQ(folded("py::f"), "py::f");
  EXPECT_EQ(folded("py::f:8"), "py::f:8");
  EXPECT_EQ(folded("py::"), "py::");
  EXPECT_EQ(folded("py:::"), "py:::");
  EXPECT_EQ(folded("py::::"), "py:::");
  rules.lines = true;
  EXPECT_EQ(folded("py::forward:/home/u/model.py:12"), "py::forward:model.py:12");
  rules.full_paths = true;
  EXPECT_EQ(folded("py::forward:/home/u/model.py:12"), "py::forward:/home/u/model.py:12");
  // names of files may be anything
  for (const char* name : {"py::f:/a (copy).py:1", "py::f:/a->b.py:2", "py::f:/it's \"a\".py:3",
                           "py::f:/x+0x5:4", "py::f:([python]):?", "py::<lambda>:<stdin>:6"})
    EXPECT_EQ(folded(name), name);
  EXPECT_EQ(folded("py::f:/a;b.py:1"), "py::f:/a:b.py:1");
  // what perf itself has named stays as it is, as in stackcollapse-perf.pl
  EXPECT_EQ(fold_frame("\t5 py::f:/x/a.py+0xb (/tmp/perf-7.map)", "python3", "", FrameRules()),
            "py::f:/x/a.py");
  EXPECT_EQ(fold_frame("               0 [unknown] ([python])", "app", "", {}), "[[python]]");
  EXPECT_EQ(fold_frame("\t0 aten::mm, seq = 5, op_id = 7 ([nvtx])", "app", "", {}), "aten::mm_[o]");
  EXPECT_EQ(fold_frame("\t0 aten::mm, op_id = 7 ([itt])", "app", "", {}), "aten::mm_[o]");
  EXPECT_EQ(fold_frame("\t0 decode #7 ([roctx])", "app", "", {}), "decode #7_[r]");
  EXPECT_EQ(fold_frame("\t0 step (a;b)->c ([nvtx])", "app", "", {}), "step (a:b)->c_[r]");
}

// Agents name API functions without an address, and marks.
TEST(PerfFrames, AgentsObjectsAreNotTheSystemsKernel) {
  FrameRules rules;
  rules.kernel = true;
  for (const char* object : {"[cuda]", "[level-zero]", "[opencl]"})
    EXPECT_EQ(fold_frame(std::string("\t0 launch (") + object + ")", "app", "", rules), "launch");
  EXPECT_EQ(fold_frame("\t0 launch ([nvidia_uvm])", "app", "", rules), "launch_[k]");
}

TEST(PerfFrames, FoldedText) {
  EXPECT_EQ(folded_text("a;b\nc\x7f"), "a:b\\012c\\177");
}

}  // namespace
}  // namespace aiflame
