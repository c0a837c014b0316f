// SPDX-License-Identifier: MIT
// meta.db: which metrics were measured, and the tree of contexts that they were measured in.
//
//   entry point "main thread"
//     function main                     called
//       loop single.cc:57
//         line single.cc:62
//           instruction a.out@0x404c38
//             function twork(int, int)  called
//               …
//                 function <gpu kernel> called: the device begins
//                   function xcompute   called: the kernel
//                     line compute.h:67
//                       function mul    inlined
//                         instruction gpubins/67e7.gpubin@0x18c0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/stackcollapse-hpctoolkit/database_file.h"

namespace aiflame::hpctoolkit {

struct Metric {
  std::string_view name;  // "GCYCLES:STL:IDEP", "GKER (s)"
  uint16_t number = 0;    // in profile.db and cct.db: of the values where they were measured
  std::optional<uint16_t> inclusive{};  // of those added up over all that a context has called
};

// Pointers are offsets in the file; 0 is none.
struct Context {
  enum class Lexical : uint8_t { function, loop, line, instruction, entry, unknown };
  enum class Relation : uint8_t { lexical, call, inlined_call };

  uint64_t function = 0, file = 0, module = 0;
  uint64_t offset = 0;  // in the module
  uint64_t text = 0;    // an entry's name
  uint32_t line = 0;    // in the file
  uint32_t id = 0;      // in profile.db and cct.db
  uint32_t parent = 0;  // its index; an entry's is its own
  Lexical lexical = Lexical::unknown;
  Relation relation = Relation::lexical;
};

struct Function {
  std::string_view name;  // demangled; may be empty
  uint64_t module = 0;
  uint64_t offset = 0;  // of its first instruction in the module; 0 if it is inlined
  uint64_t file = 0;
  uint32_t line = 0;
};

class Metadata {
 public:
  // Throws Error.
  explicit Metadata(const DatabaseFile& file);

  // What the measured program is called.
  std::string_view title() const;
  const std::vector<Metric>& metrics() const { return metrics_; }
  // Names of the kinds of identifiers that a profile has: "RANK", "THREAD".
  std::vector<std::string_view> identifier_kinds() const;

  // Parents stand before their children.
  const std::vector<Context>& contexts() const { return contexts_; }
  // Throws an Error about the contexts.
  [[noreturn]] void fail(const char* what) const;
  // The index of the context with this id.
  std::optional<uint32_t> context_with(uint32_t id) const;

  // "main thread"
  std::string_view entry_name(const Context& entry) const { return file_.text(entry.text); }
  Function function(uint64_t at) const;
  std::string_view module_path(uint64_t at) const;
  // The path as the compiler wrote it.
  std::string_view source_path(uint64_t at) const;

 private:
  struct Siblings {
    uint64_t at, end;
    uint32_t parent;
  };

  void read_metrics();
  void read_contexts();
  void read_children(uint64_t at, uint64_t size, uint32_t parent);
  Context read_context(uint64_t at, uint64_t words) const;
  void add(const Context& context);

  const DatabaseFile& file_;
  std::vector<Metric> metrics_;
  std::vector<Context> contexts_;
  std::vector<std::pair<uint32_t, uint32_t>> by_id_;  // sorted: id, index
};

}  // namespace aiflame::hpctoolkit
