// SPDX-License-Identifier: MIT
// The functions at places in files, and the files' build ids, as a SymbolChild reads them. Every
// answer is kept, since the same code launches again and again.
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
  using Kind = SymbolChild::Kind;

  FileSymbols() = default;
  ~FileSymbols();
  FileSymbols(const FileSymbols&) = delete;
  FileSymbols& operator=(const FileSymbols&) = delete;

  void keep_rights() { child_.keep_rights(); }

  // The number of a file, for a Place of that kind. Keeps a copy of the descriptor.
  uint64_t add_file(int descriptor, Kind kind = Kind::function);
  // Reads all these places at once. Faster than one after the other, and not needed otherwise.
  void read_ahead(const std::vector<Place>& places);
  // Null where there is no function, or it cannot be read. Valid until the next call.
  const Symbol* find(const Place& place);
  // The build id of a file in which a place has been read; "" when it has none.
  const std::string& build_id(uint64_t file) const { return files_[file].build_id; }
  // The copy of the descriptor; -1 when there are too many.
  int descriptor(uint64_t file) const { return files_[file].descriptor; }

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
    Kind kind = Kind::function;
    bool has_build_id = false;  // or it is known that there is none
    std::string build_id;
    bool is_given = false;   // to the child that runs now
    bool is_beyond = false;  // the limits of the child
  };
  struct Order {
    bool operator()(const Place& a, const Place& b) const {
      return a.file != b.file ? a.file < b.file : a.offset < b.offset;
    }
  };

  bool is_readable(uint64_t file) const;
  bool is_known(const Place& place) const;
  [[nodiscard]] bool ask(std::vector<Place> places);
  void keep(const Place& place, SymbolChild::Answer&& answer);

  SymbolChild child_;
  std::vector<File> files_;
  std::map<Place, std::optional<Symbol>, Order> kept_;
  unsigned ends_ = 0;  // how often the child has ended
  uint64_t unread_ = 0;
};

}  // namespace aiflame::record
