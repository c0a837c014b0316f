// SPDX-License-Identifier: MIT
#include "libcommon/symbols/find_object.h"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "libcommon/base/hex.h"
#include "libcommon/io/read_text.h"
#include "libcommon/symbols/elf_note.h"

namespace aiflame {

std::string kernel_build_id() {
  const std::string text = read_text("/sys/kernel/notes", 65536);
  std::string_view notes = text;
  while (const std::optional<ElfNote> note = take_note(notes))
    if (note->type == NT_GNU_BUILD_ID && note->owner == "GNU") return hex_of(note->description);
  return "";
}

bool is_anonymous(std::string_view path) {
  return path == "//anon" || path.starts_with("/dev/zero") || path.starts_with("/anon_hugepage");
}

bool may_run_on(std::string_view architecture, int elf_machine) {
  if (architecture == "x86_64") return elf_machine == EM_X86_64 || elf_machine == EM_386;
  if (architecture == "aarch64") return elf_machine == EM_AARCH64 || elf_machine == EM_ARM;
  return true;
}

bool is_build_id(std::string_view text) {
  // 64 bytes at most, as ElfFile reads; two digits name a directory
  return text.size() >= 4 && text.size() <= 128 && text.size() % 2 == 0 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string build_id_cache(const std::string& build_id) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || !is_build_id(build_id)) return "";
  return std::string(home) + "/.debug/.build-id/" + build_id.substr(0, 2) + "/" +
         build_id.substr(2);
}

std::string debug_file_of(const std::string& build_id) {
  if (!is_build_id(build_id)) return "";
  return std::string(kDebugFiles) + "/.build-id/" + build_id.substr(0, 2) + "/" +
         build_id.substr(2) + ".debug";
}

std::vector<std::string> symbol_files(const std::string& path, const std::string& build_id,
                                      const std::string& debug_link) {
  std::vector<std::string> out;
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  if (!debug_link.empty() && debug_link.find('/') == std::string::npos) {
    out.push_back(directory + debug_link);
    out.push_back(directory + ".debug/" + debug_link);
    out.push_back(std::string(kDebugFiles) + directory + debug_link);
  }
  const std::string cache = build_id_cache(build_id);
  if (!cache.empty()) {
    out.push_back(cache + "/elf");
    out.push_back(cache + "/debug");
  }
  out.push_back(std::string(kDebugFiles) + path + ".debug");
  out.push_back(std::string(kDebugFiles) + path);
  if (const std::string by_id = debug_file_of(build_id); !by_id.empty()) out.push_back(by_id);
  out.push_back(path);
  // the object is not a debug file of itself
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace aiflame
