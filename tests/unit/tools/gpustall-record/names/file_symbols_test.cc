// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/file_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "libcommon/base/parse.h"
#include "libcommon/io/read_text.h"
#include "libcommon/memory/memory_file.h"
#include "libcommon/symbols/demangle.h"
#include "libcommon/symbols/elf.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame::record {
namespace {

// This test program, whose symbols a child reads.
class FileSymbolsTest : public testing::Test {
 protected:
  ~FileSymbolsTest() override { close(self_); }

  // The process number of the child that runs now; 0 = none.
  static pid_t child() {
    const std::string text = read_text("/proc/thread-self/children", 4096);
    std::string_view rest = text;
    return parse_number<pid_t>(take_field(rest)).value_or(0);
  }

  // One with room for the offsets that the tests ask for.
  static ElfFunction some_function(const ElfFile& elf) {
    const auto functions = elf.functions();
    return *std::find_if(functions.begin() + static_cast<ptrdiff_t>(functions.size() / 2),
                         functions.end(), [](const ElfFunction& one) { return one.size >= 16; });
  }

  const int self_ = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const ElfFile elf_{"/proc/self/exe"};
  const ElfFunction function_ = some_function(elf_);
  const uint64_t offset_ = elf_.offset_of_vaddr(function_.start).value();
  FileSymbols symbols_;
  const uint64_t file_ = symbols_.add_file(self_);
};

TEST_F(FileSymbolsTest, FindsTheFunction) {
  const FileSymbols::Symbol* found = symbols_.find({file_, offset_});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, demangle(function_.name, false));
  EXPECT_EQ(found->offset, 0U);
  EXPECT_EQ(symbols_.find({file_, 0}), nullptr);  // the ELF header
  EXPECT_EQ(symbols_.find({file_, UINT64_MAX}), nullptr);
  EXPECT_EQ(symbols_.unread(), 0U);
}

// Debian's libc lacks the names of functions that no other object may call.
TEST_F(FileSymbolsTest, AStrippedLibraryHasTheNamesOfItsDebugFile) {
  const char* const path = "/lib/x86_64-linux-gnu/libc.so.6";
  const ElfFile libc(path);
  const std::string debug_path = debug_file_of(libc.build_id());
  if (access(debug_path.c_str(), R_OK) != 0) GTEST_SKIP() << "libc6-dbg is not installed";
  const ElfFile debug(debug_path);
  const auto functions = debug.functions();
  const auto start = std::find_if(
      functions.begin(), functions.end(),
      [](const ElfFunction& function) { return function.name == "__libc_start_call_main"; });
  ASSERT_NE(start, functions.end());
  ASSERT_FALSE(libc.function_at(start->start + 1));
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  const uint64_t file = symbols_.add_file(descriptor);
  close(descriptor);
  const FileSymbols::Symbol* found =
      symbols_.find({file, libc.offset_of_vaddr(start->start + 1).value()});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "__libc_start_call_main");
  EXPECT_EQ(found->offset, 1U);
}

TEST_F(FileSymbolsTest, ManyPlacesAtOnce) {
  std::vector<FileSymbols::Place> places;
  for (uint64_t i = 0; i < 2000; ++i) places.push_back({file_, offset_ + i});
  symbols_.read_ahead(places);
  kill(child(), SIGKILL);  // no other answer is needed
  EXPECT_NE(symbols_.find(places.front()), nullptr);
  EXPECT_NE(symbols_.find(places[1]), nullptr);
  EXPECT_EQ(symbols_.unread(), 0U);
}

TEST_F(FileSymbolsTest, AFileThatIsNotElfHasNoFunctions) {
  const MemoryFile text("no ELF");
  EXPECT_EQ(symbols_.find({symbols_.add_file(text.descriptor()), 0}), nullptr);
  EXPECT_EQ(symbols_.unread(), 0U);
}

TEST_F(FileSymbolsTest, AChildThatDiesIsReplaced) {
  ASSERT_NE(symbols_.find({file_, offset_}), nullptr);
  for (uint64_t death = 1; death <= 3; ++death) {
    kill(child(), SIGKILL);
    EXPECT_NE(symbols_.find({file_, offset_ + death}), nullptr) << death;
  }
  // often enough: nothing is asked any more, but what is known stays
  kill(child(), SIGKILL);
  EXPECT_EQ(symbols_.find({file_, offset_ + 4}), nullptr);
  EXPECT_NE(symbols_.find({file_, offset_ + 3}), nullptr);
  EXPECT_EQ(symbols_.unread(), 1U);
}

TEST_F(FileSymbolsTest, TheChildHasNoRights) {
#ifdef AIFLAME_SANITIZED
  GTEST_SKIP() << "programs that are built with a sanitizer keep their rights";
#endif
  symbols_.find({file_, offset_});
  const std::string proc = "/proc/" + std::to_string(child());
  const std::string status = read_text(proc + "/status", 65536);
  EXPECT_NE(status.find("NoNewPrivs:\t1\n"), std::string::npos) << status;
  EXPECT_NE(status.find("Seccomp:\t2\n"), std::string::npos) << status;
  if (geteuid() == 0) {
    EXPECT_NE(status.find("Uid:\t65534\t65534\t65534\t65534\n"), std::string::npos) << status;
    EXPECT_NE(status.find("Gid:\t65534\t65534\t65534\t65534\nFDSize"), std::string::npos) << status;
    EXPECT_NE(status.find("Groups:\t \n"), std::string::npos) << status;
    EXPECT_NE(status.find("CapEff:\t0000000000000000\n"), std::string::npos) << status;
  }
  EXPECT_NE(read_text(proc + "/limits", 65536).find("Max core file size        0"),
            std::string::npos);
}

// An ELF file whose symbol table has `size` bytes, of which the file has none.
std::string sparse_elf(int file, uint64_t size) {
  struct {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    Elf64_Shdr sections[3];
    char names[8];
  } elf{};
  std::memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
  elf.header.e_ident[EI_CLASS] = ELFCLASS64;
  elf.header.e_ident[EI_DATA] = ELFDATA2LSB;
  elf.header.e_ident[EI_VERSION] = EV_CURRENT;
  elf.header.e_version = EV_CURRENT;
  elf.header.e_type = ET_DYN;
  elf.header.e_machine = EM_X86_64;
  elf.header.e_ehsize = sizeof elf.header;
  elf.header.e_phoff = offsetof(decltype(elf), segment);
  elf.header.e_phentsize = sizeof elf.segment;
  elf.header.e_phnum = 1;
  elf.header.e_shoff = offsetof(decltype(elf), sections);
  elf.header.e_shentsize = sizeof elf.sections[0];
  elf.header.e_shnum = 3;
  elf.header.e_shstrndx = 2;
  elf.segment = {PT_LOAD, PF_R | PF_X, 0, 0, 0, 4096, 4096, 4096};
  elf.sections[1].sh_type = SHT_SYMTAB;
  elf.sections[1].sh_offset = 4096;
  elf.sections[1].sh_size = size;
  elf.sections[1].sh_entsize = sizeof(Elf64_Sym);
  elf.sections[1].sh_link = 2;
  elf.sections[2].sh_type = SHT_STRTAB;
  elf.sections[2].sh_offset = offsetof(decltype(elf), names);
  elf.sections[2].sh_size = sizeof elf.names;
  if (pwrite(file, &elf, sizeof elf, 0) != sizeof elf) return "cannot write";
  return ftruncate(file, static_cast<off_t>(4096 + size)) == 0 ? "" : "cannot be so large";
}

TEST_F(FileSymbolsTest, AFileBeyondTheMemoryIsGivenUp) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const std::string failure = sparse_elf(fileno(file), SymbolChild::kMemory / 48 * 72);
  if (!failure.empty()) GTEST_SKIP() << "the temporary file " << failure;
  const uint64_t large = symbols_.add_file(fileno(file));
  EXPECT_EQ(symbols_.find({large, 64}), nullptr);
  EXPECT_EQ(symbols_.find({large, 65}), nullptr);
  EXPECT_EQ(symbols_.unread(), 2U);
  EXPECT_NE(symbols_.find({file_, offset_}), nullptr);
  std::fclose(file);
}

}  // namespace
}  // namespace aiflame::record
