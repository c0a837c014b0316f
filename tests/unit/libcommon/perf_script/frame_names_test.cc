// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/frame_names.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

TEST(PerfFrames, WithoutParameters) {
  const char* cases[][2] = {
      {"main", "main"},
      {"run(float*)", "run"},
      {"mine::Scale<2>::run(float*) const", "mine::Scale<2>::run"},
      {"(anonymous namespace)::g(int)", "(anonymous namespace)::g"},
      {"a::(anonymous namespace)::g(int)", "a::(anonymous namespace)::g"},
      {"std::function<int (int, int)>::operator()(int, int) const",
       "std::function<int (int, int)>::operator()"},
      {"f<(E)1>(int)", "f<(E)1>"},
      {"decltype(auto) std::visit<f>(int)", "decltype(auto) std::visit<f>"},
      {"operator<(A, B)", "operator<"},
      {"operator<< <int>(A, B)", "operator<< <int>"},
      {"A::operator->() const", "A::operator->"},
      {"A::operator->*(int)", "A::operator->*"},
      {"A::operator bool() const", "A::operator bool"},
      {"my_operator<int>(int)", "my_operator<int>"},
      {"net/http.(*Client).Do", "net/http.(*Client).Do"},
      {"v8::Call(v8::Handle<v8::in", "v8::Call"},
      {"std::map<int, f(x", "std::map<int, f"},
      {"a<b(c", "a<b"},
      {"x>y(z)", "x>y"},
      {"", ""},
      {"(", ""},
      {"((((((((", ""},
  };
  for (const auto& [name, expected] : cases) EXPECT_EQ(without_parameters(name), expected) << name;
}

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
}

TEST(PerfFrames, JavaNamesAreTidied) {
  const char* line = "  7f12 Lorg/x/A;.<init>(Ljava/lang/Object;)V (/tmp/perf-1.map)";
  EXPECT_EQ(fold_frame(line, "java", "", FrameRules()), "org/x/A:.<init>");
  EXPECT_EQ(fold_frame(line, "other", "", FrameRules()), "Lorg/x/A:.<init>");
}

TEST(PerfFrames, PythonFramesOfAnAgent) {
  FrameRules rules;
  rules.kernel = true;
  EXPECT_EQ(fold_frame("\t0 py::forward:/home/u/model.py:12 ([python])", "python3", "", rules),
            "py::forward:/home/u/model.py:12");
  // names of files may be anything
  for (const char* name : {"py::f:/a (copy).py:1", "py::f:/a->b.py:2", "py::f:/it's \"a\".py:3",
                           "py::f:/x+0x5:4", "py::f:([python]):?", "py::<lambda>:<stdin>:6"})
    EXPECT_EQ(fold_frame(std::string("               0 ") + name + " ([python])", "app", "", {}),
              name);
  EXPECT_EQ(fold_frame("               0 py::f:/a;b.py:1 ([python])", "app", "", {}),
            "py::f:/a:b.py:1");
  EXPECT_EQ(fold_frame("               0 [unknown] ([python])", "app", "", {}), "[[python]]");
}

TEST(PerfFrames, FoldedText) {
  EXPECT_EQ(folded_text("a;b\nc\x7f"), "a:b\\012c\\177");
}

}  // namespace
}  // namespace aiflame
