// SPDX-License-Identifier: MIT
// Reads JSON of any size as a stream of tokens: nothing but the current token is held.
//
// Why not RapidJSON or simdjson: traces of real programs break JSON in ways that both refuse. This
// reader takes back what it has handed out, mends the text, and reads on (json_repair.h). simdjson
// also needs the whole text in memory, and traces have gigabytes.
#pragma once

#include <string>
#include <string_view>

#include "libcommon/import/json_repair.h"
#include "libcommon/io/input.h"

namespace aiflame {

// Gets the tokens in their order. Texts are valid during the call. An exception ends the reading.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual void begin_object() {}
  virtual void end_object() {}
  virtual void begin_array() {}
  virtual void end_array() {}
  virtual void key(std::string_view) {}
  // Without quotes, its escapes resolved; maybe not UTF-8. Half of a surrogate pair is U+FFFD.
  virtual void string(std::string_view) {}
  // As it is written: "1.5e3". Times keep all of their digits that way.
  virtual void number(std::string_view) {}
  // true, false and null; and nan, inf, NaN and Infinity, without their sign, which no JSON may
  // hold and some writers write
  virtual void word(std::string_view) {}
  // What was handed out behind `depth` open objects and arrays since the last element began, or
  // since the outermost object did, is taken back: another reading follows.
  virtual void take_back(size_t /*depth*/) {}
};

enum class JsonEnd {
  whole,
  // The input ends before the value does, or is compressed and cut. A number that may go on is not
  // handed out.
  cut,
};

// Reads one value, which is all of the input but for blanks. Throws Error with "path:line: what".
// Values nested deeper than 1000, and tokens longer than 16 MiB, are errors. A compressed source is
// decompressed in a thread of its own.
//
// `repair`: mends what is not JSON (json_repair.h), as far as nothing is guessed, and says what it
// has mended. What no value of JSON is comes as a word() then. The handler must take_back().
JsonEnd read_json(ByteSource& source, JsonHandler& handler, JsonRepair* repair = nullptr);

}  // namespace aiflame
