// SPDX-License-Identifier: MIT
// What a file is, by its first bytes, and which program reads it. So a reader that is given the
// wrong file names the right program, and `aiflame FILE` finds it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "libcommon/io/input.h"

namespace aiflame {

enum class FileKind {
  unknown,  // text of no known form, or nothing
  binary,   // bytes of no known form
  folded,
  recording,  // gpustall(5)
  perf_data,
  perf_script,
  trace,  // events as JSON, as Chrome and PyTorch have them
  json,   // of no known program
  speedscope,
  v8_cpu_profile,
  firefox,
  proton,  // Triton's profiler
  rocprof,
  rocpd,
  nsys,
  sqlite,
  torch_memory,
  hpctoolkit,
  pprof,
  legacy_pprof,  // of before profile.proto
  jemalloc,
  xspace,  // XLA's profiler: JAX, TensorFlow
  perfetto,
  ncu,
  ncu_details,
  nsys_stats,
  iaprof,
  unitrace,
  elf,
  svg,
  html,
  git_lfs,
  java_recording,
  callgrind,
  vtune,
  hpctoolkit_xml,
  zip,
  tar,
  nsys_report,
  ncu_report,
};

// How many first bytes tell all kinds apart. With fewer, JSON is `json` and SQLite `sqlite`.
inline constexpr size_t kKindBytes = size_t{256} << 10;
// As many as ByteSource::peek() has.
inline constexpr size_t kPeekedKindBytes = 64;

// `first_bytes` are decompressed. `name`: of the file, whose end tells what its bytes do not.
FileKind find_file_kind(std::string_view first_bytes, std::string_view name);

// "a recording of gpustall-record"; "" where nothing is known of it.
std::string_view kind_name(FileKind kind);
// The program that turns such a file into folded stacks, or "". It takes the file's name.
std::string_view kind_reader(FileKind kind);
// What to do with the file: "fold it first: stackcollapse-aiflame app.gpustall".
std::string kind_advice(FileKind kind, const std::string& path);

// Throws Error: "app.gpustall: this is a recording of gpustall-record; fold it first:
// stackcollapse-aiflame app.gpustall". `name`: as input_name() has it.
[[noreturn]] void refuse_kind(const std::string& name, FileKind kind);
// Does so if the source is surely of a kind that is not in `own`. Call it before the first read().
void refuse_other_kinds(ByteSource& source, std::initializer_list<FileKind> own);

// A file of folded stacks, or of text that may be.
ByteSource open_folded(const std::string& path);

}  // namespace aiflame
