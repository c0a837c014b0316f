// SPDX-License-Identifier: MIT
#include "libcommon/device/short_name.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace aiflame {
namespace {

void expect_short(std::initializer_list<std::pair<const char*, const char*>> cases) {
  for (const auto& [name, expected] : cases) EXPECT_EQ(short_name(name), expected) << name;
}

TEST(ShortName, ResultsAndParametersGo) {
  expect_short({
      {"", ""},
      {"plain", "plain"},
      {"my kernel", "my kernel"},
      {"copy(float*, int)", "copy"},
      {"foo (int)", "foo"},
      {"void a::b::run<int>(float*) const", "a::b::run<int>"},
      {"std::enable_if<(((8)>(0)))&&v::has<c10::BFloat16>::exists, void>::type v::norm<8>(int)",
       "v::norm<8>"},
      {"decltype(auto) f<int>(int)", "f<int>"},
      {"a::operator<(b)", "a::operator<"},
      {"a::operator unsigned int() const", "a::operator unsigned int"},
      {"operator new(unsigned long)", "operator new"},
      {"std::function<int (int)>::operator()(int) const", "std::function<int(int)>::operator()"},
      {"cudapy::__main__::f$241[abi:v1](Array<float, 1, C, mutable, aligned>)",
       "cudapy::__main__::f$241"},
      {"f(int) [clone .kd]", "f"},
  });
}

TEST(ShortName, NamespacesOfTypesGo) {
  expect_short({
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, "
       "at::detail::Array<char*, 1> >(int, at::native::FillFunctor<int>)",
       "at::native::vectorized_elementwise_kernel<4, FillFunctor<int>, Array<char*, 1>>"},
      {"(anonymous namespace)::f", "f"},
      {"void std::__cxx11::f<sycl::_V1::a, (b::C)3, (bool)1, (int)4, 2ul, -1>(int)",
       "std::f<a, 3, true, 4, 2, -1>"},
      {"void f<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
       "std::vector<int, std::allocator<int> > >()",
       "f<string, vector<int>>"},
      {"void t::f<t::ptr<const float>, const int &, a::B<int>::C, unsigned long const*>()",
       "t::f<ptr<float const>, int const&, B<int>::C, unsigned long const*>"},
      {"void k<&(void a::f<int>(float*)), &a::g>(int)", "k<&(f<int>), &g>"},
  });
}

TEST(ShortName, LambdasKeepTheirNumberAndParameters) {
  expect_short({
      {"main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) "
       "const::{lambda(sycl::_V1::item<1>)#2}",
       "main::{lambda(handler&)#1}::{lambda(item<1>)#2}"},
      {"auto foo(T)::{lambda(int)#1}::operator()(int) const", "foo::{lambda(int)#1}"},
      {"auto foo(T)::{lambda(float)#1}::operator()(float) const", "foo::{lambda(float)#1}"},
      {"main::'lambda'(int)::operator()(int) const", "main::{lambda(int)#1}"},
      {"main::'lambda0'(int)::operator()(int) const", "main::{lambda(int)#2}"},
      {"main::$_0::operator()() const", "main::$_0::operator()"},
  });
}

TEST(ShortName, PrettyFunctions) {
  expect_short({
      {"void run(T*) [with T = at::Foo<int>; U = std::vector<int, std::allocator<int> >]",
       "run [T = Foo<int>, U = vector<int>]"},
      {"void run(T *) [T = float]", "run [T = float]"},
  });
}

// as libiberty and NVIDIA's tools print one kernel of PyTorch
TEST(ShortName, SpellingsMakeNoDifference) {
  const char* spellings[] = {
      "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
      "at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#4}::operator()() "
      "const::{lambda(long)#1}, std::array<char*, 2ul>, 4, TrivialOffsetCalculator<1, unsigned "
      "int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::LoadWithCast<1>, "
      "at::native::memory::StoreWithCast<1> >(int)",
      "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
      "at::TensorIteratorBase &)::[lambda() (instance 3)]::operator ()() const::[lambda() "
      "(instance 4)]::operator ()() const::[lambda(long) (instance 1)], std::array<char *, "
      "(unsigned long)2>, (int)4, TrivialOffsetCalculator<(int)1, unsigned int>, "
      "TrivialOffsetCalculator<(int)1, unsigned int>, at::native::memory::LoadWithCast<(int)1>, "
      "at::native::memory::StoreWithCast<(int)1>>(int, T1, T2, T4, T5, T6, T7)"};
  for (const char* name : spellings)
    EXPECT_EQ(short_name(name),
              "at::native::unrolled_elementwise_kernel<direct_copy_kernel_cuda::{lambda}, "
              "array<char*, 2>, 4, ...>#f994ee");
}

TEST(ShortName, LongNamesAreCutAndStayApart) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    std::string arguments;
    for (int k = 0; k < 30; ++k) arguments += "ns::Argument<" + std::to_string(k) + ">, ";
    const std::string name = "void gemm<" + arguments + std::to_string(i) + ">(int)";
    const std::string is = short_name(name);
    EXPECT_LE(is.size(), kLongestShortName);
    EXPECT_TRUE(is.starts_with("gemm<Argument<0>, Argument<1>, ")) << is;
    EXPECT_TRUE(seen.insert(is).second) << is;
    EXPECT_EQ(is, short_name(name));
  }
  const std::string word(500, 'k');
  EXPECT_EQ(short_name(word), std::string(110, 'k') + "...#" + short_name(word).substr(114));
  EXPECT_NE(short_name(word), short_name(word + "l"));
  EXPECT_EQ(short_name(std::string(kLongestShortName, 'k')), std::string(kLongestShortName, 'k'));
  // not in the middle of a letter
  std::string letters;
  while (letters.size() < 200) letters += "\xc3\xbc";
  EXPECT_EQ(short_name("x" + letters).find("\xc3..."), std::string::npos);
}

TEST(ShortName, NamesThatFollowNoGrammar) {
  expect_short({
      {"net/http.(*Client).Do", "net/http.(*Client).Do"},
      {"[unknown kernel]", "[unknown kernel]"},
      {"a<b", "a<b"},
      {"x)", "x)"},
      {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD"},
      {"core::slice::<impl [T]>::len", "core::slice::<impl [T]>::len"},
      {"v8::Call(v8::Handle<v8::in", "v8::Call"},
  });
}

TEST(ShortName, BlanksInFront) {
  EXPECT_EQ(short_name("  f(int)"), "f");
  EXPECT_LE(short_name(" (<" + std::string(200, ' ') + "x").size(), kLongestShortName);
  EXPECT_LE(short_name(std::string(20, ' ') + "d" + std::string(200, 'E')).size(),
            kLongestShortName);
}

// Whatever comes, it ends soon, and in few bytes.
TEST(ShortName, HostileNames) {
  const char* const kPieces[] = {"<",      ">",          "(",     ")",        "[",  "]",
                                 "{",      "}",          "::",    "operator", " ",  ",",
                                 "lambda", "'",          "const", "&",        "*",  "#1",
                                 "a",      "[with T = ", "(int)", "4ul",      "->", "basic_string",
                                 "\xc3",   " = ",        ";"};
  uint32_t random = 1;
  for (int round = 0; round < 5000; ++round) {
    std::string name;
    for (int i = 0; i < round % 40; ++i) {
      random = random * 1664525 + 1013904223;
      name += kPieces[(random >> 16) % std::size(kPieces)];
    }
    EXPECT_LE(short_name(name).size(), kLongestShortName) << name;
  }
  for (const char* piece : {"<", "(", "a<", "f(", "{lambda(", "[", "&", "a::", "operator", "(a)",
                            " [", "&(", "a<b, "}) {
    std::string name = "f<";
    while (name.size() < size_t{2} << 10) name += piece;
    EXPECT_LE(short_name(name).size(), kLongestShortName) << piece;
    std::string closed = name;
    for (size_t i = name.size(); i-- > 0;)
      if (const size_t at = std::string("<([{").find(name[i]); at != std::string::npos)
        closed += ">)]}"[at];
    EXPECT_LE(short_name(closed).size(), kLongestShortName) << piece;
    EXPECT_LE(short_name("void f<" + closed + ">()").size(), kLongestShortName) << piece;
  }
}

}  // namespace
}  // namespace aiflame
