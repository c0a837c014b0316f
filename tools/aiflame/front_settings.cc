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
    "  aiflame record -- ./app     writes app.svg; gpustall-record --help has RECORD-OPTIONs\n";

// The options of gpustall-record that take no value. All others take the next word, or what follows
// a '='; tests/cli/aiflame.bats compares this list with gpustall-record --help.
constexpr std::string_view kRecorderFlags[] = {"-h",
                                               "--help",
                                               "--version",
                                               "-a",
                                               "--all",
                                               "--print-env",
                                               "--list",
                                               "--ranges",
                                               "--memory",
                                               "--energy",
                                               "--overwrite",
                                               "--redact",
                                               "--switch-output",
                                               "--timestamp-filename",
                                               "--no-sandbox",
                                               "--buildid-cache"};

bool takes_next_word(std::string_view option) {
  const bool is_long = option.starts_with("--");
  if (is_long ? option.find('=') != option.npos : option.size() > 2) return false;
  return std::find(std::begin(kRecorderFlags), std::end(kRecorderFlags), option) ==
         std::end(kRecorderFlags);
}

// The value of option `name` (-p) or `long_name` (--pid) at words[i], in any of its forms: -p 1,
// -p1, --pid 1, --pid=1. Nothing if another option is there.
std::optional<std::string> value_of(std::string_view name, std::string_view long_name,
                                    const std::vector<std::string>& words, size_t i) {
  const std::string_view word = words[i];
  if (word == name || word == long_name) {
    if (i + 1 == words.size())
      throw UsageError(format("option '%s' needs a value", long_name.data()));
    return words[i + 1];
  }
  if (word.starts_with("--")) {
    if (!word.starts_with(long_name) || word.substr(long_name.size(), 1) != "=")
      return std::nullopt;
    return std::string(word.substr(long_name.size() + 1));
  }
  if (!word.starts_with(name)) return std::nullopt;
  return std::string(word.substr(name.size()));
}

// `aiflame record -o app.svg -F 500 ./app -o its.own`: what is this program's own stands among the
// recorder's options, up to the command.
void parse_record(const std::vector<std::string>& words, Settings& settings) {
  size_t i = 0;
  for (; i < words.size() && words[i].starts_with('-') && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    const bool has_next = takes_next_word(word) && i + 1 < words.size();
    if (word == "--open") {
      settings.open = true;
    } else if (word == "--print") {
      settings.print = true;
    } else if (const auto output = value_of("-o", "--output", words, i)) {
      settings.output = *output;
      i += has_next ? 1 : 0;
    } else if (word == "--list" || word == "--print-env") {
      throw UsageError(
          format("%s draws nothing; call gpustall-record %s", word.c_str(), word.c_str()));
    } else {
      if (const auto pid = value_of("-p", "--pid", words, i)) settings.pid = *pid;
      settings.record.push_back(word);
      if (has_next) settings.record.push_back(words[++i]);
    }
  }
  if (i < words.size() && words[i] == "--") ++i;
  settings.command.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
}

// The place of the word `record`, behind which another program has options; argc if there is none.
int find_record(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "record") return i;
    if (word == "-o" || word == "--output") ++i;
    if (word.empty() || word.front() != '-' || word == "--") break;
  }
  return argc;
}

// --help or --version among the recorder's options: `aiflame record --help`. nullptr if there is
// none.
char* find_help(int argc, char** argv, int record) {
  for (int i = record + 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-h" || word == "--help" || word == "--version") return argv[i];
    if (word == "--" || !word.starts_with('-')) break;
    if (takes_next_word(word)) ++i;
  }
  return nullptr;
}

}  // namespace

std::optional<Settings> parse_settings(int argc, char** argv) {
  Settings settings;
  Options options(Options::Style::gnu, kSynopsis, kAbout, kEpilogue);
  options.text(
      "output,o", settings.output, "FILE",
      "the picture, '-' for standard output; default: named after the file or the program, in "
      "this directory");
  options.flag("open", settings.open, "show the picture with xdg-open");
  options.flag("print", settings.print, "say which pipe is run");
  const int record = find_record(argc, argv);
  const bool records = record < argc;
  std::vector<std::string> words;
  if (records)
    options.command(words);
  else
    options.operands(words);
  char* for_help[] = {argv[0], find_help(argc, argv, record), nullptr};
  const bool wants_help = for_help[1] != nullptr;
  if (!options.parse(wants_help ? 2 : argc, wants_help ? for_help : argv)) return std::nullopt;
  if (words.empty()) throw UsageError("which file?");
  if (records) {
    settings.task = Settings::Task::record;
    parse_record({words.begin() + 1, words.end()}, settings);
    if (settings.record.empty() && settings.command.empty())
      throw UsageError("record what? 'aiflame record -- COMMAND'");
  } else if (words.front() == "diff") {
    settings.task = Settings::Task::compare;
    settings.files.assign(words.begin() + 1, words.end());
    if (settings.files.size() != 2) throw UsageError("'diff' compares two files");
  } else {
    settings.files = std::move(words);
  }
  if (std::count(settings.files.begin(), settings.files.end(), "-") > 1)
    throw UsageError("'-' is standard input, which can be read once");
  if (settings.open && settings.output == "-")
    throw UsageError("--open shows a file: not with -o -");
  return settings;
}

}  // namespace aiflame::front
