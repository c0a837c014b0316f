// SPDX-License-Identifier: MIT
// Command-line options: one declaration gives the parser and the text of --help. The only user of
// Boost.ProgramOptions. --help and --version are part of every program.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

class Options {
 public:
  enum class Style {
    // `--name value`, `--name=value`, `-n value`; names are never guessed.
    gnu,
    // Perl's Getopt::Long, for drop-ins of Perl programs: also `-name value`, unique abbreviations
    // and any case.
    perl,
  };

  // `synopsis` follows the program's name in the usage line; `about` is a paragraph under it;
  // `epilogue`, usually an example, ends the help.
  Options(Style style, std::string synopsis, std::string about, std::string epilogue = "");
  ~Options();
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  // `names` is "name" or "name,n". The variable's value at declaration is the default; mention it
  // in `help`. If an option is given twice, the last one holds (so a wrapper script's defaults can
  // be overridden); lists collect all.
  void flag(const char* names, bool& value, const char* help);
  void text(const char* names, std::string& value, const char* argument, const char* help);
  // `--name` alone means `absent`; a value needs the `=`: `--name=value`.
  void text_or(const char* names, std::string& value, const char* absent, const char* argument,
               const char* help);
  void number(const char* names, uint64_t& value, const char* argument, const char* help);
  void number(const char* names, std::optional<uint64_t>& value, const char* argument,
              const char* help);
  void real(const char* names, double& value, const char* argument, const char* help);
  void list(const char* names, std::vector<std::string>& values, const char* argument,
            const char* help);
  // As list(), but the operands after a value, up to the next option, are values as well:
  // `--before a b c --after d e`.
  void words(const char* names, std::vector<std::string>& values, const char* argument,
             const char* help);
  // Hides the option declared last from --help: it exists for compatibility with the original.
  void hidden();
  // What the shell offers as values of an option: words with blanks or commas between them. An
  // option whose argument is "a|b" has them from there. `find` is called by --list-values alone,
  // the hidden option from which scripts/bash-completion.sh makes completions. It prints a line
  // "--name VALUE..." for each name of an option with values.
  void values(std::string_view name, const std::function<std::string()>& find);
  void values(std::string_view name, std::string words);
  // Style::perl: this option is not in the original program. An abbreviation that also fits an
  // option of the original means the original's.
  void extension(std::string_view name);

  // Operands. `--` ends the options.
  void operands(std::vector<std::string>& values);
  // As operands(), but everything from the first operand on is one command with its own options.
  void command(std::vector<std::string>& values);

  // False if --help or --version was given and has been printed: exit 0. Throws UsageError.
  [[nodiscard]] bool parse(int argc, char** argv);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
