// SPDX-License-Identifier: MIT
// Runs stackcollapse-aiflame on one file, as its main() does. An Error is an allowed result. A
// crash, a hang, an "internal" error and a sample that the statistics do not count are bugs.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/base/utf8.h"
#include "tools/stackcollapse-aiflame/collapse.h"

namespace aiflame::fuzz {

using namespace collapse;

// The settings that exercise most code.
inline Settings all_settings() {
  Settings settings;
  settings.frames.kernel = settings.frames.jit = settings.frames.addresses = true;
  settings.frames.pid = settings.frames.tid = true;
  settings.cpu = true;
  settings.device.levels = parse_levels("file,kernel,function,line,mnemonic,reason,offset");
  return settings;
}

// Returns the error's message, or nothing.
inline std::string collapse_file(const std::string& path, Settings settings) {
  try {
    Collapse collapse(std::move(settings));
    collapse.read(path);
    Output out("/dev/null");
    collapse.write(out);
    out.close();
    const Statistics& told = collapse.statistics();
    told.line();
    const std::string json = told.json();
    for (std::string_view rest = json; !rest.empty();) {
      const std::string_view before = rest;
      if (take_code_point(rest) == kReplacement && before.size() - rest.size() == 1) abort();
    }
    for (const auto& [event, counts] : told.device)
      if (counts.samples !=
          counts.exact + counts.apportioned + counts.presumed + counts.unattributed)
        abort();
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find("internal") != std::string::npos) abort();
    return message.empty() ? "an error without a message" : message;
  }
  return "";
}

}  // namespace aiflame::fuzz
