// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/export_settings.h"

#include <algorithm>

#include "libcommon/base/options.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"

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

// A key that Parca and Pyroscope take, too: they follow Prometheus.
bool is_key(const std::string& text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

std::vector<std::string> parse_labels(const std::string& list) {
  constexpr size_t kMost = 32;  // more would be other programs' columns, not labels
  std::vector<std::string> out;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    out.push_back(list.substr(begin, end - begin));
    begin = end + 1;
    if (!is_key(out.back()))
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
               "service.name of the resource (otlp); default: unknown_service");
  options.flag("strict", strict, "fail at the first malformed line, as is done without it, too");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.operands(settings.paths);
  if (!options.parse(argc, argv)) return std::nullopt;
  settings.format = parse_format(format);
  settings.labels = parse_labels(labels);
  settings.taken.start = parse_time("--start", start);
  settings.taken.duration = parse_time("--duration", duration);
  if (settings.paths.empty()) settings.paths = {"-"};
  if (std::count(settings.paths.begin(), settings.paths.end(), "-") > 1)
    throw UsageError("standard input can be read once");
  const bool has_labels = settings.format == Format::pprof || settings.format == Format::otlp;
  if (!has_labels && !settings.labels.empty())
    throw UsageError(std::string("--labels: ") + format_name(settings.format) + " has no labels");
  return settings;
}

}  // namespace aiflame::exporter
