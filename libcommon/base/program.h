// SPDX-License-Identifier: MIT
// What all programs do alike: messages start with the program's name, input and run-time failures
// exit with status 1, usage errors with 2.
#pragma once

#include <cstdarg>
#include <stdexcept>
#include <string>
#include <string_view>

#include "libcommon/base/printable.h"  // whoever quotes foreign text in a message

namespace aiflame {

inline constexpr const char* kVersion = "0.1.0";

// A run-time or input failure: `program: what()` on stderr, exit status 1.
// Text about an input starts with its place: "path:line: what".
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A mistake on the command line: `program: what(); try 'program --help'`, exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// printf into a std::string, for error texts.
[[gnu::format(printf, 1, 2)]] std::string format(const char* text, ...);

const char* program_name();

// One write(2) each, so that messages of the programs in a pipe do not mix. The text is printed
// through printable(), whatever it quotes; so is what run_program() prints.
[[gnu::format(printf, 1, 2)]] void say(const char* text, ...);   // program: text
[[gnu::format(printf, 1, 2)]] void warn(const char* text, ...);  // program: warning: text
[[gnu::format(printf, 1, 2)]] void hint(const char* text, ...);  // program: hint: text

// For filters in a pipe. Ctrl-C signals every program of the pipeline, but is meant for the
// recorder at its head, whose last output is still to be read. So this makes the program ignore the
// first SIGINT and end at the second. Does nothing unless standard input is a pipe.
void outlive_interrupt();

// Runs `body` and turns what it throws into a message and an exit status (`failure` for Error,
// `usage` for UsageError). Every main is one call of this.
int run_program(const char* name, int argc, char** argv, int (*body)(int argc, char** argv),
                int failure = 1, int usage = 2);

}  // namespace aiflame
