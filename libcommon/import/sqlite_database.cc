// SPDX-License-Identifier: MIT
#include "libcommon/import/sqlite_database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

// No text or blob of an export is longer; one that is ends the reading with an error.
constexpr int kLongestValue = 256 << 20;
// A row takes two bytes in its page's list of cells, and at least a length, a row number and a
// header of two bytes.
constexpr uint64_t kSmallestRow = 6;
// SQLite's virtual machine runs some ten instructions for a row and one for each of its columns, of
// which each takes a byte at least. The bound is far above that, and below what can be felt.
constexpr int kStretch = 10000;
constexpr uint64_t kLeastWork = 1000000, kWorkPerByte = 32;
// A row that is sorted takes some 60 bytes, and at least kSmallestRow of the file.
constexpr uint64_t kLeastMemory = 64 << 20, kMemoryPerByte = 16;
constexpr const char* kTooMuch = "more than the file has room for";

// A path as SQLite's URI. immutable: no locks, no journal and no -wal are looked for, which the
// rights that are left would not allow. warn_of_unread_changes() says what that loses.
std::string uri_of(const std::string& path) {
  std::string out = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#')
      out += format("%%%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out + "?mode=ro&immutable=1";
}

uint64_t size_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

// Changes that a program has not written into the file yet.
void warn_of_unread_changes(const std::string& path) {
  for (const char* suffix : {"-wal", "-journal"})
    if (size_of(path + suffix) > 0)
      warn("%s: what is in '%s%s' is not read", path.c_str(), path.c_str(), suffix);
}

// A name as an identifier of SQL.
std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string_view text_of(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace

SqliteDatabase::SqliteDatabase(const std::string& path) : path_(path) {
  // `-` is standard input, which cannot be read twice at any place
  if (path == "-") throw UsageError("an SQLite file is read by its name, not from a pipe");
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode))
    throw Error("cannot read '" + path +
                "': an SQLite file is read in several places, not as a pipe");
  const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int opened = sqlite3_open_v2(uri_of(path).c_str(), &handle_, flags, nullptr);
  if (opened != SQLITE_OK) {
    const int cause = handle_ == nullptr ? 0 : sqlite3_system_errno(handle_);
    sqlite3_close(handle_);
    handle_ = nullptr;
    throw Error("cannot open '" + path +
                "': " + (cause != 0 ? std::string(strerror(cause)) : sqlite3_errstr(opened)));
  }
  // The file's own SQL gets no rights: it cannot write, and its functions are the harmless ones.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle_, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(handle_, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
  sqlite3_limit(handle_, SQLITE_LIMIT_COLUMN, 1000);
  sqlite3_limit(handle_, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle_, SQLITE_LIMIT_WORKER_THREADS, 0);
  size_ = size_of(path);
  bound_work();
  try {
    // 2 = memory: there is no right to make temporary files
    sqlite3_step(prepare("PRAGMA temp_store=2").get());
    if (!find_tables()) read_cut_file();
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
  warn_of_unread_changes(path);
}

SqliteDatabase::~SqliteDatabase() {
  sqlite3_close_v2(handle_);
}

// Pages that name each other make a table of any length. Rows::next() counts its rows, but a
// statement that sorts reads all of them before it hands out the first.
void SqliteDatabase::bound_work() {
  const uint64_t most = kLeastMemory + kMemoryPerByte * size_;
  sqlite3_hard_heap_limit64(static_cast<sqlite3_int64>(most));
  const auto is_too_much = [](void* its) {
    const auto& database = *static_cast<const SqliteDatabase*>(its);
    return ++database.work_ * kStretch > kLeastWork + kWorkPerByte * database.size_ ? 1 : 0;
  };
  sqlite3_progress_handler(handle_, kStretch, is_too_much, this);
}

std::shared_ptr<sqlite3_stmt> SqliteDatabase::prepare(const std::string& sql) const {
  work_ = 0;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr) !=
      SQLITE_OK)
    throw Error(path_ + ": " + sqlite3_errmsg(handle_));
  return {statement, sqlite3_finalize};
}

// SQLite refuses a file that is shorter than its header says, unless it is told to repair it: then
// it reads the tables whose pages are there. Nothing is written, and no SQL of the file is run.
void SqliteDatabase::read_cut_file() {
  const std::string why = sqlite3_errmsg(handle_);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  if (!find_tables()) throw Error(path_ + ": " + why);
  is_cut_ = warned_ = true;
  warn("%s: the file is cut or damaged; what is whole is used", path_.c_str());
}

// Only what is made by CREATE TABLE is a table: neither views nor virtual tables, whatever the list
// calls them. It is read as it lies there, because table_list would look into each view. table_info
// leaves out columns that are expressions. False if the file is damaged.
bool SqliteDatabase::find_tables() {
  tables_.clear();
  sqlite3_stmt* opened = nullptr;
  const char* const sql = "SELECT name, sql FROM main.sqlite_master WHERE type = 'table'";
  const int prepared = sqlite3_prepare_v2(handle_, sql, -1, &opened, nullptr);
  const std::shared_ptr<sqlite3_stmt> list(opened, sqlite3_finalize);
  if (prepared == SQLITE_CORRUPT) return false;
  if (prepared != SQLITE_OK) throw Error(path_ + ": " + sqlite3_errmsg(handle_));
  int state = SQLITE_OK;
  while ((state = sqlite3_step(list.get())) == SQLITE_ROW)
    if (text_of(list.get(), 1).starts_with("CREATE TABLE "))
      tables_.push_back({std::string(text_of(list.get(), 0)), {}});
  if (state == SQLITE_CORRUPT) return false;
  if (state != SQLITE_DONE) throw Error(path_ + ": " + sqlite3_errmsg(handle_));
  for (Table& table : tables_) {
    const auto info = prepare("PRAGMA main.table_info(" + quoted(table.name) + ")");
    while (sqlite3_step(info.get()) == SQLITE_ROW)
      table.columns.emplace_back(text_of(info.get(), 1));
  }
  return true;
}

const SqliteDatabase::Table* SqliteDatabase::find(std::string_view table) const {
  const auto at = std::find_if(tables_.begin(), tables_.end(),
                               [&](const Table& one) { return one.name == table; });
  return at == tables_.end() ? nullptr : &*at;
}

bool SqliteDatabase::has(std::string_view table) const {
  return find(table) != nullptr;
}

bool SqliteDatabase::has(std::string_view table, const std::vector<std::string>& columns) const {
  const Table* known = find(table);
  return known != nullptr &&
         std::all_of(columns.begin(), columns.end(), [&](const std::string& column) {
           return std::find(known->columns.begin(), known->columns.end(), column) !=
                  known->columns.end();
         });
}

std::vector<std::string> SqliteDatabase::tables_of(std::string_view prefix) const {
  std::vector<std::string> out;
  for (const Table& table : tables_)
    if (table.name.starts_with(prefix)) out.push_back(table.name);
  std::sort(out.begin(), out.end());
  return out;
}

SqliteRows SqliteDatabase::rows(std::string_view table, const std::vector<std::string>& columns,
                                size_t needed, bool ordered) const {
  SqliteRows rows;
  const Table* known = find(table);
  if (known == nullptr) return rows;
  rows.database_ = this;
  rows.table_ = table;
  rows.names_ = columns;
  rows.needed_ = static_cast<int>(needed);
  std::string list;
  int count = 0;
  for (const std::string& column : columns) {
    const bool there = has(table, {column});
    if (!there && rows.at_.size() < needed)
      throw Error(path_ + ": table '" + rows.table_ + "' has no column '" + column + "'");
    if (there) list += (list.empty() ? "" : ", ") + quoted(column);
    rows.at_.push_back(there ? count++ : -1);
  }
  if (count == 0) return rows;
  // NOT INDEXED: an index that is damaged on purpose could name rows that are not there
  rows.statement_ = prepare("SELECT " + list + " FROM main." + quoted(table) + " NOT INDEXED" +
                            (ordered ? " ORDER BY " + quoted(columns.front()) : ""));
  return rows;
}

void SqliteDatabase::warn_once(const std::string& table, const char* what) const {
  if (!std::exchange(warned_, true))
    warn("%s: table '%s': %s: what follows is not read", path_.c_str(), table.c_str(), what);
}

bool SqliteRows::next() {
  if (!statement_) return false;
  // Pages that name each other again and again can make a table of 2^64 rows, and give each of them
  // the whole file as its text.
  const uint64_t size = database_->size_;
  int state = SQLITE_OK;
  while (row_ < size / kSmallestRow && text_bytes_ <= 2 * size) {
    state = sqlite3_step(statement_.get());
    if (state != SQLITE_ROW) break;
    ++row_;
    if (!database_->is_cut_ || !lacks_values()) return true;
  }
  if (state == SQLITE_ROW || state == SQLITE_OK || state == SQLITE_INTERRUPT ||
      state == SQLITE_NOMEM) {
    database_->warn_once(table_, kTooMuch);
  } else if (state == SQLITE_CORRUPT || (state & 0xff) == SQLITE_IOERR) {
    database_->warn_once(table_, sqlite3_errmsg(database_->handle_));
  } else if (state != SQLITE_DONE) {
    throw Error(database_->path_ + ": table '" + table_ +
                "': " + sqlite3_errmsg(database_->handle_));
  }
  statement_.reset();
  return false;
}

// The last page of a cut file, which SQLite fills with zeros, has rows of NULLs.
bool SqliteRows::lacks_values() const {
  for (int column = 0; column < needed_; ++column)
    if (sqlite3_column_type(statement_.get(), at_[static_cast<size_t>(column)]) == SQLITE_NULL)
      return true;
  return false;
}

void SqliteRows::refuse(int column, const char* what) const {
  throw Error(database_->path_ + ": table '" + table_ + "', row " + std::to_string(row_) +
              ": column '" + names_[static_cast<size_t>(column)] + "' " + what);
}

std::optional<int64_t> SqliteRows::number(int column) const {
  const int at = at_[static_cast<size_t>(column)];
  if (at < 0) return std::nullopt;
  const int type = sqlite3_column_type(statement_.get(), at);
  if (type == SQLITE_NULL) return std::nullopt;
  if (type != SQLITE_INTEGER) refuse(column, "is not an integer");
  return sqlite3_column_int64(statement_.get(), at);
}

int64_t SqliteRows::need(int column) const {
  const auto value = number(column);
  if (!value) refuse(column, "is NULL");
  return *value;
}

std::optional<std::string_view> SqliteRows::text(int column) const {
  const int at = at_[static_cast<size_t>(column)];
  if (at < 0) return std::nullopt;
  const int type = sqlite3_column_type(statement_.get(), at);
  if (type == SQLITE_NULL) return std::nullopt;
  if (type != SQLITE_TEXT) refuse(column, "is not text");
  const std::string_view text = text_of(statement_.get(), at);
  text_bytes_ += text.size();
  return text;
}

}  // namespace aiflame
