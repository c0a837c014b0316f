// SPDX-License-Identifier: MIT
// Damages every kind of input: cuts it, flips bits, and writes huge numbers where a length may
// stand. The program must give a result or an error that names the input, never an "internal"
// error. Where the format says where its end is, a cut that loses something must cause a warning.
// Random bytes are for make fuzz.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "tools/aiflame-svg/draw/svg.h"
#include "tools/aiflame-svg/read_stacks.h"
#include "tools/aiflame-svg/settings.h"
#include "tools/stackcollapse-aiflame/collapse.h"

namespace aiflame::svg {

using namespace collapse;

namespace {

namespace fs = std::filesystem;

// The readers' buffers are large: giving them back each time would be most of the work.
const int kKeepMemory = mallopt(M_MMAP_THRESHOLD, 64 << 20) + mallopt(M_TRIM_THRESHOLD, 256 << 20);

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void spill(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Captures standard error for as long as it lives: warnings are part of a result.
class Warnings {
 public:
  Warnings() : memory_(memfd_create("warnings", MFD_CLOEXEC)), before_(dup(STDERR_FILENO)) {
    dup2(memory_, STDERR_FILENO);
  }
  ~Warnings() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(memory_);
  }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  // The warnings since the last call.
  std::string take() const {
    std::string text(static_cast<size_t>(lseek(memory_, 0, SEEK_CUR)), '\0');
    text.resize(
        static_cast<size_t>(std::max<ssize_t>(pread(memory_, text.data(), text.size(), 0), 0)));
    lseek(memory_, 0, SEEK_SET);
    return text;
  }

 private:
  int memory_, before_;
};

struct Result {
  bool refused = false;
  std::string text;  // the output, or the error
  std::string warnings;
};

using Program = std::function<std::string(const std::string& path)>;

std::string collapse(const std::string& path) {
  static const std::string out_path =
      testing::TempDir() + "damaged.out." + std::to_string(getpid());
  Settings settings;
  settings.device.levels = parse_levels("file,kernel,function,mnemonic,reason,offset");
  Collapse stacks(settings);
  stacks.read(path);
  Output out(out_path);
  stacks.write(out);
  out.close();
  std::string text = slurp(out_path);
  unlink(out_path.c_str());
  const Statistics& read = stacks.statistics();
  const auto drawn = read.device.find(read.drawn);
  uint64_t sum = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    sum += std::strtoull(line.c_str() + line.rfind(' '), nullptr, 10);
  if (drawn != read.device.end()) {
    const EventCounts& counts = drawn->second;
    EXPECT_EQ(sum, counts.samples);
    EXPECT_EQ(sum, counts.exact + counts.apportioned + counts.unattributed);
  }
  return text;
}

std::string draw(const std::string& path) {
  SvgSettings settings;
  const Stacks stacks = read_stacks({path}, LexOptions());
  if (stacks.tree.total(FlameTree::kRoot) == 0) throw Error(path + ": no stacks");
  settings.drawing.decimals = stacks.decimals;
  settings.drawing.total = stacks.tree.total(FlameTree::kRoot);
  std::string svg;
  write_svg(stacks.tree, choose_palette(settings, false), settings.drawing,
            [&](std::string_view text) { svg += text; });
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  return svg;
}

// One input in all its damaged forms.
class Sweep {
 public:
  // `file` is damaged, `input` is given to the program. They differ for a directory.
  Sweep(Program program, fs::path file, fs::path input)
      : program_(std::move(program)),
        file_(std::move(file)),
        input_(std::move(input)),
        whole_(slurp(file_)) {}
  ~Sweep() { spill(file_, whole_); }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  // Whether the format says where its end is. A perf.data pipe does not, but its records do.
  enum class Ends { unknown, known, by_record };
  // The number of cuts and of damaged places, evenly spread; times AIFLAME_SWEEP.
  struct Effort {
    size_t cuts, places;
  };

  void run(Ends ends, Effort effort) {
    if (const char* more = std::getenv("AIFLAME_SWEEP"); more != nullptr) {
      effort.cuts *= std::strtoul(more, nullptr, 10);
      effort.places *= std::strtoul(more, nullptr, 10);
    }
    ASSERT_FALSE(whole_.empty()) << file_;
    const Warnings warnings;
    const Result honest = result_of(whole_, warnings);
    ASSERT_FALSE(honest.refused) << honest.text;
    ASSERT_FALSE(honest.text.empty());
    const size_t cut_step = whole_.size() / effort.cuts + 1;
    const size_t step = whole_.size() / effort.places + 1;
    std::set<size_t> unseen{0};
    if (ends == Ends::by_record) unseen.merge(record_ends());
    for (size_t cut = 0; cut < whole_.size(); cut += cut_step) {
      const Result result = result_of(whole_.substr(0, cut), warnings);
      expect_right(result, "cut", cut);
      if (ends != Ends::unknown && !result.refused && result.text != honest.text &&
          unseen.count(cut) == 0) {
        EXPECT_NE(result.warnings, "") << file_ << " cut at " << cut;
      }
    }
    for (size_t at = 0; at < whole_.size(); at += step) {
      for (const unsigned bit : {0u, 3u, 7u})
        try_bytes(at, {char(whole_[at] ^ (1 << bit))}, warnings);
      try_bytes(at, {'\xff'}, warnings);
      try_bytes(at, {'\0'}, warnings);
    }
    // every aligned place where a length could stand
    for (size_t at = 0; at < whole_.size(); at += std::max<size_t>(8, step & ~size_t{7})) {
      try_bytes(at + 6, "\xff\xff", warnings);
      try_bytes(at + 4, std::string("\xff\xff\xff\x7f", 4), warnings);
      try_bytes(at, std::string(8, '\xff'), warnings);
      try_bytes(at, std::string("\0\0\0\0\0\1\0\0", 8), warnings);
      try_bytes(at, std::string("\0\0\0\0\0\0\0\x80", 8), warnings);
    }
  }

 private:
  // Where the records of a pipe end. A record begins with type, misc and size. After records of two
  // types follow bytes that are no records.
  std::set<size_t> record_ends() const {
    constexpr uint32_t kTracing = 66, kAuxTrace = 71;
    std::set<size_t> out{16};
    for (uint64_t at = 16; at + 16 <= whole_.size();) {
      uint32_t type = 0, bytes = 0;
      uint16_t size = 0;
      std::memcpy(&type, whole_.data() + at, sizeof type);
      std::memcpy(&size, whole_.data() + at + 6, sizeof size);
      std::memcpy(&bytes, whole_.data() + at + 8, sizeof bytes);
      if (size < 8) break;
      at += size;
      if (type == kTracing || type == kAuxTrace) at += (bytes + uint64_t{7}) & ~uint64_t{7};
      out.insert(at);
    }
    return out;
  }

  Result result_of(const std::string& bytes, const Warnings& warnings) {
    spill(file_, bytes);
    Result out;
    try {
      out.text = program_(input_.string());
    } catch (const Error& error) {
      out.refused = true;
      out.text = error.what();
    }
    out.warnings = warnings.take();
    return out;
  }

  void expect_right(const Result& result, const char* what, size_t at) const {
    const std::string place = file_.string() + " " + what + " at " + std::to_string(at);
    EXPECT_EQ(result.warnings.find("internal"), std::string::npos) << place;
    if (!result.refused) return;
    EXPECT_EQ(result.text.find("internal"), std::string::npos) << place << ": " << result.text;
    EXPECT_NE(result.text.find(input_.string()), std::string::npos)
        << place << ": the message does not name the input: " << result.text;
  }

  void try_bytes(size_t at, std::string_view bytes, const Warnings& warnings) {
    if (at + bytes.size() > whole_.size()) return;
    std::string damaged = whole_;
    damaged.replace(at, bytes.size(), bytes);
    expect_right(result_of(damaged, warnings), "changed", at);
  }
  void try_bytes(size_t at, std::initializer_list<char> bytes, const Warnings& warnings) {
    try_bytes(at, std::string_view(bytes.begin(), bytes.size()), warnings);
  }

  Program program_;
  fs::path file_, input_;
  std::string whole_;
};

class DamagedInput : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/aiflame-damaged-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }
  fs::path at(const char* name) const { return dir_ / name; }
  bool shell(const std::string& command) const {
    return std::system(("cd " + dir_.string() + " && " + command + " 2> err").c_str()) == 0;
  }
  static void sweep(const Program& program, const fs::path& file, Sweep::Ends ends) {
    Sweep(program, file, file).run(ends, {250, 40});
  }
  // Writes the made perf.data `name` to `path`. False without python3.
  bool made(const char* name, const fs::path& path) const {
    const std::string command = "python3 -B tests/recorded/perf_data.py ";
    return std::system((command + name + " > " + path.string()).c_str()) == 0;
  }

  fs::path dir_;
};

class MadePerfData : public DamagedInput, public testing::WithParamInterface<const char*> {};

TEST_P(MadePerfData, IsReadOrRefused) {
  if (!made(GetParam(), at("made.data"))) GTEST_SKIP() << "python3 is missing";
  sweep(collapse, at("made.data"),
        GetParam() == std::string_view("pipe") ? Sweep::Ends::by_record : Sweep::Ends::known);
}

INSTANTIATE_TEST_SUITE_P(Forms, MadePerfData,
                         testing::Values("file", "pipe", "events", "group", "branches", "maps",
                                         "compressed", "unwound"));

// What perf itself writes when it records `perf --version`.
class RecordedPerfData : public DamagedInput, public testing::WithParamInterface<const char*> {};

TEST_P(RecordedPerfData, IsReadOrRefused) {
  const std::string options = GetParam();
  const bool pipe = options == "-g -o -";
  if (!shell("perf record -q -e cpu-clock:u -c 100000 " + options +
             (pipe ? "" : " -o recorded.data") + " -- sh -c 'perf --version > /dev/null'" +
             (pipe ? " > recorded.data" : "")))
    GTEST_SKIP() << "perf record " << options << " fails here: " << slurp(at("err"));
  // looking up the program's symbols costs more than all of the reading
  constexpr Sweep::Effort kEffort{60, 8};
  const fs::path recorded = at("recorded.data");
  std::vector<fs::path> files{recorded};
  if (fs::is_directory(recorded)) {
    files.clear();
    for (const auto& file : fs::directory_iterator(recorded))
      if (file.file_size() > 0) files.push_back(file.path());
    ASSERT_GE(files.size(), 2u);
  }
  for (const fs::path& file : files) {
    Sweep::Ends ends = pipe ? Sweep::Ends::by_record : Sweep::Ends::known;
    // the parts of a directory have no header
    if (file != recorded && file.filename() != "data") ends = Sweep::Ends::unknown;
    Sweep(collapse, file, recorded).run(ends, kEffort);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, RecordedPerfData,
                         testing::Values("-g", "-g -z", "-g --threads", "--call-graph dwarf,512",
                                         "-g -o -"));

TEST_F(DamagedInput, PerfScriptText) {
  spill(at("script"), slurp("tests/data/stackcollapse-aiflame/cpu.perf-script"));
  sweep(collapse, at("script"), Sweep::Ends::unknown);
}

TEST_F(DamagedInput, Gpustall) {
  spill(at("gpustall"), slurp("tests/data/stackcollapse-aiflame/matmul.gpustall"));
  sweep(collapse, at("gpustall"), Sweep::Ends::known);
}

TEST_F(DamagedInput, GpustallInZstd) {
  const std::string text = slurp("tests/data/stackcollapse-aiflame/matmul.gpustall");
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  spill(at("gpustall.zst"), packed);
  sweep(collapse, at("gpustall.zst"), Sweep::Ends::known);
}

TEST_F(DamagedInput, GpustallInGzip) {
  const std::string text = slurp("tests/data/stackcollapse-aiflame/matmul.gpustall");
  const gzFile out = gzopen(at("gpustall.gz").c_str(), "wb");
  ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  gzclose(out);
  sweep(collapse, at("gpustall.gz"), Sweep::Ends::known);
}

TEST_F(DamagedInput, Folded) {
  for (const char* name : {"layers.in", "differential.in"}) {
    spill(at("folded"), slurp(std::string("tests/data/aiflame-svg/") + name));
    sweep(draw, at("folded"), Sweep::Ends::unknown);
  }
}

}  // namespace
}  // namespace aiflame::svg
