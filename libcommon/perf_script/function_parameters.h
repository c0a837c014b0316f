// SPDX-License-Identifier: MIT
// Where a function's name ends and its parameters begin, for C++ names as demanglers write them and
// for what other languages' names have in brackets (pure).
#pragma once

#include <cstddef>
#include <string_view>

namespace aiflame {

// A function's name without its parameters: `run` for `run(float*)`. What these names have in
// parentheses is not the function's own parameters, and stays:
//
//   main::{lambda(int)#1}::operator()     a lambda, and the operator's name
//   Engine::step(int)::Local::run         a function of a function's local class
//   (anonymous namespace)::f, decltype(auto) f, std::function<int (int)>::f
//   void (*choose<int>(char))             a function that returns a pointer to a function
//   net/http.(*Client).Do                 Go
//   (wrapper managed-to-native) object:f  Mono; (LAMBDA (X) :IN F) of SBCL
//   -[NSString(Extras) trimmed]           Objective-C
std::string_view without_parameters(std::string_view name);

// The length of an operator's name at `at`, with its sign: `operator->*`, `operator()`; 0 where
// there is none.
size_t operator_length(std::string_view name, size_t at);

}  // namespace aiflame
