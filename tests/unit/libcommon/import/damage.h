// SPDX-License-Identifier: MIT
// Damages an input of an importer in each place. The importer must read it, and then what it read
// is what it wrote and lost, or refuse it with an error that names the input.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/import/imported_stacks.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame {

using ReadDamaged = std::function<void(const std::string& path, ImportedStacks& stacks)>;

// What the importer says to bytes: "" or its error.
inline std::string import_bytes(const std::string& bytes, const ReadDamaged& read) {
  const MemoryFile file(bytes);
  ImportedStacks stacks;
  try {
    read(file.path(), stacks);
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find(file.path()), std::string::npos) << what;
    return what;
  }
  Output out("/dev/null");
  stacks.write(out);  // throws where the sums differ
  out.close();
  return "";
}

// Cuts the input behind each byte, and changes each byte in several ways.
inline void sweep_damage(const std::string& bytes, const ReadDamaged& read) {
  // thousands of warnings that the input is cut
  const int before = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDERR_FILENO);
  for (size_t at = 0; at < bytes.size(); ++at) {
    import_bytes(bytes.substr(0, at), read);
    std::string changed = bytes;
    for (const char bits : {'\x01', '\x10', '\x80'}) {
      changed[at] = static_cast<char>(bytes[at] ^ bits);
      import_bytes(changed, read);
    }
    for (const char byte : {'"', ',', '9', '\n', '\0'}) {
      changed[at] = byte;
      import_bytes(changed, read);
    }
  }
  dup2(before, STDERR_FILENO);
  close(before);
  close(nowhere);
}

}  // namespace aiflame
