// SPDX-License-Identifier: MIT
// The parts of the perf.data reader, each by itself. Whole files: tests/cli/perf_data.bats.
#include "libcommon/perf_data/perf_data.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/perf_data/perf_event.h"
#include "libcommon/perf_data/perf_machine.h"
#include "libcommon/perf_data/perf_order.h"

namespace aiflame {
namespace {

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename... T>
std::string words(T... value) {
  std::string out;
  (put(out, static_cast<uint64_t>(value)), ...);
  return out;
}

std::string halves(std::initializer_list<uint32_t> values) {
  std::string out;
  for (const uint32_t value : values) put(out, value);
  return out;
}

std::string record_bytes(uint32_t type, const std::string& body, uint16_t misc = 0) {
  std::string out;
  put(out, type);
  put(out, misc);
  put(out, static_cast<uint16_t>(body.size() + 8));
  return out + body;
}

TEST(PerfEvent, ACursorStopsAtTheEnd) {
  ByteCursor cursor("abc");
  EXPECT_EQ(cursor.u32(), 0u);
  EXPECT_FALSE(cursor.ok());
  ByteCursor product(std::string_view("12345678", 8));
  EXPECT_EQ(product.bytes(UINT64_MAX / 8 + 2, 8), "");
  EXPECT_FALSE(product.ok());
  EXPECT_EQ(ByteCursor(std::string_view("ab\0cd", 5)).text(), "ab");
  EXPECT_EQ(ByteCursor("ab").text(), "ab");
}

PerfAttribute attribute(uint64_t sample_type, uint32_t type = PERF_TYPE_HARDWARE,
                        uint64_t config = 0) {
  PerfAttribute out;
  out.type = type;
  out.config = config;
  out.sample_type = sample_type;
  out.flags = uint64_t{1} << 18;  // sample_id_all
  return out;
}

TEST(PerfEvent, AnAttributeOfAnySizeIsRead) {
  std::string bytes = halves({PERF_TYPE_SOFTWARE, 64}) + words(0, 4000, PERF_SAMPLE_IP, 0, 0x60);
  bytes.resize(64);
  PerfAttribute out;
  ASSERT_TRUE(parse_attribute(bytes, out));
  EXPECT_EQ(out.name, "cpu-clock:u");
  EXPECT_EQ(out.period, 4000u);
  EXPECT_FALSE(parse_attribute(bytes.substr(0, 63), out));
  bytes[4] = 100;  // more bytes than there are
  EXPECT_FALSE(parse_attribute(bytes, out));
  bytes[4] = 8;  // less than the first version
  EXPECT_FALSE(parse_attribute(bytes, out));
}

TEST(PerfEvent, ASampleIsWhollyInItsRecord) {
  const PerfAttribute event = attribute(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
  std::string body = words(0x10, 2, 0x10, 0x20);
  put(body, uint32_t{4});
  body += "args";
  PerfSample sample;
  ASSERT_TRUE(parse_sample(event, body, sample));
  EXPECT_EQ(sample.chain.size(), 16u);
  for (size_t cut = 0; cut < body.size(); ++cut)
    EXPECT_FALSE(parse_sample(event, std::string_view(body).substr(0, cut), sample)) << cut;
  EXPECT_FALSE(parse_sample(event, words(0x10, UINT64_MAX, 0x10), sample));
  EXPECT_FALSE(parse_sample(event, words(0x10, uint64_t{1} << 61, 0x10), sample));
}

TEST(PerfEvent, ARecordBelongsToTheEventOfItsId) {
  PerfEvents events;
  const uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
  for (const uint64_t id : {10u, 20u}) {
    PerfAttribute event = attribute(type);
    event.ids = {id};
    events.add(event);
  }
  const std::string sample = words(20, 0x10, 500);
  EXPECT_EQ(events.of({PERF_RECORD_SAMPLE, 0, sample}), 1u);
  EXPECT_EQ(events.time_of({PERF_RECORD_SAMPLE, 0, sample}), 500u);
  const std::string comm = words(7, 0x61, 600, 10);  // pid, name, time, id
  EXPECT_EQ(events.of({PERF_RECORD_COMM, 0, comm}), 0u);
  EXPECT_EQ(events.time_of({PERF_RECORD_COMM, 0, comm}), 600u);
  const std::string unknown = words(30, 0x10, 500);
  EXPECT_EQ(events.of({PERF_RECORD_SAMPLE, 0, unknown}), PerfEvents::kNone);
  EXPECT_EQ(events.of({PERF_RECORD_SAMPLE, 0, ""}), PerfEvents::kNone);
  EXPECT_EQ(events.time_of({PERF_RECORD_COMM, 0, ""}), 0u);
}

TEST(PerfOrder, RecordsAreCutOutOfAnyPieces) {
  const std::string bytes = record_bytes(3, "first!!!") + record_bytes(9, std::string(60000, 'x')) +
                            record_bytes(66, "") + "payload." + record_bytes(7, "");
  for (const size_t step : {size_t{1}, size_t{7}, size_t{8}, size_t{4096}, bytes.size()}) {
    BlockPool pool;
    RecordCutter cutter(pool);
    std::vector<uint32_t> types;
    for (size_t at = 0; at < bytes.size();) {
      size_t size = 0;
      char* room = cutter.room(size);
      size = std::min({size, step, bytes.size() - at});
      std::memcpy(room, bytes.data() + at, size);
      at += size;
      cutter.filled(size);
      PerfDataRecord record;
      while (cutter.take(record)) {
        types.push_back(record.type);
        if (record.type == 66) cutter.skip(8);
      }
    }
    EXPECT_EQ(types, (std::vector<uint32_t>{3, 9, 66, 7})) << step;
    EXPECT_FALSE(cutter.unfinished());
  }
}

TEST(PerfOrder, ARoundHoldsBackRecordsThatTheNextMayPrecede) {
  BlockPool pool;
  RecordBlock* block = pool.take();
  std::vector<uint16_t> seen;
  RecordQueue queue(pool, [&](const PerfDataRecord& record) { seen.push_back(record.misc); });
  const auto add = [&](uint16_t time) { queue.add(time, {1, time, {}}, block); };
  add(30);
  add(10);
  queue.end_round();
  EXPECT_TRUE(seen.empty());
  add(40);
  add(20);
  queue.end_round();
  EXPECT_EQ(seen, (std::vector<uint16_t>{10, 20, 30}));
  add(35);
  queue.end();
  EXPECT_EQ(seen, (std::vector<uint16_t>{10, 20, 30, 35, 40}));
  EXPECT_EQ(queue.late(), 0u);
  EXPECT_EQ(pool.in_use(), 1u);
  pool.give(block);
}

std::string mmap_body(uint32_t pid, uint64_t start, uint64_t size, uint64_t offset,
                      const std::string& path) {
  return halves({pid, pid}) + words(start, size, offset) + path + '\0';
}

void map(PerfMachine& machine, uint32_t pid, uint64_t start, uint64_t size, uint64_t offset,
         const std::string& path, uint16_t misc = PERF_RECORD_MISC_USER) {
  const std::string body = mmap_body(pid, start, size, offset, path);
  machine.take({PERF_RECORD_MMAP, misc, body});
}

std::string place(PerfMachine& machine, int32_t pid, uint64_t address) {
  const PerfMap* found = machine.find_user(pid, address);
  if (found == nullptr) return "";
  return format("%s %llx", machine.object(found->object).name.c_str(),
                static_cast<unsigned long long>(found->inside(address)));
}

// A file with samples of some kilobytes each.
class PerfDataWindows : public testing::Test {
 protected:
  static constexpr uint64_t kWindow = uint64_t{2} << 20, kOverlap = uint64_t{64} << 10;

  // Writes a file with at most `bytes` of data: as many samples as fit, then `last`.
  void write(uint64_t bytes, const std::string& last = "") {
    std::string body = words(0x10, 0);
    body.resize(4000, 'x');
    const std::string record = record_bytes(PERF_RECORD_SAMPLE, body);
    std::string data;
    while (data.size() + record.size() + last.size() <= bytes) data += record;
    records_ = data.size() / record.size();
    data += last;
    std::string event = halves({PERF_TYPE_SOFTWARE, 64}) +
                        words(0, 4000, PERF_SAMPLE_IP | PERF_SAMPLE_RAW, 0, 0x60);
    event.resize(64);
    constexpr uint64_t kHeader = 104;
    const uint64_t attributes = kHeader, at = kHeader + event.size() + 16;
    std::ofstream(path_, std::ios::binary)
        << "PERFILE2" << words(kHeader, event.size() + 16, attributes, event.size() + 16, at)
        << words(data.size(), 0, 0, 0, 0, 0, 0) << event << words(0, 0) << data;
  }
  uint64_t read() {
    PerfDataReader reader((ByteSource(path_)));
    uint64_t count = 0;
    reader.read([&](const PerfDataRecord&) { ++count; });
    return count;
  }
  ~PerfDataWindows() override { unlink(path_.c_str()); }
  const std::string path_ = testing::TempDir() + "perf_data_test." + std::to_string(getpid());
  uint64_t records_ = 0;
};

// The thread that brings windows in may lag behind the reader, which has often dropped a window
// already. Still each record is read once, whatever the length of the file.
TEST_F(PerfDataWindows, ReadsEachRecordOnceAtAnyLength) {
  for (const uint64_t extra : {uint64_t{0}, kOverlap / 4, kOverlap, kOverlap + 8192, kWindow / 2}) {
    write(3 * kWindow + extra);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(read(), records_) << extra;
  }
}

TEST_F(PerfDataWindows, FailuresInTheMiddleOfTheFile) {
  write(3 * kWindow, std::string(8, '\1'));  // a record of 257 bytes, cut after its header
  EXPECT_EQ(read(), records_);
  write(kWindow / 2, std::string(8, '\0'));
  const uint64_t whole = 3 * kWindow;
  std::filesystem::resize_file(path_, whole);
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(48);
  file << words(whole - 184);
  file.close();
  for (int i = 0; i < 20; ++i) ASSERT_THROW(read(), Error);
}

TEST(PerfMachine, AMapReplacesWhatItOverlaps) {
  PerfMachine machine;
  map(machine, 7, 0x1000, 0x9000, 0x100, "/wide");
  map(machine, 7, 0x3000, 0x1000, 0, "/inside");
  EXPECT_EQ(place(machine, 7, 0x2fff), "/wide 20ff");
  EXPECT_EQ(place(machine, 7, 0x3010), "/inside 10");
  EXPECT_EQ(place(machine, 7, 0x4000), "/wide 3100");
  EXPECT_EQ(place(machine, 7, 0xa000), "");
  EXPECT_EQ(place(machine, 8, 0x3010), "");
  map(machine, 7, 0, UINT64_MAX, 0, "/all");
  EXPECT_EQ(place(machine, 7, 0x3010), "/all 3010");
  map(machine, 7, UINT64_MAX - 5, 100, 0, "/top");
  EXPECT_EQ(place(machine, 7, UINT64_MAX - 1), "/top 4");
}

TEST(PerfMachine, AForkedProcessHasItsOwnMaps) {
  PerfMachine machine;
  map(machine, 7, 0x1000, 0x1000, 0, "/parent");
  const std::string fork = halves({8, 7, 8, 7}) + words(0);
  machine.take({PERF_RECORD_FORK, 0, fork});
  EXPECT_EQ(place(machine, 8, 0x1010), "/parent 10");
  const uint32_t before = machine.user_generation(7);
  map(machine, 8, 0x1000, 0x1000, 0, "/child");
  EXPECT_EQ(place(machine, 8, 0x1010), "/child 10");
  EXPECT_EQ(place(machine, 7, 0x1010), "/parent 10");
  EXPECT_EQ(machine.user_generation(7), before);
  EXPECT_NE(machine.user_generation(8), before);
}

void take_fork(PerfMachine& machine, uint32_t pid, uint32_t parent) {
  const std::string body = halves({pid, parent, pid, parent}) + words(0);
  machine.take({PERF_RECORD_FORK, 0, body});
}

void take_exit(PerfMachine& machine, uint32_t pid, uint32_t tid) {
  const std::string body = halves({pid, 1, tid, 1}) + words(0);
  machine.take({PERF_RECORD_EXIT, 0, body});
}

void take_comm(PerfMachine& machine, uint32_t pid, const std::string& comm) {
  const std::string body = halves({pid, pid}) + comm + '\0';
  machine.take({PERF_RECORD_COMM, 0, body});
}

TEST(PerfMachine, EndedThreadsAndProcessesAreForgotten) {
  PerfMachine machine;
  take_comm(machine, 7, "parent");
  map(machine, 7, 0x1000, 0x1000, 0, "/parent");
  const uint32_t first = 10;
  for (uint32_t pid = first; pid < first + 200000; ++pid) {
    take_fork(machine, pid, 7);
    take_exit(machine, pid, pid);
    // its last samples may follow its end
    ASSERT_EQ(machine.thread(static_cast<int32_t>(pid), static_cast<int32_t>(pid)).comm, "parent");
    ASSERT_EQ(place(machine, static_cast<int32_t>(pid), 0x1010), "/parent 10");
  }
  EXPECT_LT(machine.size(), 66000u);
  EXPECT_EQ(machine.thread(first, first).comm, ":10");
  EXPECT_EQ(place(machine, 7, 0x1010), "/parent 10");
  EXPECT_EQ(machine.thread(7, 7).comm, "parent");
}

TEST(PerfMachine, AnIdThatComesAgainIsNotForgottenForItsFirstEnd) {
  PerfMachine machine;
  take_comm(machine, 7, "parent");
  for (uint32_t round = 0; round < 2; ++round) {
    take_fork(machine, 8, 7);
    map(machine, 8, 0x1000, 0x1000, 0, "/child");
    if (round == 0) take_exit(machine, 8, 8);
  }
  for (uint32_t pid = 10; pid < 70000; ++pid) {
    take_fork(machine, pid, 7);
    take_exit(machine, pid, pid);
  }
  EXPECT_EQ(machine.thread(8, 8).comm, "parent");
  EXPECT_EQ(place(machine, 8, 0x1010), "/child 10");
}

TEST(PerfMachine, AProcessStaysAsLongAsOneOfItsThreads) {
  PerfMachine machine;
  take_comm(machine, 7, "parent");
  take_fork(machine, 8, 7);
  map(machine, 8, 0x1000, 0x1000, 0, "/child");
  const std::string thread = halves({8, 8, 9, 8}) + words(0);
  machine.take({PERF_RECORD_FORK, 0, thread});
  take_exit(machine, 8, 8);
  for (uint32_t pid = 10; pid < 1000; ++pid) {
    take_fork(machine, pid, 7);
    take_exit(machine, pid, pid);
  }
  EXPECT_EQ(place(machine, 8, 0x1010), "/child 10");
}

TEST(PerfMaps, CopiesShareUnchangedMappings) {
  constexpr uint64_t kMaps = 1000;
  PerfMaps parent;
  for (uint64_t i = 0; i < kMaps; ++i) parent.insert({i << 12, (i + 1) << 12, 0, 1, false});
  const size_t held = PerfMaps::held();
  std::vector<PerfMaps> children(100, parent);
  EXPECT_EQ(PerfMaps::held(), held);
  for (PerfMaps& child : children) child.insert({0x800, 0x1800, 0, 2, false});
  // a path in each child, of about 2 log2(1000) mappings
  EXPECT_LT(PerfMaps::held() - held, 100 * 64u);
  const auto object = [](const PerfMaps& maps, uint64_t address) {
    const PerfMap* map = maps.find(address);
    return map == nullptr ? 0 : map->object;
  };
  EXPECT_EQ(object(parent, 0x900), 1u);
  EXPECT_EQ(object(children[3], 0x7ff), 1u);
  EXPECT_EQ(object(children[3], 0x800), 2u);
  EXPECT_EQ(object(children[3], 0x1800), 1u);
  // a grandchild with many changes of its own
  PerfMaps grandchild = children[3];
  for (uint64_t i = 100; i < 800; ++i) grandchild.insert({i << 12, (i + 1) << 12, 0, 3, false});
  EXPECT_EQ(object(grandchild, 0x900), 2u);
  EXPECT_EQ(object(grandchild, uint64_t{100} << 12), 3u);
  EXPECT_EQ(object(grandchild, uint64_t{900} << 12), 1u);
  EXPECT_EQ(object(children[3], uint64_t{100} << 12), 1u);
  children.clear();
  parent.insert({0, 0x1000, 0, 4, false});
  EXPECT_EQ(object(parent, 0x900), 4u);
  EXPECT_EQ(object(grandchild, 0x900), 2u);
}

// The same as a list, in which each address has its mapping.
TEST(PerfMaps, InsertReplacesWhatItOverlaps) {
  std::minstd_rand random(1);
  for (int round = 0; round < 50; ++round) {
    PerfMaps maps;
    std::vector<std::pair<PerfMaps, std::vector<uint32_t>>> forks;
    std::vector<uint32_t> objects(64);
    for (uint32_t object = 1; object < 60; ++object) {
      const uint64_t start = random() % 64, size = 1 + random() % (64 - start);
      maps.insert({start, start + size, 1000 * object, object, false});
      for (uint64_t at = start; at < start + size; ++at) objects[at] = object;
      if (object % 7 == 0) forks.emplace_back(maps, objects);
      if (object % 11 == 0) {
        uint64_t erased = random() % 64;
        const PerfMap* map = maps.find(erased);
        if (map == nullptr) continue;
        const PerfMap gone = *map;
        maps.erase(gone.start);
        for (uint64_t at = gone.start; at < gone.end; ++at) objects[at] = 0;
      }
    }
    forks.emplace_back(maps, objects);
    for (const auto& [fork, expected] : forks)
      for (uint64_t at = 0; at < 64; ++at) {
        const PerfMap* map = fork.find(at);
        ASSERT_EQ(map == nullptr ? 0 : map->object, expected[at]) << at;
      }
  }
  PerfMaps maps;
  maps.insert({0x1000, 0x5000, 0, 1, false});
  maps.insert({0x2000, 0x3000, 0, 2, false});
  ASSERT_NE(maps.find(0x3000), nullptr);
  EXPECT_EQ(maps.find(0x3000)->offset, 0x2000u);
}

TEST(PerfMachine, TheKernelsReferenceSymbolIsKept) {
  PerfMachine machine;
  map(machine, UINT32_MAX, 0xffffffff81000000, 0x1000, 0xffffffff81000000, "[kernel.kallsyms]_text",
      PERF_RECORD_MISC_KERNEL);
  EXPECT_EQ(machine.reference_symbol(), "_text");
  EXPECT_EQ(machine.reference_address(), 0xffffffff81000000);
  const PerfMap* inside = machine.find_kernel(0xffffffff81000010);
  ASSERT_NE(inside, nullptr);
  EXPECT_FALSE(machine.is_after_kernel(inside));
  EXPECT_TRUE(machine.is_after_kernel(machine.find_kernel(0xffffffff82000010)));
  EXPECT_EQ(machine.find_kernel(0xffffffff80000000), nullptr);
}

}  // namespace
}  // namespace aiflame
