// SPDX-License-Identifier: MIT
// Turns the addresses of a recorded machine into the frame lines that `perf script` prints for
// them.
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

  // The functions at an address, innermost first, each as `ADDRESS SYMBOL+0x… (OBJECT)`. Without
  // --inline it is only one. perf prints a user space address in a call chain as the offset in its
  // object, and the address of a sample without a chain unchanged. `is_return`: the address follows
  // the call that is meant.
  void code_at(const PerfMap* map, uint64_t address, bool in_chain, bool is_return,
               std::vector<CodeFrame>& out);
  // A number for what is drawn at an address, unique in its object: the function's number, or
  // kNoName. Nothing where the frame depends on the address itself. All addresses of a function are
  // drawn alike only without inlined functions and lines; all addresses without a name are drawn
  // alike only without --addrs.
  static constexpr uint64_t kNoName = UINT64_MAX;
  std::optional<uint64_t> number_at(const PerfMap* map, uint64_t address);
  // Announces that the recording contains kernel code. Starts to read the list of the kernel's
  // functions in a thread, unless there is a copy: the kernel generates /proc/kallsyms while it is
  // read, which is slow.
  void expect_kernel();
  // Whether all addresses of a function in a file are drawn alike.
  bool draws_functions() const { return !sources_.any(); }
  // Warns about objects with more debug information than can be searched.
  void report() const;
  // Whether the mapped object is a file or the vdso.
  bool is_file(const PerfMap& map) const;
  // The symbols of an object that is a file or the vdso. Threads may call this at the same time,
  // but only one at a time may use an object's symbols.
  ObjectSymbols& file(uint32_t number, const PerfObject& object);
  ObjectSymbols& file(uint32_t number) { return file(number, machine_.object(number)); }
  // The number and the functions of the code at an offset in a file, as above. They do not use the
  // machine, so that threads may call them.
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
  [[nodiscard]] bool open_kernel_copy();
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
  bool is_unknown_kernel() const;
  bool lacks_kernel_ = false;   // functions of a kernel that is not known were asked for
  ReadKernel expected_kernel_;  // being read by kernel_reader_, while that runs
  BackgroundThread kernel_reader_;
  std::unique_ptr<Kallsyms> kernel_;
  // Searched before kernel_, which is read only when this lacks an answer.
  std::unique_ptr<KallsymsCopy> kernel_copy_;
  std::string kernel_copy_id_;
};

}  // namespace aiflame::collapse
