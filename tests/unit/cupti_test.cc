// SPDX-License-Identifier: MIT
// What of the CUPTI agent and its source needs no CUDA.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "plugins/agents/common/hash.h"
#include "plugins/agents/cupti/cubin.h"
#include "plugins/agents/cupti/function_names.h"
#include "plugins/agents/cupti/settings.h"
#include "plugins/agents/cupti/stall_names.h"
#include "plugins/sources/cupti/gpus.h"

namespace aiflame::agent::cupti {
namespace {

std::string named(const char* metric) {
  char name[64];
  return stall_name(metric, name, sizeof name) ? name : "-";
}

TEST(StallNames, OfBothFamiliesWithoutTheTwins) {
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_long_scoreboard"), "long_scoreboard");
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"), "-");
  EXPECT_EQ(named("smsp__pcsamp_warp_stall_no_instructions"), "no_instructions");
  EXPECT_EQ(named("smsp__pcsamp_warp_stall_no_instructions_not_issued"), "-");
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_selected"), "selected");
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_not_selected"), "not_selected");
  EXPECT_EQ(named("smsp__pcsamp_warps_issue_stalled_not_selected_not_issued"), "-");
}

TEST(StallNames, OfAFamilyThatIsNotKnown) {
  EXPECT_EQ(named("smsp__pcsamp_something_new"), "something_new");
  EXPECT_EQ(named("else__where"), "else__where");
  EXPECT_EQ(named("smsp__pcsamp_sample_count"), "-");
  EXPECT_EQ(named("smsp__pcsamp_samples_data_dropped"), "-");
  EXPECT_EQ(named(""), "-");
  char small[4];
  ASSERT_TRUE(stall_name("smsp__pcsamp_warp_stall_barrier", small, sizeof small));
  EXPECT_STREQ(small, "bar");
}

std::vector<std::string> released;
void release(void* name) {
  released.emplace_back(static_cast<char*>(name));
  std::free(name);
}

TEST(FunctionNames, ThatComeAgainAreSharedAndStay) {
  released.clear();
  FunctionNames names(release);
  char one[] = "one", other[] = "other";
  for (int read = 0; read < 5000; ++read) {
    char* records[] = {other, one, one, read % 2 == 0 ? one : other};
    names.take(records, 4);
  }
  EXPECT_TRUE(released.empty());
}

TEST(FunctionNames, OfManyFunctionsStay) {
  released.clear();
  FunctionNames names(release);
  std::vector<std::string> functions(9000);
  for (size_t i = 0; i < functions.size(); ++i) {
    functions[i] = "function" + std::to_string(i / 2);
    char* record = functions[i].data();
    names.take(&record, 1);
  }
  EXPECT_TRUE(released.empty());
}

TEST(FunctionNames, ThatAreCopiesAreFreedOnce) {
  released.clear();
  FunctionNames names(release);
  size_t made = 0;
  for (int read = 0; read < 2000; ++read) {
    // a read's records share theirs, or do not
    char* name = strdup(read % 3 == 0 ? "scale" : "add");
    char* records[] = {name, strdup("scale"), name};
    made += 2;
    names.take(records, 3);
    if (read == 1000) {
      EXPECT_TRUE(released.empty());
    }
  }
  for (int read = 0; read < 100; ++read) {
    std::vector<char*> records(100);
    for (char*& record : records) record = strdup("add");
    made += records.size();
    names.take(records.data(), records.size());
  }
  EXPECT_EQ(released.size(), made);
}

TEST(Settings, OfTheRecordersText) {
  const Settings none = parse_settings(nullptr);
  EXPECT_FALSE(none.sample);
  EXPECT_FALSE(parse_settings("other interval=10").sample);
  EXPECT_FALSE(parse_settings("").sample);
  const Settings all =
      parse_settings("cupti interval=250 period=4096 mode=exact duty=10 place=0000:3d:00.0");
  EXPECT_TRUE(all.sample);
  EXPECT_TRUE(all.exact);
  EXPECT_EQ(all.interval_ms, 250u);
  EXPECT_EQ(all.period_log2, 12u);
  EXPECT_EQ(all.duty, 10u);
  EXPECT_STREQ(all.place, "0000:3d:00.0");
}

TEST(Settings, OfNonsenseAreThoseOfNothing) {
  const Settings odd = parse_settings(
      "cupti interval=1 period=1 mode= duty=0 duty=101 "
      "place=0123456789012345678901234567890123456789"
      "0123456789 what =3 interval==");
  EXPECT_TRUE(odd.sample);
  EXPECT_FALSE(odd.exact);
  EXPECT_EQ(odd.interval_ms, 100u);
  EXPECT_EQ(odd.period_log2, 0u);
  EXPECT_EQ(odd.duty, 100u);
  EXPECT_STREQ(odd.place, "");
  EXPECT_EQ(parse_settings("cupti interval=99999999999999999999").interval_ms, 100u);
  EXPECT_EQ(parse_settings("cupti period=99999999999").period_log2, 31u);
}

// What tells cubins apart that CUPTI takes for one.
TEST(HashOfACubin, TellsWhatDiffersInOneBit) {
  std::string content(3704, 'x');
  const uint64_t hash = hash_bytes(content.data(), content.size());
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] ^= 1;
    EXPECT_NE(hash_bytes(content.data(), content.size()), hash) << i;
    content[i] ^= 1;
  }
  EXPECT_EQ(hash_bytes(content.data(), content.size()), hash);
  EXPECT_NE(hash_bytes(content.data(), content.size() - 1), hash);
}

// A file of a section .text.scale at 0x40 with `scale` and a function inside it.
std::string some_cubin() {
  std::string file(sizeof(Elf64_Ehdr), '\0');
  file += std::string(0x100, 'i');
  Elf64_Shdr sections[4]{};
  sections[1].sh_type = SHT_PROGBITS;
  sections[1].sh_offset = 0x40;
  sections[1].sh_size = 0x100;
  const std::string names("\0scale\0$scale$helper\0outside\0", 29);
  Elf64_Sym symbols[4]{};
  const uint32_t name_at[] = {0, 1, 7, 21};
  const uint64_t value[] = {0, 0, 0xb0, 0x100};
  for (int i = 1; i < 4; ++i) {
    symbols[i].st_name = name_at[i];
    symbols[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbols[i].st_shndx = 1;
    symbols[i].st_value = value[i];
    symbols[i].st_size = 0x10;
  }
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_entsize = sizeof(Elf64_Sym);
  sections[2].sh_link = 3;
  sections[2].sh_offset = file.size();
  sections[2].sh_size = sizeof symbols;
  file.append(reinterpret_cast<const char*>(symbols), sizeof symbols);
  sections[3].sh_type = SHT_STRTAB;
  sections[3].sh_offset = file.size();
  sections[3].sh_size = names.size();
  file += names;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = file.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  file.append(reinterpret_cast<const char*>(sections), sizeof sections);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

TEST(CubinFunctions, LieWhereTheirSectionsAre) {
  const std::string file = some_cubin();
  const CubinFunctions functions = cubin_functions(file.data(), file.size());
  EXPECT_EQ(functions.count, 2u);
  EXPECT_EQ(functions.file_offset_of("scale"), 0x40u);
  EXPECT_EQ(functions.file_offset_of("$scale$helper"), 0xf0u);
  EXPECT_EQ(functions.file_offset_of("outside"), SIZE_MAX);
  EXPECT_EQ(functions.file_offset_of("nothing"), SIZE_MAX);
  std::free(functions.sorted);
}

TEST(CubinFunctions, OfACutOrBentFileAreFewer) {
  const std::string file = some_cubin();
  for (size_t bytes = 0; bytes < file.size(); ++bytes) {
    const std::string cut = file.substr(0, bytes);
    const CubinFunctions functions = cubin_functions(cut.data(), cut.size());
    EXPECT_LE(functions.count, 2u);
    std::free(functions.sorted);
  }
  for (size_t i = 0; i < file.size(); ++i) {
    std::string bent = file;
    bent[i] = '\xff';
    const CubinFunctions functions = cubin_functions(bent.data(), bent.size());
    EXPECT_LE(functions.count, kMaxCubinFunctions);
    std::free(functions.sorted);
  }
}

TEST(NvidiaGpus, AreNamedByTheDriver) {
  EXPECT_EQ(source::cupti::model_in("Model: \t\t NVIDIA H200\nIRQ:   \t\t 11\n"), "NVIDIA H200");
  EXPECT_EQ(source::cupti::model_in("IRQ: 11\nModel:\n"), "");
  EXPECT_EQ(source::cupti::model_in("Modeling: x"), "");
  EXPECT_EQ(source::cupti::model_in(""), "");
}

TEST(NvidiaGpus, AreForAdminsWhereTheDriverSaysSo) {
  EXPECT_TRUE(source::cupti::is_for_admins_only("Mobile: 4294967295\nRmProfilingAdminOnly: 1\n"));
  EXPECT_FALSE(source::cupti::is_for_admins_only("RmProfilingAdminOnly: 0\n"));
  EXPECT_FALSE(source::cupti::is_for_admins_only(""));
}

}  // namespace
}  // namespace aiflame::agent::cupti
