// SPDX-License-Identifier: MIT
// Mends the JSON of traces. Profilers have written texts as they are for years:
//
//   {"ph": "X", "name": "void f<"x">()", "dur": 40.007}      unescaped quotes
//   {"ph": "X", "name": "C:\Users\x.py(41): step"}           \U is no escape
//   {"args": {"occupancy %": N/A, "group": , "x": 1}}        no value of JSON
//
// A trace is a list of elements, each an object, in the outermost array or in a member of the
// outermost object. What is wrong with one element is mended in that element, or loses that element
// alone. An element has one reading: where its quotes allow none that closes all of its brackets
// and names each of its keys once, it is lost and not guessed at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// What the elements look like.
struct JsonElements {
  std::string_view list;             // the member that holds them: "traceEvents"
  std::string_view needed;           // a key that each of them has: "ph"
  bool (*is_key)(std::string_view);  // no other key is in an element itself
  std::string_view text;  // the key whose text may hold quotes: "name"; those inside of it may, too
  std::string_view weight;  // what no broken text may hold, as it would be guessed at: "dur"
};

struct JsonRepair {
  JsonElements elements;
  bool strict = false;  // refuse what would be mended

  // ---- what the reader has done ----
  uint64_t mended = 0;  // places
  uint64_t lost = 0;    // elements
  std::string first{};  // "path:line: what", of the first of them
};

// A token of an element, as it is written. Strings are without their quotes.
struct JsonToken {
  enum class Kind : uint8_t { begin_object, end_object, begin_array, end_array, key, string, bare };
  Kind kind;
  std::string_view text;
};

// Reads an element that is not JSON: `text`, from its first bracket to its last. False: nothing
// closes all brackets, or it takes too long to find. The time is linear in the size.
[[nodiscard]] bool read_broken_element(std::string_view text, const JsonElements& elements,
                                       std::vector<JsonToken>& tokens);

// The end of an element: behind the first `}` at `from` or later that the next element follows, or
// the end of the list. SIZE_MAX: not in `text`; the caller may look again from `*seen` on with more
// of it. `is_all`: nothing follows `text`.
size_t find_element_end(std::string_view text, size_t from, const JsonElements& elements,
                        bool is_all, size_t* seen);
// The begin of the next element at `from` or later, in the same manner.
size_t find_element(std::string_view text, size_t from, const JsonElements& elements, bool is_all,
                    size_t* seen);

// A number as JSON has it: -1.5e3
bool is_json_number(std::string_view text);
// A value that is no string, from its first byte on: what stands before the next comma, bracket or
// line, without the blanks at its end. Empty where a quote or a colon is in it.
std::string_view bare_value(std::string_view text);

}  // namespace aiflame
