// SPDX-License-Identifier: MIT
// pprof's message Profile (profile.proto). Its fields come in any order; Go writes the texts last:
//
//   0a 04 08 01 10 02                        1 sample_type {type: text 1, unit: text 2}
//   12 0d 0a 02 02 01 12 01 39 1a 04 …       2 sample {locations 2, 1; value 57; a label}
//   22 0d 08 02 10 01 18 b0 28 22 04 …       4 location {id 2, mapping 1, address, a line}
//   2a 08 08 02 10 04 18 04 20 05            5 function {id 2, name: text 4, …, file: text 5}
//   32 00 32 09 67 70 75 …                   6 texts: "", "gpu…", …
//
// So all tables are read first, and the samples in a second pass, one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aiflame::pprof {

// Numbers of things by their ids, which mostly are 1, 2, 3, ….
class IdTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Gives `id` the next number. False if it has one.
  [[nodiscard]] bool add(uint64_t id);
  uint32_t number(uint64_t id) const;

 private:
  uint32_t count_ = 0, dense_ = 0;  // ids up to dense_ have the number before theirs
  std::unordered_map<uint64_t, uint32_t> others_;
};

struct ValueType {
  uint64_t type = 0, unit = 0;  // texts
};

struct Function {
  uint64_t name = 0, system_name = 0, file = 0;  // texts
  int64_t start_line = 0;
};

struct Location {
  uint64_t mapping = 0;  // its id; 0: none
  uint32_t line = 0;     // the first of its lines
  uint32_t lines = 0;    // the innermost first: functions that are inlined into the last one
};

struct Label {
  uint64_t key = 0, text = 0, unit = 0;  // texts
  int64_t number = 0;                    // if there is no text
};

struct Sample {
  std::vector<uint64_t> locations;  // ids, the leaf first
  std::vector<int64_t> values;      // by sample type
  std::vector<Label> labels;
};

class Profile {
 public:
  // `message` outlives this. Throws Error, which begins with `name`.
  Profile(std::string_view message, std::string name);

  const std::vector<ValueType>& sample_types() const { return sample_types_; }
  uint64_t default_sample_type() const { return default_sample_type_; }  // text
  const ValueType& period_type() const { return period_type_; }
  int64_t period() const { return period_; }
  uint64_t drop_frames() const { return drop_frames_; }  // text: a regular expression
  uint64_t keep_frames() const { return keep_frames_; }
  // Whether aiflame-export wrote it: its functions are frames, its comments lines of folded text.
  bool is_exported() const;
  const std::vector<uint64_t>& comments() const { return comments_; }  // texts

  std::string_view text(uint64_t number) const;
  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Location>& locations() const { return locations_; }
  // The function of a line, by its number; IdTable::kNone if it has none.
  uint32_t function_of(uint32_t line) const { return function_ids_.number(lines_[line]); }
  uint32_t location_number(uint64_t id) const { return location_ids_.number(id); }
  // The file of a mapping, by its id; empty if there is none.
  std::string_view mapping_file(uint64_t id) const;
  // The file of the first mapping, by convention the program.
  std::string_view program() const { return mappings_.empty() ? "" : text(mappings_[0]); }

  // Each with its number, from 1. The sample is valid during the call.
  void read_samples(const std::function<void(uint64_t number, const Sample& sample)>& each) const;

  // By type, whether any sample has a value other than 0. Stops where the type `enough` has one.
  std::vector<bool> types_with_values(size_t enough) const;

  // Frames and labels that were made of texts: a small message could name a long text a million
  // times. Throws Error if they are many times the message.
  void count_text(size_t bytes) const;
  uint64_t size() const { return message_.size(); }
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void read_tables();
  void read_mapping(std::string_view message);
  void read_location(std::string_view message);
  void read_function(std::string_view message);

  std::string_view message_;
  std::string name_;
  std::vector<std::string_view> texts_;
  std::vector<ValueType> sample_types_;
  std::vector<Function> functions_;
  std::vector<Location> locations_;
  std::vector<uint64_t> lines_;     // of all locations: ids of functions
  std::vector<uint64_t> mappings_;  // files: texts
  IdTable function_ids_, location_ids_, mapping_ids_;
  uint64_t default_sample_type_ = 0, drop_frames_ = 0, keep_frames_ = 0;
  ValueType period_type_{};
  std::vector<uint64_t> comments_;
  int64_t period_ = 0;
  mutable uint64_t text_bytes_ = 0;
};

}  // namespace aiflame::pprof
