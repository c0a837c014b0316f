/* SPDX-License-Identifier: MIT
 *
 * What Python frames stand for, in stacks that are kept: when one is reported, the function may be
 * gone, and the recorder another one than when the stack was taken. Each text is kept once and
 * never freed.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent {

// The content of agent_text.
struct PythonText {
  uint64_t id;
  uint32_t line;
  uint16_t name_bytes, file_bytes;
  const char* names;  // the function's, then the file's
};

bool is_text_kept(uint64_t id);
// Not for a signal's handler, as it allocates. False when there is no room.
[[nodiscard]] bool keep_text(const PythonText& text);
// False when it is not kept.
[[nodiscard]] bool find_kept_text(uint64_t id, PythonText& out);

}  // namespace aiflame::agent
