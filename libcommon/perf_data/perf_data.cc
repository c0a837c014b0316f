// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/perf_data.h"

#include <linux/perf_event.h>
#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <utility>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr std::string_view kMagic = "PERFILE2";
constexpr std::string_view kOtherOrder = "2ELIFREP";
constexpr std::string_view kFirstVersion = "PERFFILE";
constexpr uint64_t kPipeHeader = 16, kFileHeader = 104;
// The largest sections known, tracing data of a whole system, have some megabytes.
constexpr uint64_t kMaxSection = uint64_t{64} << 20;
constexpr uint64_t kMaxIds = uint64_t{16} << 20;
constexpr unsigned kMaxParts = 8192;  // as many CPUs as Linux supports
// Bytes of a file that are mapped at a time. A record that waits for its turn keeps all of them.
// With 64 KiB, reading takes half as long again (`make bench`, data). 4 MiB gain some percent, and
// take 20 MB more.
constexpr uint64_t kWindow = uint64_t{2} << 20;
// Bytes of the next window that are mapped too: no record is longer.
constexpr uint64_t kOverlap = uint64_t{1} << 16;
// For files of at least this size, a WindowKeeper gains more than its thread costs.
constexpr uint64_t kWorthKeeper = 2 * kWindow;

// Records that perf writes between the kernel's.
enum OwnRecord : uint32_t {
  kFirstOwn = 64,
  kHeaderAttribute = 64,
  kTracingData = 66,
  kBuildId = 67,
  kFinishedRound = 68,
  kAuxTrace = 71,
  kEventUpdate = 78,
  kHeaderFeature = 80,
  kCompressed = 81,
  kCompressed2 = 83,
};
}  // namespace

bool is_perf_data(std::string_view first_bytes) {
  return first_bytes.starts_with(kMagic) || first_bytes.starts_with(kOtherOrder) ||
         first_bytes.starts_with(kFirstVersion);
}

bool is_perf_data_directory(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return stat((path + "/data").c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

struct PerfDataReader::Decompressor {
  explicit Decompressor(BlockPool& pool) : cutter(pool) {}
  ~Decompressor() { ZSTD_freeDStream(zstd); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ZSTD_DStream* zstd = ZSTD_createDStream();
  RecordCutter cutter;
};

struct PerfDataReader::Stream {
  explicit Stream(BlockPool& pool) : cutter(pool) {}
  RecordCutter cutter;
  std::unique_ptr<Decompressor> inside;  // made at the first compressed record
  bool unfinished() const {
    return cutter.unfinished() || (inside != nullptr && inside->cutter.unfinished());
  }
};

PerfDataReader::PerfDataReader(ByteSource&& source, std::string directory)
    : source_(std::move(source)),
      directory_(std::move(directory)),
      name_(directory_.empty() ? source_.name() : directory_) {}

PerfDataReader::~PerfDataReader() = default;

void PerfDataReader::fail(const std::string& what) const {
  throw Error(name_ + ": " + what);
}

uint64_t PerfDataReader::late() const {
  return queue_ == nullptr ? 0 : queue_->late();
}

void PerfDataReader::read(Deliver deliver) {
  deliver_ = std::move(deliver);
  queue_ = std::make_unique<RecordQueue>(pool_, deliver_);
  const std::string head(source_.peek(kPipeHeader));
  if (head.starts_with(kOtherOrder))
    fail("is perf.data of a machine of the other byte order; 'perf script' reads it");
  if (head.starts_with(kFirstVersion))
    fail("is perf.data of a perf before 3.0; 'perf script' reads it");
  if (head.size() < kPipeHeader) fail("perf.data is cut short in its header");
  uint64_t size = 0;
  std::memcpy(&size, head.data() + kMagic.size(), sizeof size);
  try {
    if (size == kPipeHeader) {
      if (!directory_.empty()) fail("a pipe's data in a directory");
      read_pipe();
    } else {
      read_file_header();
      if (directory_.empty())
        read_file();
      else
        read_directory();
    }
    queue_->end();
  } catch (const Error& error) {
    // errors of the classes below this one do not name the path
    if (std::string_view(error.what()).starts_with(name_) ||
        std::string_view(error.what()).starts_with("cannot "))
      throw;
    fail(error.what());
  }
}

// ---- the file form -----------------------------------------------------------------------------

std::string PerfDataReader::read_section(const Section& section, const char* what) {
  if (section.size > kMaxSection) fail(format("%s of more than 64 MiB", what));
  // grows with the bytes read, not with the size claimed
  std::string bytes;
  constexpr size_t kStep = size_t{1} << 20;
  while (bytes.size() < section.size) {
    const size_t had = bytes.size();
    const size_t step = std::min<size_t>(kStep, section.size - had);
    bytes.resize(had + step);
    if (section.offset > UINT64_MAX - had) fail(format("%s outside of the file", what));
    const size_t n = source_.read_at(section.offset + had, bytes.data() + had, step);
    bytes.resize(had + n);
    if (n < step) break;
  }
  return bytes;
}

void PerfDataReader::read_file_header() {
  // magic, size, attribute size; attributes, data, event types: offset and size; four flag words
  const std::string bytes = read_section({0, kFileHeader}, "the header");
  ByteCursor cursor(bytes);
  cursor.u64();
  const uint64_t size = cursor.u64();
  const uint64_t attribute_size = cursor.u64();
  Section attributes;
  attributes.offset = cursor.u64();
  attributes.size = cursor.u64();
  data_.offset = cursor.u64();
  data_.size = cursor.u64();
  cursor.bytes(16);
  uint64_t flags[4];
  for (uint64_t& word : flags) word = cursor.u64();
  if (!cursor.ok()) fail("perf.data is cut short in its header");
  if (size < kFileHeader)
    fail(format("a perf.data header of %llu bytes is not known",
                static_cast<unsigned long long>(size)));
  read_attributes(attributes, attribute_size);
  if (data_.size > UINT64_MAX - data_.offset) fail("data outside of the file");
  if (data_.size == 0) {
    // perf writes the size at the end of recording
    data_.size = UINT64_MAX - data_.offset;
    cut_ = true;
    return;
  }
  read_features(data_.offset + data_.size, flags);
}

void PerfDataReader::read_attributes(const Section& section, uint64_t attribute_size) {
  constexpr uint64_t kIds = 16;  // each attribute is followed by offset and size of its ids
  if (attribute_size < PERF_ATTR_SIZE_VER0 + kIds || attribute_size > 65536 ||
      section.size % attribute_size != 0)
    fail("malformed event attributes");
  PerfEvents::check_count(section.size / attribute_size);  // a hole may claim to be millions
  const std::string bytes = read_section(section, "event attributes");
  if (bytes.size() < section.size) fail("perf.data is cut short in its event attributes");
  for (size_t at = 0; at < bytes.size(); at += attribute_size) {
    const std::string_view entry = std::string_view(bytes).substr(at, attribute_size);
    PerfAttribute attribute;
    if (!parse_attribute(entry.substr(0, attribute_size - kIds), attribute))
      fail("malformed event attributes");
    ByteCursor place(entry.substr(attribute_size - kIds));
    Section ids;
    ids.offset = place.u64();
    ids.size = place.u64();
    if (ids.size > kMaxIds) fail("event ids of more than 16 MiB");
    const std::string id_bytes = read_section(ids, "event ids");
    if (id_bytes.size() < ids.size) fail("perf.data is cut short in its event ids");
    ByteCursor cursor(id_bytes);
    while (cursor.left() >= sizeof(uint64_t)) attribute.ids.push_back(cursor.u64());
    metadata_.events.add(std::move(attribute));
  }
}

// After the data: offset and size of each feature's bytes, in the order of the flag bits.
void PerfDataReader::read_features(uint64_t offset, const uint64_t (&flags)[4]) {
  for (uint64_t feature = 0; feature < 256; ++feature) {
    if ((flags[feature / 64] >> feature % 64 & 1) == 0) continue;
    const std::string place = read_section({offset, 16}, "a feature");
    offset += 16;
    if (place.size() < 16) {
      cut_ = true;
      return;
    }
    if (!PerfDataMetadata::has_use_for(feature)) continue;
    ByteCursor cursor(place);
    Section section;
    section.offset = cursor.u64();
    section.size = cursor.u64();
    const std::string bytes = read_section(section, "a feature");
    if (bytes.size() < section.size)
      cut_ = true;
    else
      metadata_.read_feature(feature, bytes);
  }
}

void PerfDataReader::read_file() {
  Stream stream(pool_);
  if (!source_.seekable() || !read_windows(stream)) read_blocks(stream);
  if (stream.unfinished()) cut_ = true;
}

// Reads the records from mapped windows of the file, without copying: with copied stacks, most of
// the file is stacks, of which little is read. False if the system cannot map the file.
bool PerfDataReader::read_windows(Stream& stream) {
  const uint64_t size = source_.size();
  const uint64_t begin = data_.offset;
  const uint64_t end = size < begin ? begin : begin + std::min(data_.size, size - begin);
  if (end - begin < data_.size) cut_ = true;
  const auto map_from = [&](uint64_t from) {
    return source_.map_at(from, static_cast<size_t>(std::min(end - from, kWindow + kOverlap)));
  };
  uint64_t from = begin - begin % FileWindow::kPage;
  next_window_ = map_from(from);
  if (end - begin >= kWorthKeeper && keeper_ == nullptr) {
    keeper_ = std::make_unique<WindowKeeper>();
    pool_.keep_windows(*keeper_);
  }
  for (uint64_t at = begin; at < end; from += kWindow) {
    FileWindow window = std::exchange(next_window_, FileWindow());
    if (window.bytes() == nullptr) {
      if (at == begin) return false;
      fail("cannot be mapped");
    }
    if (end - from > kWindow + kOverlap) {
      next_window_ = map_from(from + kWindow);
      if (keeper_ != nullptr && next_window_.bytes() != nullptr) keeper_->bring(next_window_);
    }
    const size_t mapped = window.size();
    stream.cutter.use(std::move(window), static_cast<size_t>(at - from), mapped);
    take_records(stream, stream.cutter, false);
    at = from + mapped == end ? end : from + stream.cutter.taken();
  }
  return true;
}

void PerfDataReader::read_blocks(Stream& stream) {
  uint64_t done = 0;
  while (done < data_.size) {
    size_t size = 0;
    char* room = stream.cutter.room(size);
    size = static_cast<size_t>(std::min<uint64_t>(size, data_.size - done));
    const size_t n = source_.read_at(data_.offset + done, room, size);
    if (n == 0) {
      cut_ = true;
      break;
    }
    done += n;
    stream.cutter.filled(n);
    take_records(stream, stream.cutter, false);
  }
}

// `data` holds the header and the records that perf made at the start, `data.N` the records of each
// thread. There are no round marks, so all files are read in turn.
void PerfDataReader::read_directory() {
  read_file();
  struct Part {
    std::unique_ptr<ByteSource> source;
    std::unique_ptr<Stream> stream;
  };
  std::vector<Part> parts;
  for (unsigned number = 0; number < kMaxParts; ++number) {
    const std::string path = directory_ + "/data." + std::to_string(number);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) break;
    parts.push_back({std::make_unique<ByteSource>(path), std::make_unique<Stream>(pool_)});
  }
  queue_->allow(2 * parts.size());  // compressed records need a second block
  bool any = true;
  while (any) {
    any = false;
    for (Part& part : parts) {
      if (part.source == nullptr) continue;
      size_t size = 0;
      char* room = part.stream->cutter.room(size);
      const size_t n = part.source->read(room, size);
      if (n == 0) {
        if (part.stream->unfinished()) cut_ = true;
        part.source.reset();
        continue;
      }
      any = true;
      part.stream->cutter.filled(n);
      take_records(*part.stream, part.stream->cutter, false);
    }
  }
}

void PerfDataReader::read_pipe() {
  char header[kPipeHeader];
  for (size_t had = 0; had < sizeof header;) had += source_.read(header + had, sizeof header - had);
  Stream stream(pool_);
  for (;;) {
    size_t size = 0;
    char* room = stream.cutter.room(size);
    const size_t n = source_.read(room, size);
    if (n == 0) break;
    stream.cutter.filled(n);
    take_records(stream, stream.cutter, false);
  }
  if (stream.unfinished() || metadata_.events.size() == 0) cut_ = true;
}

// ---- records -----------------------------------------------------------------------------------

void PerfDataReader::take_records(Stream& stream, RecordCutter& cutter, bool nested) {
  PerfDataRecord record;
  while (cutter.take(record)) {
    if (record.type >= kFirstOwn) {
      take_own(stream, cutter, record, nested);
      continue;
    }
    const uint64_t time = metadata_.events.time_of(record);
    if (time == 0)
      deliver_(record);  // perf synthesized it, for what existed before recording
    else
      queue_->add(time, record, cutter.block());
  }
}

void PerfDataReader::take_own(Stream& stream, RecordCutter& cutter, const PerfDataRecord& record,
                              bool nested) {
  ByteCursor cursor(record.body);
  switch (record.type) {
    case kHeaderAttribute:
      if (!metadata_.add_event(record.body)) fail("malformed event attributes");
      break;
    case kEventUpdate:
      metadata_.update_event(record.body);
      break;
    case kHeaderFeature: {
      const uint64_t feature = cursor.u64();
      if (cursor.ok()) metadata_.read_feature(feature, cursor.rest());
      break;
    }
    case kBuildId:
      metadata_.read_build_id(record.misc, record.body);
      break;
    case kTracingData: {  // its bytes follow the record, padded to a multiple of 8
      const uint64_t size = (uint64_t{cursor.u32()} + 7) & ~uint64_t{7};
      if (size > kMaxSection) fail("tracing data of more than 64 MiB");
      metadata_.tracing_data.clear();
      cutter.skip(size, &metadata_.tracing_data);
      break;
    }
    case kAuxTrace:
      cutter.skip(cursor.u64());
      break;
    case kFinishedRound:
      queue_->end_round();
      break;
    case kCompressed:
    case kCompressed2:
      if (nested) fail("compressed data inside of compressed data");
      if (record.type == kCompressed) {
        decompress(stream, record.body);
      } else {
        const uint64_t size = cursor.u64();
        decompress(stream, cursor.bytes(size));
        if (!cursor.ok()) fail("malformed compressed data");
      }
      break;
    default:
      break;
  }
}

void PerfDataReader::decompress(Stream& stream, std::string_view bytes) {
  if (stream.inside == nullptr) {
    stream.inside = std::make_unique<Decompressor>(pool_);
    if (stream.inside->zstd == nullptr) fail("cannot start zstd");
  }
  Decompressor& inside = *stream.inside;
  if (!expansion_.add(bytes.size(), 0)) fail(Expansion::kRefused);
  queue_->bound(expansion_.compressed());
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  for (;;) {
    size_t size = 0;
    char* room = inside.cutter.room(size);
    ZSTD_outBuffer out{room, size, 0};
    const size_t result = ZSTD_decompressStream(inside.zstd, &out, &in);
    if (ZSTD_isError(result)) fail(ZSTD_getErrorName(result));
    if (!expansion_.add(0, out.pos)) fail(Expansion::kRefused);
    inside.cutter.filled(out.pos);
    take_records(stream, inside.cutter, true);
    // a full output buffer: there may be more
    if (in.pos == in.size && out.pos < size) break;
    if (out.pos == 0 && in.pos == in.size) break;
  }
}

}  // namespace aiflame
