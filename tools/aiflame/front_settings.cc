// SPDX-License-Identifier: MIT
#include "tools/aiflame/front_settings.h"

#include <algorithm>
#include <string_view>

#include "libcommon/base/options.h"
#include "libcommon/base/program.h"

namespace aiflame::front {
namespace {

constexpr const char* kSynopsis =
    "[OPTION]... FILE...\n"
    "       aiflame [OPTION]... diff BEFORE AFTER\n"
    "       aiflame [OPTION]... record [RECORD-OPTION]... -- COMMAND [ARGUMENT]...";
constexpr const char* kAbout =
    "Draws a file, the difference of two files, or a program while it runs. Each file's kind is "
    "known "
    "by its first bytes; the programs that fold and draw it are run as a pipe.";
constexpr const char* kEpilogue =
    "Example:\n"
    "  aiflame trace.json.gz       writes trace.svg\n"
    "  aiflame record -- ./app     writes app.svg\n";

// `aiflame record -o app.svg -p 4711`: what is this program's own stands among what is the
// recorder's, up to the command.
void parse_record(const std::vector<std::string>& words, Settings& settings) {
  bool in_command = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    in_command = in_command || word == "--";
    if (!in_command && word == "--open") {
      settings.open = true;
    } else if (!in_command && word == "--print") {
      settings.print = true;
    } else if (!in_command && (word == "-o" || word == "--output")) {
      if (++i == words.size()) throw UsageError("option '--output' needs a value");
      settings.output = words[i];
    } else {
      settings.record.push_back(word);
    }
  }
}

}  // namespace

std::optional<Settings> parse_settings(int argc, char** argv) {
  Settings settings;
  Options options(Options::Style::gnu, kSynopsis, kAbout, kEpilogue);
  options.text("output,o", settings.output, "FILE",
               "the picture; default: named after the file or the program, in this directory");
  options.flag("open", settings.open, "show the picture with xdg-open");
  options.flag("print", settings.print, "say which pipe is run");
  // `record` has options of another program behind it
  const bool records = argc > 1 && [&] {
    for (int i = 1; i < argc; ++i) {
      const std::string_view word = argv[i];
      if (word == "record") return true;
      if (word == "-o" || word == "--output") ++i;
      if (word.empty() || word.front() != '-' || word == "--") return false;
    }
    return false;
  }();
  std::vector<std::string> words;
  if (records)
    options.command(words);
  else
    options.operands(words);
  if (!options.parse(argc, argv)) return std::nullopt;
  if (words.empty()) throw UsageError("which file?");
  if (records) {
    settings.task = Settings::Task::record;
    parse_record({words.begin() + 1, words.end()}, settings);
    if (settings.record.empty()) throw UsageError("record what? 'aiflame record -- COMMAND'");
  } else if (words.front() == "diff") {
    settings.task = Settings::Task::compare;
    settings.files.assign(words.begin() + 1, words.end());
    if (settings.files.size() != 2) throw UsageError("'diff' compares two files");
  } else {
    settings.files = std::move(words);
  }
  if (std::count(settings.files.begin(), settings.files.end(), "-") > 1)
    throw UsageError("'-' is standard input, which can be read once");
  return settings;
}

}  // namespace aiflame::front
