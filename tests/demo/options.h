// SPDX-License-Identifier: MIT
// Steps through the options of a command line.
#pragma once

#include <getopt.h>

#include <stdexcept>
#include <string>

namespace demo {

// The next option of a command line, as getopt_long(3) returns it; -1 at the end. Throws
// std::invalid_argument for an unknown option, and for an argument that is not an option.
inline int next_option(int argc, char** argv, const option* options, const char* program) {
  const int choice = getopt_long(argc, argv, "", options, nullptr);
  if (choice == '?') throw std::invalid_argument(std::string("try '") + program + " --help'");
  if (choice < 0 && optind < argc)
    throw std::invalid_argument(std::string("unexpected '") + argv[optind] + "'");
  return choice;
}

}  // namespace demo
