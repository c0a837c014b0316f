// SPDX-License-Identifier: MIT
#include "libcommon/import/importer.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "libcommon/base/program.h"
#include "libcommon/io/file_kind.h"

namespace aiflame {
namespace {

// Throws Error for a file that is surely another program's. A pipe is read once, so it is not
// looked at; and memory snapshots are in pages of HTML, too.
void refuse_files_of_others(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return;
  ByteSource source(path);
  const FileKind kind = find_file_kind(source.peek(kPeekedKindBytes), path);
  constexpr FileKind kUnsure[] = {FileKind::unknown, FileKind::binary, FileKind::json,
                                  FileKind::sqlite, FileKind::html};
  if (std::find(std::begin(kUnsure), std::end(kUnsure), kind) == std::end(kUnsure) &&
      kind_reader(kind) != program_name())
    refuse_kind(path, kind);
}

}  // namespace

void add_import_options(Options& options, ImportSettings& settings) {
  options.text("stats", settings.stats, "FILE", "write what was read, drawn and lost as JSON");
  options.flag("full-names", settings.names.full_names,
               "device functions with result type, all template arguments and parameters");
  options.flag("no-sandbox", settings.no_sandbox, kNoSandboxHelp);
  options.operands(settings.inputs);
}

void add_source_options(Options& options, NameRules& names) {
  options.flag("full-paths", names.full_paths, "source files with their directories");
  options.flag("srcline", names.lines, "Python functions with the line where they begin");
}

std::vector<std::string> comma_list(std::string_view list) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) out.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

int import_stacks(const ImportSettings& settings, const ReadImport& read,
                  const std::vector<std::string>& more_files, const Rights& more) {
  if (settings.stats == "-") throw UsageError("option '--stats': standard output has the stacks");
  std::vector<std::string> inputs = settings.inputs;
  if (inputs.empty()) inputs.push_back("-");
  std::optional<Output> statistics;
  if (!settings.stats.empty())
    statistics.emplace(settings.stats, Output::Existing::kept_until_written);
  if (!settings.no_sandbox) {
    Rights rights = more;
    if (!rights.libraries) {
      rights.files = inputs;
      rights.files->insert(rights.files->end(), more_files.begin(), more_files.end());
    }
    drop_rights(rights);
  }
  outlive_interrupt();
  ImportedStacks stacks;
  for (const std::string& path : inputs) {
    refuse_files_of_others(path);
    read(path, stacks);
  }
  stacks.ranges.require(settings.by_range);
  Output out;
  stacks.write(out);
  if (statistics) {
    statistics->write(stacks.json());
    statistics->close();
  }
  out.close();
  say("%s", stacks.line().c_str());
  return 0;
}

void warn_of_cut(const std::string& place) {
  warn("%s: the file is cut; what is whole is used", place.c_str());
}

}  // namespace aiflame
