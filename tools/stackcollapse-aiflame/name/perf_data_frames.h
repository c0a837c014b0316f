// SPDX-License-Identifier: MIT
// Addresses of a recorded machine as the frame lines that `perf script` prints of them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/parallel/parallel.h"
#include "libcommon/perf_data/perf_machine.h"
#include "libcommon/symbols/jit_symbols.h"
#include "libcommon/symbols/kallsyms.h"
#include "libcommon/symbols/kallsyms_copy.h"
#include "libcommon/symbols/object_symbols.h"
#include "tools/stackcollapse-aiflame/name/code_frames.h"

namespace aiflame::collapse {

class PerfDataFrames {
 public:
  PerfDataFrames(const PerfMachine& machine, SourceRules sources)
      : machine_(machine), sources_(sources) {}

  // The functions at an address, innermost first, each as `ADDRESS SYMBOL+0x… (OBJECT)`: one,
  // unless inlined ones are asked for. perf prints addresses of user space in a call chain as
  // offsets in their objects, and those of samples without a chain as they are. `is_return`: the
  // code is that in front of the address, the call.
  void code_at(const PerfMap* map, uint64_t address, bool in_chain, bool is_return,
               std::vector<CodeFrame>& out);
  // What is drawn at an address as a number, of its object's: that of the function, or kNoName.
  // Nothing where only the address itself tells. Without inlined functions and lines all addresses
  // of a function are drawn alike, and without --addrs all that have no name.
  static constexpr uint64_t kNoName = UINT64_MAX;
  std::optional<uint64_t> number_at(const PerfMap* map, uint64_t address);
  // The kernel is among what is recorded: its list of functions, which the kernel makes up as it is
  // read, and slowly, is read beside everything else from now on, unless there is a copy.
  void expect_kernel();
  // Whether that holds: then all addresses of a function in a file are drawn alike.
  bool draws_functions() const { return !sources_.any(); }
  // Says which objects have more debug information than can be searched.
  void report() const;
  // Whether what is mapped is a file or the vdso.
  bool is_file(const PerfMap& map) const;
  // The symbols of an object that is a file or the vdso. Threads may ask at the same time, but of
  // an object's names only one.
  ObjectSymbols& file(uint32_t number, const PerfObject& object);
  ObjectSymbols& file(uint32_t number) { return file(number, machine_.object(number)); }
  // The number of the function at an offset in a file, and what is drawn there, as above. They ask
  // nothing of the machine.
  std::optional<uint64_t> function_in(uint32_t number, const PerfObject& object, uint64_t offset) {
    return file(number, object).function_at(offset);
  }
  void code_in(uint32_t number, const PerfObject& object, uint64_t offset, bool is_return,
               std::vector<CodeFrame>& out);

 private:
  void add_functions(uint32_t number, const PerfObject& object, uint64_t offset, bool is_return,
                     std::string_view line, std::string_view symbol, std::vector<CodeFrame>& out);
  void choose(const PerfObject* object, std::string&& line, std::vector<CodeFrame>& out) const;
  std::optional<std::string> name(const PerfMap& map, uint64_t address);
  std::optional<KernelFunction> kernel_function(uint64_t address);
  bool open_kernel_copy();
  const Kallsyms& kernel();

  const PerfMachine& machine_;
  SourceRules sources_;
  struct File {
    std::once_flag opened;
    std::unique_ptr<ObjectSymbols> symbols;
  };
  std::mutex files_mutex_;
  std::deque<File> files_;                        // by object
  std::vector<std::unique_ptr<JitSymbols>> jit_;  // by object
  struct ReadKernel {
    std::string build_id;
    std::unique_ptr<Kallsyms> names;
  };
  static ReadKernel read_kernel(const std::string& build_id);
  ReadKernel expected_kernel_;  // being read by kernel_reader_, while that runs
  BackgroundThread kernel_reader_;
  std::unique_ptr<Kallsyms> kernel_;
  // Before kernel_, which is not read as long as this has all the answers.
  std::unique_ptr<KallsymsCopy> kernel_copy_;
  std::string kernel_copy_id_;
};

}  // namespace aiflame::collapse
