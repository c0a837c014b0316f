// SPDX-License-Identifier: MIT
// The functions at places in files, as a SymbolChild reads them. Every answer is kept, since the
// same code launches again and again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/gpustall-record/names/symbol_child.h"

namespace aiflame::record {

class FileSymbols {
 public:
  using Place = SymbolChild::Question;
  using Symbol = SymbolChild::Symbol;

  FileSymbols() = default;
  ~FileSymbols();
  FileSymbols(const FileSymbols&) = delete;
  FileSymbols& operator=(const FileSymbols&) = delete;

  void keep_rights() { child_.keep_rights(); }

  // The number of a file, for a Place. Keeps a copy of the descriptor.
  uint64_t add_file(int descriptor);
  // Reads all these places at once. Faster than one after the other, and not needed otherwise.
  void read_ahead(const std::vector<Place>& places);
  // Null where there is no function, or it cannot be read. Valid until the next call.
  const Symbol* find(const Place& place);

  // The calls of find() that had no answer for want of time or memory.
  uint64_t unread() const { return unread_; }

 private:
  // More files than a program has libraries. Each keeps a descriptor.
  static constexpr size_t kMaxFiles = 4096;
  // Answers; some 20 MB.
  static constexpr size_t kMaxKept = size_t{1} << 17;
  // A child that ends costs SymbolChild::kSeconds at most, for which the recorder waits. So after
  // so many nothing is asked any more.
  static constexpr unsigned kMaxEnds = 4;

  struct File {
    int descriptor = -1;
    bool is_given = false;   // to the child that runs now
    bool is_beyond = false;  // the limits of the child
  };
  struct Order {
    bool operator()(const Place& a, const Place& b) const {
      return a.file != b.file ? a.file < b.file : a.offset < b.offset;
    }
  };

  bool is_readable(uint64_t file) const;
  bool ask(const std::vector<Place>& places);

  SymbolChild child_;
  std::vector<File> files_;
  std::map<Place, std::optional<Symbol>, Order> kept_;
  unsigned ends_ = 0;  // how often the child has ended
  uint64_t unread_ = 0;
};

}  // namespace aiflame::record
