// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/wakers.h"

namespace aiflame::svg {

std::string mark_wakers(std::string_view stack) {
  std::string out;
  bool waker = false;
  for (;;) {
    const size_t semicolon = stack.find(';');
    const std::string_view frame = stack.substr(0, semicolon);
    out += frame;
    if (waker && frame != "--") out += "_[w]";
    // the first frame is the sleeper's even if it is called `--`
    if (!out.empty() && frame == "--" && out.size() > frame.size()) waker = true;
    if (semicolon == std::string_view::npos) return out;
    out += ';';
    stack.remove_prefix(semicolon + 1);
  }
}

}  // namespace aiflame::svg
