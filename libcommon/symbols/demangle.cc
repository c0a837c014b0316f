// SPDX-License-Identifier: MIT
#include "libcommon/symbols/demangle.h"

// libiberty.h declares basename(3) otherwise than <cstring> does
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <csetjmp>

namespace aiflame {
namespace {

// Substitutions can double the text with every few bytes, so that a name of 200 bytes unfolds to
// gigabytes. The longest honest ones we know of (expression templates) stay below 100 kB.
constexpr size_t kMaxDemangled = size_t{256} << 10;

// libiberty refuses names of more than 1024 bytes, since its recursion grows with them, and perf
// then prints them as they are. AMD's composable kernels have names of 2 KB. The worst names of 4
// KB that were found take less than 2 MB of stack.
constexpr size_t kLongest = 4096;

struct Sink {
  std::string text;
  jmp_buf too_long;
};

// libiberty's callback cannot ask it to stop, so this jumps out. At that point libiberty holds no
// resource but its stack.
void take(const char* text, size_t size, void* opaque) {
  auto* sink = static_cast<Sink*>(opaque);
  if (sink->text.size() + size > kMaxDemangled) longjmp(sink->too_long, 1);
  sink->text.append(text, size);
}

bool unfold(const char* name, int options, Sink& sink) {
  if (setjmp(sink.too_long) != 0) return false;
  // The order of cplus_demangle(): legacy Rust names are valid C++ ones. A path of Rust may refer
  // back to itself, so that there the depth has nothing to do with the name's length: _RNvB_1a
  if (rust_demangle_callback(name, options & ~DMGL_NO_RECURSE_LIMIT, take, &sink) != 0) return true;
  sink.text.clear();
  return cplus_demangle_v3_callback(name, options, take, &sink) != 0;
}

}  // namespace

std::string demangle(std::string_view mangled, bool parameters) {
  std::string name(mangled);
  // `_Z…`, `_R…`, and `_GLOBAL_…` for static initialisers
  if (!mangled.starts_with('_')) return name;
  Sink sink;
  // perf's options, so that names are the same wherever they come from
  int options = parameters ? (DMGL_PARAMS | DMGL_ANSI) : DMGL_NO_OPTS;
  if (parameters && name.size() <= kLongest) options |= DMGL_NO_RECURSE_LIMIT;
  if (!unfold(name.c_str(), options, sink) || sink.text.empty()) return name;
  return sink.text;
}

}  // namespace aiflame
