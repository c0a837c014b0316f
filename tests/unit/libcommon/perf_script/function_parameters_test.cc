// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/function_parameters.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace aiflame {
namespace {

TEST(FunctionParameters, AreLeftOut) {
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

void expect(std::initializer_list<std::pair<const char*, const char*>> cases) {
  for (const auto& [name, expected] : cases) EXPECT_EQ(without_parameters(name), expected) << name;
}

// As libiberty writes them with and without parameters, and as LLVM does.
TEST(FunctionParameters, OfLocalEntitiesEndTheName) {
  expect({
      {"app::Engine::step(int)::{lambda(double)#1}::operator()(double) const",
       "app::Engine::step(int)::{lambda(double)#1}::operator()"},
      {"app::Engine::step(int)::{lambda(double)#1}::operator()",
       "app::Engine::step(int)::{lambda(double)#1}::operator()"},
      {"main::{lambda(double, double)#1}", "main::{lambda(double, double)#1}"},
      {"main::{lambda()#1}::_FUN()", "main::{lambda()#1}::_FUN"},
      {"main::{lambda(int)#1}::operator void (*)(int)() const",
       "main::{lambda(int)#1}::operator void (*)(int)"},
      {"app::freefn(double, int)::Local::run(int) const", "app::freefn(double, int)::Local::run"},
      {"A::f(int) const::Local::g() &&", "A::f(int) const::Local::g"},
      {"A::f[abi:cxx11](int) const::{lambda()#2}::operator()() const",
       "A::f[abi:cxx11](int) const::{lambda()#2}::operator()"},
      {"f(void (*)(int))::{unnamed type#1}::g(int)", "f(void (*)(int))::{unnamed type#1}::g"},
      {"f(int)::{lambda(auto:1&&)#1}::operator()<int>(int&&) const::{lambda()#1}::operator()() "
       "const",
       "f(int)::{lambda(auto:1&&)#1}::operator()<int>(int&&) const::{lambda()#1}::operator()"},
      {"main::$_0::operator()(int) const", "main::$_0::operator()"},
      {"f(int)::$_0::operator()(int) const [clone .constprop.0]", "f(int)::$_0::operator()"},
      {"main::'lambda'(double)::operator()(double) const", "main::'lambda'(double)::operator()"},
      {"main::'lambda0'(int)", "main::'lambda0'(int)"},
      {"(anonymous class)::operator()(int) const", "(anonymous class)::operator()"},
      {"f(int)::(anonymous class)::operator()(int) const", "f(int)::(anonymous class)::operator()"},
  });
}

TEST(FunctionParameters, OtherParenthesesStay) {
  expect({
      {"void exec<void (*)()>(void (*)())", "void exec<void (*)()>"},
      {"void (*choose<int>(char))(double)", "void (*choose<int>(char))"},
      {"float __vector(4) f<int>(int)", "float __vector(4) f<int>"},
      {"decltype ((f)(x)) g<int>(int)", "decltype ((f)(x)) g<int>"},
      {"f(int) [clone .constprop.0]", "f"},
      {"f(int) (.cold)", "f"},
      {"foo[abi:cxx11](std::string)", "foo[abi:cxx11]"},
      {"operator new[](unsigned long)", "operator new[]"},
      {"-[NSString(Extras) trimmed]", "-[NSString(Extras) trimmed]"},
      {"(LAMBDA (X) :IN FOO)", "(LAMBDA (X) :IN FOO)"},
      {"(wrapper runtime-invoke) object:f (object,intptr)", "(wrapper runtime-invoke) object:f"},
      {"System.String:Concat (string,string)", "System.String:Concat"},
      {"void [app] Program::Main(string[])[OptimizedTier1]", "void [app] Program::Main"},
      {"<fn(u8) -> u8 as Trait>::f", "<fn(u8) -> u8 as Trait>::f"},
      {"rs::main::{{closure}}", "rs::main::{{closure}}"},
  });
}

// Whatever the name, the result is its beginning; and names with many brackets take no long time.
TEST(FunctionParameters, AnyBytes) {
  constexpr const char* kPieces[] = {"(",  ")", "<",  ">",      "[",   "]",
                                     "{",  "}", "::", " const", "*",   "operator",
                                     "->", "a", " ",  "'",      "(*)", "decltype"};
  std::mt19937 random(1);
  for (unsigned i = 0; i < 20000; ++i) {
    std::string name;
    for (auto n = random() % 16; n > 0; --n) name += kPieces[random() % std::size(kPieces)];
    EXPECT_TRUE(std::string_view(name).starts_with(without_parameters(name))) << name;
  }
  for (const char* piece : {"[", "{", "(*)", "f()::", "(a", "<(", "a) const"}) {
    std::string name;
    while (name.size() < 1000000) name += piece;
    EXPECT_LE(without_parameters(name).size(), name.size());
  }
}

}  // namespace
}  // namespace aiflame
