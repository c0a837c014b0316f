// SPDX-License-Identifier: MIT
// What is said about the launches of a kernel, with its frame: page/launches.js shows it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/folded/launch_fact.h"

namespace aiflame::svg {

// Lines of text, by the name of the kernel's frame: "multiply_basic_[G]".
using LaunchTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

// Of a kernel with several sizes, those with the most launches.
LaunchTexts launch_texts(const LaunchFacts& facts, LaunchWords words);

// folded(5)'s lines of them, for whoever copies the stacks of a kernel: as many as fit a megabyte.
std::vector<std::string> launch_lines(const LaunchFacts& facts);

// The elements with these texts and lines; empty when there are none.
std::string launches_element(const LaunchTexts& texts, const std::vector<std::string>& facts);

}  // namespace aiflame::svg
