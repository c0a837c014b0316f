// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/export_settings.h"

#include <algorithm>

#include "libcommon/base/options.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-export/label_key.h"

namespace aiflame::exporter {
namespace {

struct Name {
  Format format;
  const char* name;
};
constexpr Name kFormats[] = {
    {Format::pprof, "pprof"},
    {Format::otlp, "otlp"},
    {Format::perfetto, "perfetto"},
    {Format::speedscope, "speedscope"},
};

Format parse_format(const std::string& text) {
  for (const Name& one : kFormats)
    if (text == one.name) return one.format;
  if (text.empty()) throw UsageError("no --format");
  throw UsageError("option '--format': '" + text +
                   "' is none of pprof, otlp, perfetto and speedscope");
}

std::vector<std::string> parse_labels(const std::string& list) {
  constexpr size_t kMost = 32;  // more would be other programs' columns, not labels
  std::vector<std::string> out;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    out.push_back(list.substr(begin, end - begin));
    begin = end + 1;
    if (!is_label_key(out.back()))
      throw UsageError("option '--labels': '" + out.back() +
                       "' is no name of letters, digits and _");
    if (std::count(out.begin(), out.end(), out.back()) > 1)
      throw UsageError("option '--labels': '" + out.back() + "' is there twice");
    if (out.size() > kMost) throw UsageError("option '--labels': more than 32 labels");
  }
  return out;
}

// Nanoseconds, of seconds.
uint64_t parse_time(const char* option, const std::string& text) {
  if (text.empty()) return 0;
  const auto time = parse_seconds(text);
  if (!time || *time > INT64_MAX)
    throw UsageError(std::string("option '") + option + "': '" + text +
                     "' is not a number of seconds");
  return *time;
}

// A format has a door, and a door a format.
Format format_of(Door door) {
  return door == Door::otlp ? Format::otlp : Format::pprof;
}

// What --push asks of the other options.
void check_push(ExportSettings& settings, const std::string& format) {
  const char* door = door_name(settings.push->door);
  settings.format = format_of(settings.push->door);
  if (!format.empty() && format != format_name(settings.format))
    throw UsageError(std::string("--to ") + door + " takes " + format_name(settings.format) +
                     ": leave out --format");
  if (!settings.output.empty()) throw UsageError("--push and --output exclude each other");
  if (settings.paths.empty()) {
    if (settings.push->spool.empty()) throw UsageError("nothing to push; '-' is standard input");
    return;  // what is kept there
  }
  if (settings.taken.start == 0)
    throw UsageError("--push needs --start: folded text does not say when the profile was taken");
  if (settings.push->door != Door::pyroscope) return;
  if (settings.taken.duration == 0)
    throw UsageError("--to pyroscope needs --duration: Pyroscope would take its own clock's time");
  const std::string& name = settings.service;
  if (!std::all_of(name.begin(), name.end(), [](char c) {
        return is_label_key(std::string_view(&c, 1)) || is_digit(c) || c == '.' || c == '-' ||
               c == '/';
      }))
    throw UsageError("option '--service': '" + name +
                     "' is not a name of letters, digits and . - _ /, as Pyroscope has them");
}

}  // namespace

const char* format_name(Format format) {
  return std::find_if(std::begin(kFormats), std::end(kFormats),
                      [&](const Name& one) { return one.format == format; })
      ->name;
}

std::optional<ExportSettings> parse_export_settings(int argc, char** argv) {
  ExportSettings settings;
  settings.service = "unknown_service";  // OpenTelemetry's word
  std::string format, labels, start, duration;
  PushArguments push;
  bool strict = false;  // there is no other way
  Options options(Options::Style::gnu, "--format FORMAT [OPTION]... [FILE]...",
                  "Writes folded stacks, `frame;frame;... COUNT`, in the format of another "
                  "program. '-', or no file, is standard input.",
                  "Example: aiflame-export --format pprof app.folded > app.pb.gz");
  options.text("format,f", format, "pprof|otlp|perfetto|speedscope", "what is written");
  options.text("output,o", settings.output, "FILE", "write to FILE; default: standard output");
  options.text("labels", labels, "LIST",
               "move these from the stacks into labels of the samples (pprof, otlp): reason, "
               "mnemonic, and others, such as rank, by frames that read `rank VALUE`");
  options.text("start", start, "SECONDS",
               "when the profile was taken, since 1970 (pprof, otlp); default: not said");
  options.text("duration", duration, "SECONDS", "for how long it was taken (pprof, otlp)");
  options.text("service", settings.service, "NAME",
               "service.name of the resource (otlp, --push); default: unknown_service");
  push.declare(options);
  options.flag("strict", strict, "fail at the first malformed line, as is done without it, too");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.operands(settings.paths);
  if (!options.parse(argc, argv)) return std::nullopt;
  settings.labels = parse_labels(labels);
  settings.taken.start = parse_time("--start", start);
  settings.taken.duration = parse_time("--duration", duration);
  settings.push = push.parse();
  if (settings.push) {
    check_push(settings, format);
  } else {
    settings.format = parse_format(format);
    if (settings.paths.empty()) settings.paths = {"-"};
  }
  if (std::count(settings.paths.begin(), settings.paths.end(), "-") > 1)
    throw UsageError("standard input can be read once");
  const bool has_labels = settings.format == Format::pprof || settings.format == Format::otlp;
  if (!has_labels && !settings.labels.empty())
    throw UsageError(std::string("--labels: ") + format_name(settings.format) + " has no labels");
  return settings;
}

}  // namespace aiflame::exporter
