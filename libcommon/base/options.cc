// SPDX-License-Identifier: MIT
#include "libcommon/base/options.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <functional>

#include "libcommon/base/output.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame {
namespace po = boost::program_options;

namespace {

uint64_t whole_number(const std::string& text) {
  const auto number = parse_number<uint64_t>(text);
  if (!number) throw UsageError(format("'%s' is not a whole number", text.c_str()));
  return *number;
}

// The help is wrapped here, not by Boost: names in the first column, text from kHelpColumn on.
constexpr size_t kHelpColumn = 28;
constexpr size_t kHelpWidth = 100;

struct Declaration {
  std::string name;        // long name
  std::string short_name;  // one letter, or empty
  std::string argument;    // empty for flags
  std::string help;
  bool hidden = false;
  bool extension = false;
  bool may_be_alone = false;                  // see Options::text_or()
  std::vector<std::string>* words = nullptr;  // receives the operands that follow a value
  std::function<std::string()> values;        // see Options::values(); null = none
  // Takes one value; throws UsageError with the text that follows "option '--name': ".
  std::function<void(const std::string&)> store;
};

std::string wrapped(std::string_view text, size_t indent, size_t width = kHelpWidth) {
  std::string out;
  size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = take_field(text);
    if (word.empty()) break;
    if (column > indent && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace

struct Options::Impl {
  Style style;
  std::string synopsis, about, epilogue;
  std::vector<Declaration> declarations;
  std::vector<std::string>* operands = nullptr;
  bool command = false;
  bool help = false, version = false, list_values = false;

  Declaration& declare(const char* names, const char* argument, const char* help_text) {
    Declaration declaration;
    const std::string_view both = names;
    const size_t comma = both.find(',');
    declaration.name = both.substr(0, comma);
    if (comma != std::string_view::npos) declaration.short_name = both.substr(comma + 1);
    declaration.argument = argument;
    declaration.help = help_text;
    if (declaration.argument.find('|') != std::string::npos)
      declaration.values = [argument] { return std::string(argument); };
    return declarations.emplace_back(std::move(declaration));
  }

  po::options_description description() const {
    po::options_description out;
    for (const Declaration& d : declarations) {
      const std::string names = d.short_name.empty() ? d.name : d.name + "," + d.short_name;
      if (d.argument.empty())
        out.add_options()(names.c_str(), po::bool_switch(), "");
      else if (d.may_be_alone)
        out.add_options()(names.c_str(), po::value<std::string>()->implicit_value(""), "");
      else
        out.add_options()(names.c_str(), po::value<std::string>(), "");
    }
    return out;
  }

  int po_style() const {
    namespace s = po::command_line_style;
    const int unix_without_guessing = (s::unix_style ^ s::allow_guessing);
    if (style == Style::gnu) return unix_without_guessing;
    return s::unix_style | s::allow_long_disguise | s::case_insensitive;
  }

  // `--pi=7` becomes `--pid=7` if that is the only option of the original that it abbreviates.
  // Otherwise the argument is unchanged, and the parser judges it.
  std::string without_abbreviation(const std::string& argument) const {
    const size_t dashes = argument.starts_with("--") ? 2 : argument.starts_with("-") ? 1 : 0;
    const size_t end = std::min(argument.find('='), argument.size());
    if (style != Style::perl || dashes == 0 || end == dashes) return argument;
    std::string name = argument.substr(dashes, end - dashes);
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const Declaration* found = nullptr;
    for (const Declaration& d : declarations) {
      if (d.name == name) return argument;
      if (d.extension || !d.name.starts_with(name)) continue;
      if (found != nullptr) return argument;  // ambiguous
      found = &d;
    }
    if (found == nullptr) return argument;
    return argument.substr(0, dashes) + found->name + argument.substr(end);
  }

  // In command mode: the number of `arguments` before the command.
  size_t options_before_command(const std::vector<std::string>& arguments) const {
    const po::options_description known = description();
    // allows unregistered options; the strict parse that follows reports them
    const auto parsed = po::command_line_parser(arguments)
                            .options(known)
                            .style(po_style())
                            .allow_unregistered()
                            .run();
    size_t count = 0;
    for (const po::option& option : parsed.options) {
      if (option.position_key >= 0) break;
      count += option.original_tokens.size();
    }
    return count;
  }

  // Takes the options and the operands, in their order. An option may have several words, which
  // Boost reports as operands after it.
  void take_all(const std::vector<po::option>& parsed) {
    std::vector<std::string>* words = nullptr;
    for (const po::option& option : parsed) {
      if (option.position_key >= 0) {
        if (words != nullptr) {
          words->push_back(option.value.front());
          continue;
        }
        if (operands == nullptr)
          throw UsageError(format("unexpected operand '%s'", option.value.front().c_str()));
        operands->push_back(option.value.front());
        continue;
      }
      words = take(option);
    }
  }

  // Returns where the operands after the option go; null if they are the program's.
  std::vector<std::string>* take(const po::option& option) {
    for (Declaration& d : declarations) {
      if (d.name != option.string_key) continue;
      try {
        d.store(option.value.empty() ? std::string() : option.value.front());
      } catch (const UsageError& error) {
        throw UsageError(format("option '--%s': %s", d.name.c_str(), error.what()));
      }
      return d.words;
    }
    return nullptr;
  }

  void print_help() const {
    Output out;
    out.write(format("Usage: %s %s\n\n%s\n\nOptions:\n", program_name(), synopsis.c_str(),
                     wrapped(about, 0).c_str()));
    for (const Declaration& d : declarations) {
      if (d.hidden) continue;
      std::string names = d.short_name.empty() ? "      --" : "  -" + d.short_name + ", --";
      names += d.name;
      if (d.may_be_alone)
        names += "[=" + d.argument + "]";
      else if (!d.argument.empty())
        names += " " + d.argument;
      if (names.size() + 2 > kHelpColumn)
        names += '\n' + std::string(kHelpColumn, ' ');
      else
        names.resize(kHelpColumn, ' ');
      out.write(names + wrapped(d.help, kHelpColumn) + "\n");
    }
    if (!epilogue.empty()) out.write("\n" + epilogue + "\n");
    out.close();
  }

  void print_values() const {
    Output out;
    for (const Declaration& d : declarations) {
      if (d.hidden || !d.values) continue;
      std::string words = d.values();
      for (char& c : words)
        if (c == ',' || c == '|') c = ' ';
      const std::string line = " " + wrapped(words, 0, SIZE_MAX) + "\n";
      if (!d.short_name.empty()) out.write("-" + d.short_name + line);
      out.write("--" + d.name + line);
    }
    out.close();
  }
};

Options::Options(Style style, std::string synopsis, std::string about, std::string epilogue)
    : impl_(std::make_unique<Impl>()) {
  impl_->style = style;
  impl_->synopsis = std::move(synopsis);
  impl_->about = std::move(about);
  impl_->epilogue = std::move(epilogue);
}

Options::~Options() = default;

void Options::flag(const char* names, bool& value, const char* help) {
  Declaration& d = impl_->declare(names, "", help);
  d.store = [&value](const std::string&) { value = true; };
}

void Options::text(const char* names, std::string& value, const char* argument, const char* help) {
  impl_->declare(names, argument, help).store = [&value](const std::string& given) {
    value = given;
  };
}

void Options::text_or(const char* names, std::string& value, const char* absent,
                      const char* argument, const char* help) {
  Declaration& d = impl_->declare(names, argument, help);
  d.may_be_alone = true;
  d.store = [&value, absent](const std::string& given) { value = given.empty() ? absent : given; };
}

void Options::number(const char* names, uint64_t& value, const char* argument, const char* help) {
  impl_->declare(names, argument, help).store = [&value](const std::string& given) {
    value = whole_number(given);
  };
}

void Options::number(const char* names, std::optional<uint64_t>& value, const char* argument,
                     const char* help) {
  impl_->declare(names, argument, help).store = [&value](const std::string& given) {
    value = whole_number(given);
  };
}

void Options::real(const char* names, double& value, const char* argument, const char* help) {
  impl_->declare(names, argument, help).store = [&value](const std::string& given) {
    const auto number = parse_number<double>(given);
    // the negation also refuses NaN
    if (!number || !(*number >= 0) || *number > 1e18)
      throw UsageError(format("'%s' is not a number", given.c_str()));
    value = *number;
  };
}

void Options::list(const char* names, std::vector<std::string>& values, const char* argument,
                   const char* help) {
  Declaration& d = impl_->declare(names, argument, help);
  d.store = [&values](const std::string& given) { values.push_back(given); };
}

void Options::words(const char* names, std::vector<std::string>& values, const char* argument,
                    const char* help) {
  list(names, values, argument, help);
  impl_->declarations.back().words = &values;
}

void Options::hidden() {
  impl_->declarations.back().hidden = true;
}

void Options::values(std::string_view name, const std::function<std::string()>& find) {
  for (Declaration& d : impl_->declarations)
    if (d.name == name) d.values = find;
}

void Options::values(std::string_view name, std::string words) {
  values(name, [words = std::move(words)] { return words; });
}

void Options::extension(std::string_view name) {
  for (Declaration& d : impl_->declarations)
    if (d.name == name) d.extension = true;
}

void Options::operands(std::vector<std::string>& values) {
  impl_->operands = &values;
}

void Options::command(std::vector<std::string>& values) {
  impl_->operands = &values;
  impl_->command = true;
}

bool Options::parse(int argc, char** argv) {
  const bool h_is_free = std::none_of(impl_->declarations.begin(), impl_->declarations.end(),
                                      [](const Declaration& d) { return d.short_name == "h"; });
  flag(impl_->style == Style::gnu && h_is_free ? "help,h" : "help", impl_->help, "print this help");
  flag("version", impl_->version, "print the version");
  flag("list-values", impl_->list_values, "");
  hidden();
  extension("list-values");
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::vector<std::string> behind;  // after `--`, or from the start of a command on
  try {
    if (impl_->command) {
      const auto count = static_cast<std::ptrdiff_t>(impl_->options_before_command(arguments));
      behind.assign(arguments.begin() + count, arguments.end());
      arguments.resize(static_cast<size_t>(count));
      if (!behind.empty() && behind.front() == "--") behind.erase(behind.begin());
    }
    const po::options_description known = impl_->description();
    // Only Boost's list of parsed options is used. Its variables_map would accept an option twice
    // in silence, or fail without its name. `expand` is called before each option is parsed, but
    // not for its value.
    const auto expand = [this](std::vector<std::string>& rest) {
      if (!rest.empty()) rest.front() = impl_->without_abbreviation(rest.front());
      return std::vector<po::option>();
    };
    const auto parsed = po::command_line_parser(arguments)
                            .options(known)
                            .style(impl_->po_style())
                            .extra_style_parser(expand)
                            .run();
    impl_->take_all(parsed.options);
  } catch (const po::unknown_option& error) {
    throw UsageError(format("unknown option '%s'", error.get_option_name().c_str()));
  } catch (const po::ambiguous_option& error) {
    throw UsageError(format("option '%s' is ambiguous", error.get_option_name().c_str()));
  } catch (const po::invalid_command_line_syntax& error) {
    const bool missing = error.kind() == po::invalid_syntax::missing_parameter ||
                         error.kind() == po::invalid_syntax::empty_adjacent_parameter;
    throw UsageError(format("option '%s' %s", error.get_option_name().c_str(),
                            missing ? "needs a value" : "takes no value"));
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  if (impl_->operands != nullptr)
    impl_->operands->insert(impl_->operands->end(), behind.begin(), behind.end());
  if (impl_->help) {
    impl_->print_help();
    return false;
  }
  if (impl_->list_values) {
    impl_->print_values();
    return false;
  }
  if (impl_->version) {
    Output out;
    out.write(format("%s %s\n", program_name(), kVersion));
    out.close();
    return false;
  }
  return true;
}

}  // namespace aiflame
