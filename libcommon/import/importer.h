// SPDX-License-Identifier: MIT
// What the programs stackcollapse-SOURCE do alike: their common options, the least rights, the
// statistics line and --stats.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/options.h"
#include "libcommon/folded/range_choice.h"
#include "libcommon/import/imported_names.h"
#include "libcommon/import/imported_stacks.h"
#include "libcommon/process/sandbox.h"

namespace aiflame {

struct ImportSettings {
  std::vector<std::string> inputs;  // "-": standard input
  std::string stats;                // --stats FILE
  NameRules names;
  RangeChoice by_range;  // --by-range; import_stacks() throws Error if it names no range
  bool no_sandbox = false;
};

// Declares the operands and --stats, --full-names, --no-sandbox; a program adds the others that it
// has a use for. After parse(), no operand means standard input.
void add_import_options(Options& options, ImportSettings& settings);
// --full-paths and --srcline
void add_source_options(Options& options, NameRules& names);

// "RANK,THREAD" as texts; empty ones are left out.
std::vector<std::string> comma_list(std::string_view list);

// Gives up rights, calls read(path, stacks) for each input, and writes the stacks and statistics.
// `more_files`: others that may be opened. `more`: rights besides files; who may load libraries may
// open any file. Returns the exit status.
using ReadImport = std::function<void(const std::string& path, ImportedStacks& stacks)>;
int import_stacks(const ImportSettings& settings, const ReadImport& read,
                  const std::vector<std::string>& more_files = {}, const Rights& more = {});

// The one warning of an input that is cut. `place`: "path", or "path:line" of the first line that
// is not used.
void warn_of_cut(const std::string& place);

}  // namespace aiflame
