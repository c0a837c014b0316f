// SPDX-License-Identifier: MIT
// JSON as a stream: what is read and written again reads the same, and so does every cut of it.
// What is mended keeps its brackets in order, and what needs no mending is read alike.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "libcommon/base/json.h"
#include "libcommon/base/program.h"
#include "libcommon/import/json_reader.h"
#include "tests/fuzz/memory_file.h"

using namespace aiflame;

namespace {

// A line for each token, that tells it from others.
class Tokens : public JsonHandler {
 public:
  void begin_object() override { put('{'), ++depth; }
  void end_object() override { put('}'), --depth; }
  void begin_array() override { put('['), ++depth; }
  void end_array() override { put(']'), --depth; }
  void key(std::string_view text) override { put('k', text); }
  void string(std::string_view text) override { put('s', text); }
  void number(std::string_view text) override { put('n', text); }
  void word(std::string_view text) override { put('w', text); }
  void take_back(size_t to) override {
    if (to > depth) abort();
    depth = to;
  }

  std::string lines;
  size_t depth = 0;

 private:
  void put(char kind, std::string_view text = "") {
    lines.append(1, kind).append(json_string(text)).append(1, '\n');
  }
};

struct Result {
  Tokens tokens;
  JsonEnd end = JsonEnd::whole;
  bool failed = false;
};

bool is_key(std::string_view key) {
  return key == "ph" || key == "name" || key == "dur" || key == "args";
}

Result read(std::string_view before, std::string_view json, JsonRepair* repair = nullptr) {
  static fuzz::MemoryFile file;
  file.set(before, json);
  Result result;
  try {
    ByteSource source(file.path());
    result.end = read_json(source, result.tokens, repair);
  } catch (const Error&) {
    result.failed = true;
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  // decompressed, the input is not where the blanks put it
  if (json.starts_with("\x1f\x8b") || json.starts_with("\x28\xb5\x2f\xfd")) return 0;
  const Result result = read("", json);
  if (!result.failed && result.end == JsonEnd::whole && result.tokens.depth != 0) abort();
  // one of its tokens lies in two blocks
  const std::string blanks((size_t{256} << 10) - size % (size_t{256} << 10) / 2, ' ');
  const Result moved = read(blanks, json);
  if (moved.failed != result.failed || moved.end != result.end ||
      moved.tokens.lines != result.tokens.lines)
    abort();
  JsonRepair repair{.elements = {"traceEvents", "ph", is_key, "name", "dur"}};
  const Result mended = read("", json, &repair);
  if (!mended.failed && mended.end == JsonEnd::whole && mended.tokens.depth > 1) abort();
  if (!result.failed && repair.first.empty() && mended.tokens.lines != result.tokens.lines) abort();
  const Result cut = read("", json.substr(0, size / 2));
  if (cut.failed && !result.failed) abort();
  if (!result.tokens.lines.starts_with(cut.tokens.lines) && !result.failed &&
      cut.end == JsonEnd::cut)
    abort();
  return 0;
}
