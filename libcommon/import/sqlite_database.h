// SPDX-License-Identifier: MIT
// An SQLite file that is not to be trusted, read-only: rows of its tables as they lie there, no
// views, no indices, no expressions of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace aiflame {

class SqliteDatabase;

// The rows of one table, in the order in which they lie in the file.
class SqliteRows {
 public:
  // False at the end. A damaged page ends the table, with a warning; so does more than fits into
  // the file.
  [[nodiscard]] bool next();

  // The columns by their place in SqliteDatabase::rows()'s list. Nothing: NULL, or no such column.
  // Throws Error where the table has something else: a table of other columns under a known name.
  std::optional<int64_t> number(int column) const;
  // As number(). Throws Error where there is nothing.
  int64_t need(int column) const;
  // Valid until next().
  std::optional<std::string_view> text(int column) const;

 private:
  friend class SqliteDatabase;
  SqliteRows() = default;
  bool lacks_values() const;
  [[noreturn]] void refuse(int column, const char* what) const;

  const SqliteDatabase* database_ = nullptr;
  std::string table_;
  std::vector<std::string> names_;  // of the columns
  std::vector<int> at_;             // their places in the statement; -1: the table lacks it
  std::shared_ptr<sqlite3_stmt> statement_;
  int needed_ = 0;
  uint64_t row_ = 0;
  mutable uint64_t text_bytes_ = 0;
};

class SqliteDatabase {
 public:
  // Throws Error if it is no SQLite file.
  explicit SqliteDatabase(const std::string& path);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  const std::string& path() const { return path_; }
  bool has(std::string_view table) const;
  // Whether a table has all of the columns.
  bool has(std::string_view table, const std::vector<std::string>& columns) const;

  // The tables whose names begin so, sorted.
  std::vector<std::string> tables_of(std::string_view prefix) const;

  // The rows of a table with these columns. Columns that it lacks are NULL, but the first `needed`
  // ones: without them this throws Error. No rows of a table that is not there. `ordered`: by its
  // first column, which takes memory.
  SqliteRows rows(std::string_view table, const std::vector<std::string>& columns, size_t needed,
                  bool ordered = false) const;

 private:
  friend class SqliteRows;
  struct Table {
    std::string name;
    std::vector<std::string> columns;
  };

  const Table* find(std::string_view table) const;
  std::shared_ptr<sqlite3_stmt> prepare(const std::string& sql) const;
  [[nodiscard]] bool find_tables();
  void bound_work();
  void read_cut_file();
  void warn_once(const std::string& table, const char* what) const;

  std::string path_;
  sqlite3* handle_ = nullptr;
  std::vector<Table> tables_;
  uint64_t size_ = 0;          // of the file
  mutable uint64_t work_ = 0;  // of SQLite for the last statement, in kStretch instructions
  bool is_cut_ = false;
  mutable bool warned_ = false;
};

}  // namespace aiflame
