// SPDX-License-Identifier: MIT
// How the agents read CPython's objects: compared with what Python reports about its own code, and
// for objects that are not what they seem.
#include "plugins/agents/common/python_code.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/base/parse.h"
#include "plugins/agents/common/hash.h"

namespace aiflame::agent {
namespace {

const PythonLayout& layout_311 = kPythonLayouts[0];

std::string run(const char* command) {
  std::string out;
  FILE* pipe = popen(command, "r");
  char buffer[65536];
  while (const size_t n = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  return pclose(pipe) == 0 ? out : "";
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

uint32_t number(const std::string& text) {
  const auto value = parse_number<uint32_t>(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(0);
}

// Every instruction in a part of the standard library, and in awkward code.
TEST(PythonCode, LinesAsPythonHasThem) {
  const std::string said = run(R"py(python3.11 - 2>/dev/null <<'E'
import argparse, ast, asyncio.base_events, types
def each(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from each(constant)
files = [argparse.__file__, ast.__file__, asyncio.base_events.__file__]
codes = [compile(open(f).read(), f, "exec") for f in files]
codes.append(compile("\n" * 70000 + "x = (1,\n" + "\n" * 3000 + "f(2), y)\nwith a:\n  b\n", "x", "exec"))
for top in codes:
    for code in each(top):
        lines = []
        for start, end, line in code.co_lines():
            lines += [line or 0] * ((end - start) // 2)
        print(code.co_linetable.hex(), code.co_firstlineno, ",".join(map(str, lines)))
E)py");
  if (said.empty()) GTEST_SKIP() << "no python3.11";
  size_t instructions = 0;
  for (const std::string& line : split(said, '\n')) {
    if (line.empty()) continue;
    const auto parts = split(line, ' ');
    std::vector<uint8_t> table;
    for (size_t i = 0; i < parts[0].size(); i += 2) {
      const auto digit = [&](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
      table.push_back(static_cast<uint8_t>(digit(parts[0][i]) << 4 | digit(parts[0][i + 1])));
    }
    const auto lines = split(parts[2], ',');
    for (uint32_t unit = 0; unit < lines.size(); ++unit, ++instructions) {
      const PythonLine found = find_line(table.data(), table.size(), number(parts[1]), unit);
      ASSERT_EQ(found.line, number(lines[unit])) << parts[0] << " at " << unit;
      // the prefix alone decides
      ASSERT_EQ(find_line(table.data(), found.prefix, number(parts[1]), unit).line, found.line);
    }
  }
  EXPECT_GT(instructions, 20000u);
}

TEST(PythonCode, ATableThatEndsTooSoonHasNoLine) {
  const uint8_t table[] = {0xf0, 0x40, 0x40, 0x40};  // a long entry, cut off
  for (size_t bytes = 0; bytes <= sizeof table; ++bytes) {
    const PythonLine found = find_line(table, bytes, 7, 0);
    EXPECT_EQ(found.line, 0u);
    EXPECT_EQ(found.prefix, bytes);
  }
  EXPECT_EQ(find_line(table, 0, 7, PythonPlace::kBefore).line, 7u);
}

// A str of 3.11: PyASCIIObject or PyCompactUnicodeObject, then the characters.
template <typename Character>
std::unique_ptr<uint64_t[]> make_text(const std::basic_string<Character>& text, bool ascii,
                                      uint64_t type = 0) {
  const size_t header = ascii ? layout_311.ascii_text : layout_311.other_text;
  const size_t bytes = text.size() * sizeof(Character);
  auto out = std::make_unique<uint64_t[]>((header + bytes) / 8 + 2);
  out[1] = type;
  out[2] = text.size();
  out[3] = UINT64_MAX;  // no hash yet
  out[4] = python_object::kCompact | (ascii ? python_object::kAscii : 0) |
           sizeof(Character) << python_object::kKindShift;
  std::memcpy(reinterpret_cast<char*>(out.get()) + header, text.data(), bytes);
  return out;
}

template <typename Character>
std::string copied(const std::basic_string<Character>& text, bool ascii, Keep keep, size_t size) {
  const auto object = make_text(text, ascii);
  std::vector<char> out(size);
  const size_t bytes =
      copy_text(layout_311, reinterpret_cast<uint64_t>(object.get()), keep, out.data(), size);
  return std::string(out.data(), bytes);
}

TEST(PythonCode, TextsOfAllWidths) {
  EXPECT_EQ(copied(std::string("f"), true, Keep::end, 100), "f");
  EXPECT_EQ(copied(std::string("gr\xfc\xdf"), false, Keep::end, 100), "grüß");
  EXPECT_EQ(copied(std::u16string(u"函数"), false, Keep::beginning, 100), "函数");
  EXPECT_EQ(copied(std::u32string(U"a🔥"), false, Keep::beginning, 100), "a🔥");
  // surrogateescape returns the byte; other surrogates are no characters
  EXPECT_EQ(copied(std::u16string{u'a', char16_t{0xdcff}, char16_t{0xd800}}, false, Keep::end, 100),
            "a\xff?");
  EXPECT_EQ(copied(std::u32string{char32_t{0x110000}}, false, Keep::end, 100), "?");
  EXPECT_EQ(copied(std::string(), true, Keep::end, 100), "?");
}

TEST(PythonCode, LongTextsAreCutWhereTheySayLeast) {
  EXPECT_EQ(copied(std::string("0123456789"), true, Keep::beginning, 10), "0123456789");
  EXPECT_EQ(copied(std::string("0123456789a"), true, Keep::beginning, 10), "0123456...");
  EXPECT_EQ(copied(std::string("0123456789a"), true, Keep::end, 10), "...456789a");
  // never cuts a character
  EXPECT_EQ(copied(std::u32string(U"🔥🔥🔥"), false, Keep::beginning, 10), "🔥...");
  EXPECT_EQ(copied(std::u32string(U"🔥🔥🔥"), false, Keep::end, 10), "...🔥");
  const std::string megabyte(1 << 20, 'n');
  EXPECT_EQ(copied(megabyte, true, Keep::end, 16), "...nnnnnnnnnnnnn");
}

// A frame of 3.11, its code, and the objects that the code names.
struct Made {
  std::unique_ptr<uint64_t[]> name, file, lines, code, frame;
  PythonTypes types{0x1000, 0x2000, 0x3000};

  explicit Made(const std::string& function = "f", const std::string& path = "/x.py",
                uint32_t first_line = 10) {
    name = make_text(function, true, types.unicode);
    file = make_text(path, true, types.unicode);
    lines = std::make_unique<uint64_t[]>(8);
    lines[1] = types.bytes;
    lines[2] = 8;
    // entries of one unit each, each on its own line: code 11, line + 1, two columns
    const uint8_t table[] = {0xd0, 0, 0, 0xd8, 0, 0, 0xd8, 0};
    std::memcpy(&lines[4], table, sizeof table);
    code = std::make_unique<uint64_t[]>(64);
    code[1] = types.code;
    code[2] = 4;  // units
    put(code, layout_311.code_first_line, first_line);
    put(code, layout_311.code_name, address(name));
    put(code, layout_311.code_file, address(file));
    put(code, layout_311.code_lines, address(lines));
    frame = std::make_unique<uint64_t[]>(16);
    put(frame, layout_311.frame_code, address(code));
    at_unit(1);
  }
  static uint64_t address(const std::unique_ptr<uint64_t[]>& object) {
    return reinterpret_cast<uint64_t>(object.get());
  }
  template <typename T>
  static void put(const std::unique_ptr<uint64_t[]>& object, size_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(object.get()) + offset, &value, sizeof value);
  }
  void at_unit(int64_t unit) const {
    put(frame, layout_311.frame_instruction,
        address(code) + layout_311.code_bytecode + static_cast<uint64_t>(2 * unit));
  }
  PythonCheck read(PythonPlace& place) const {
    return read_place(layout_311, types, address(frame), place);
  }
  uint64_t number() const {
    PythonPlace place;
    KnownTexts known;
    EXPECT_EQ(read(place), PythonCheck::passed);
    return number_of(place, layout_311, known);
  }
  uint32_t line() const {
    PythonPlace place;
    EXPECT_EQ(read(place), PythonCheck::passed);
    return find_line(reinterpret_cast<const uint8_t*>(place.lines), place.line_bytes,
                     place.first_line, place.unit)
        .line;
  }
};

TEST(PythonCode, TheLineThatIsExecuted) {
  Made made;
  made.at_unit(0);
  EXPECT_EQ(made.line(), 10u);
  made.at_unit(1);
  EXPECT_EQ(made.line(), 11u);
}

TEST(PythonCode, ANumberIsOfTheContent) {
  const uint64_t here = Made().number();
  EXPECT_EQ(Made().number(), here);
  EXPECT_NE(Made("g").number(), here);
  EXPECT_NE(Made("f", "/y.py").number(), here);
  EXPECT_NE(Made("f", "/x.py", 11).number(), here);
  // nor does a name share the other's number
  EXPECT_NE(Made("/x.py", "f").number(), here);
  Made elsewhere;
  elsewhere.at_unit(0);
  EXPECT_NE(elsewhere.number(), here);
}

// Objects that were freed, and made anew at the same addresses, are others.
TEST(PythonCode, ANumberIsNotOfTheAddresses) {
  const Made made;
  const uint64_t here = made.number();
  Made::put(made.name, layout_311.ascii_text, 'g');
  EXPECT_NE(made.number(), here);
  Made::put(made.name, layout_311.ascii_text, 'f');
  EXPECT_EQ(made.number(), here);
  Made::put(made.lines, python_object::kBytesText, uint8_t{0xd8});  // the first line is one further
  EXPECT_NE(made.number(), here);
  EXPECT_EQ(made.line(), 12u);
}

TEST(PythonCode, WhatIsNotYetBegunIsHidden) {
  const Made made;
  PythonPlace place;
  made.at_unit(-1);
  EXPECT_EQ(made.read(place), PythonCheck::hidden);
  made.at_unit(1);
  Made::put(made.code, layout_311.code_first_traceable, 2);
  EXPECT_EQ(made.read(place), PythonCheck::hidden);
  Made::put(made.frame, layout_311.frame_owner, char{1});  // a generator's frame has always begun
  EXPECT_EQ(made.read(place), PythonCheck::passed);
}

TEST(PythonCode, WhatCannotBeFails) {
  PythonPlace place;
  const auto fails = [&](auto break_it) {
    const Made made;
    break_it(made);
    return made.read(place) == PythonCheck::failed;
  };
  EXPECT_TRUE(fails([](const Made& m) { m.code[1] = 0x4000; }));
  EXPECT_TRUE(fails([](const Made& m) { m.code[2] = UINT64_MAX; }));
  EXPECT_TRUE(fails([](const Made& m) { m.at_unit(5); }));
  EXPECT_TRUE(fails([](const Made& m) { m.at_unit(-2); }));
  EXPECT_TRUE(fails([](const Made& m) { m.lines[1] = 0; }));
  EXPECT_TRUE(fails([](const Made& m) { m.lines[2] = uint64_t{1} << 40; }));
  for (const uint64_t nowhere :
       {uint64_t{0}, uint64_t{8}, UINT64_MAX - 7, uint64_t{1} << 63, uint64_t{0x7fff'ffff'f000}}) {
    EXPECT_TRUE(fails([&](const Made& m) { Made::put(m.frame, layout_311.frame_code, nowhere); }));
    EXPECT_TRUE(fails([&](const Made& m) { Made::put(m.code, layout_311.code_lines, nowhere); }));
    EXPECT_EQ(read_place(layout_311, PythonTypes{}, nowhere, place), PythonCheck::failed);
  }
}

// A subclass of str has its text elsewhere: the frame stays, without its name.
TEST(PythonCode, ANameThatCannotBeReadIsAQuestionMark) {
  for (const uint64_t name : {uint64_t{0}, uint64_t{24}}) {
    const Made made;
    Made::put(made.code, layout_311.code_name, name);
    PythonPlace place;
    ASSERT_EQ(made.read(place), PythonCheck::passed);
    char out[16];
    EXPECT_EQ(std::string(out, copy_text(layout_311, place.name, Keep::end, out, sizeof out)), "?");
    KnownTexts known;
    number_of(place, layout_311, known);
  }
  const Made made;
  made.name[4] = 0;  // not compact
  PythonPlace place;
  ASSERT_EQ(made.read(place), PythonCheck::passed);
  EXPECT_EQ(place.name, 0u);
}

// A frame of 3.12 and its code, as far as a number is remembered under them.
struct Numbered {
  static constexpr const PythonLayout& layout = kPythonLayouts[1];
  std::unique_ptr<uint64_t[]> code = std::make_unique<uint64_t[]>(64);
  std::unique_ptr<uint64_t[]> frame = std::make_unique<uint64_t[]>(16);

  Numbered() {
    Made::put(code, layout.code_version, uint32_t{7});
    Made::put(code, layout.code_first_line, uint32_t{10});
    Made::put(frame, layout.frame_code, Made::address(code));
    Made::put(frame, layout.frame_instruction, Made::address(code) + layout.code_bytecode);
  }
  uint64_t key(uint64_t interpreter = 0) const {
    return key_of(layout, Made::address(frame), interpreter);
  }
};

TEST(PythonCode, ANumberIsRememberedForTheSameInstructionOfTheSameCode) {
  const Numbered one;
  const uint64_t key = one.key();
  ASSERT_NE(key, 0u);
  EXPECT_EQ(remembered_number(key), 0u);
  remember_number(key, 123);
  EXPECT_EQ(remembered_number(one.key()), 123u);
  const auto is_another = [&](auto change) {
    change();
    const bool is = one.key() != 0 && remembered_number(one.key()) == 0;
    return is;
  };
  const auto put = [&](const auto& object, size_t offset, auto value) {
    return [&object, offset, value] { Made::put(object, offset, value); };
  };
  constexpr const PythonLayout& layout = Numbered::layout;
  // a code object that was made where the other was freed
  EXPECT_TRUE(is_another(put(one.code, layout.code_version, uint32_t{8})));
  Made::put(one.code, layout.code_version, uint32_t{7});
  EXPECT_EQ(remembered_number(one.key()), 123u);
  EXPECT_EQ(remembered_number(one.key(1)), 0u);  // of another interpreter
  EXPECT_TRUE(is_another(put(one.frame, layout.frame_instruction,
                             Made::address(one.code) + layout.code_bytecode + 2)));
  Made::put(one.frame, layout.frame_instruction, Made::address(one.code) + layout.code_bytecode);
  EXPECT_TRUE(is_another(put(one.frame, layout.frame_owner, char{1})));
  Made::put(one.frame, layout.frame_owner, char{0});
  EXPECT_TRUE(is_another(put(one.code, layout.code_first_line, uint32_t{11})));
  Made::put(one.code, layout.code_first_line, uint32_t{10});
  EXPECT_TRUE(is_another(put(one.code, layout.code_lines, uint64_t{8})));
}

TEST(PythonCode, CodeWithoutANumberIsNotRemembered) {
  const Numbered one;
  Made::put(one.code, Numbered::layout.code_version, uint32_t{0});  // the interpreter ran out
  EXPECT_EQ(one.key(), 0u);
  EXPECT_EQ(key_of(layout_311, Made::address(Made().frame), 0), 0u);  // 3.11 has none
  remember_number(0, 1);
  EXPECT_EQ(remembered_number(0), 0u);
  for (const uint64_t nowhere : {uint64_t{0}, uint64_t{8}, UINT64_MAX - 7, uint64_t{1} << 63}) {
    EXPECT_EQ(key_of(Numbered::layout, nowhere, 0), 0u);
    Made::put(one.frame, Numbered::layout.frame_code, nowhere);
    EXPECT_EQ(one.key(), 0u);
  }
}

// A text whose length reaches beyond the mapping.
TEST(PythonCode, ATextLongerThanMemoryIsNotRead) {
  void* page = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<char*>(page) + 4096, 4096, PROT_NONE), 0);
  auto* text = static_cast<uint64_t*>(page);
  text[1] = 0x2000;
  text[2] = 1 << 30;
  text[3] = UINT64_MAX;
  text[4] = python_object::kCompact | python_object::kAscii | 1 << python_object::kKindShift;
  const Made made;
  Made::put(made.code, layout_311.code_name, reinterpret_cast<uint64_t>(text));
  made.number();
  std::vector<char> out(8192);
  for (const Keep keep : {Keep::beginning, Keep::end})
    EXPECT_EQ(copy_text(layout_311, reinterpret_cast<uint64_t>(text), keep, out.data(), 8192), 1u);
  munmap(page, 8192);
}

TEST(Hash, EveryByteCounts) {
  std::string text(200, 'x');
  for (size_t bytes = 0; bytes <= text.size(); ++bytes) {
    const uint64_t hash = hash_bytes(text.data(), bytes);
    if (bytes > 0) {
      EXPECT_NE(hash, hash_bytes(text.data(), bytes - 1));
    }
    for (size_t i = 0; i < bytes; ++i) {
      std::string other = text;
      other[i] = 'y';
      EXPECT_NE(hash, hash_bytes(other.data(), bytes)) << bytes << " " << i;
    }
  }
}

}  // namespace
}  // namespace aiflame::agent
