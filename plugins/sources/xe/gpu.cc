// SPDX-License-Identifier: MIT
#include "plugins/sources/xe/gpu.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <utility>

#include "plugins/sources/xe/obstacle.h"
#include "plugins/sources/xe/xe_uapi.h"

namespace aiflame::source::xe {
namespace {

// The driver's default, and unitrace's: half a microsecond at 2 GHz.
constexpr uint64_t kDefaultPeriod = 1004;

// Repeats an interrupted request, as drmIoctl() of libdrm does.
int request(int fd, unsigned long number, void* argument) {
  int result = 0;
  do result = ioctl(fd, number, argument);
  while (result < 0 && (errno == EINTR || errno == EAGAIN));
  return result;
}

uint64_t address_of(const void* data) {
  return reinterpret_cast<uintptr_t>(data);
}

std::string driver_name(int fd) {
  char name[32] = {};
  Version version{};
  version.name = name;
  version.name_length = sizeof name - 1;
  return request(fd, kIoctlVersion, &version) == 0 ? name : "";
}

template <typename T>
T copied(const std::vector<unsigned char>& from, size_t offset) {
  T out{};
  std::memcpy(&out, from.data() + offset, sizeof out);
  return out;
}

}  // namespace

Gpu::Gpu(const RenderNode& node) {
  fd_ = open(node.path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd_ < 0) throw Error(open_obstacle(node, errno));
  try {
    const std::string driver = driver_name(fd_);
    if (driver != "xe") throw Error(driver_obstacle(node, driver));
    read_sampler();
    read_tiles();
  } catch (...) {
    close(fd_);
    throw;
  }
}

Gpu::~Gpu() {
  if (fd_ >= 0) close(fd_);
}

Gpu::Gpu(Gpu&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      tiles_(std::move(other.tiles_)),
      periods_(std::move(other.periods_)),
      record_bytes_(other.record_bytes_),
      ring_records_(other.ring_records_) {}

// Empty with `error` set when the query fails, and with error 0 when the answer is empty.
std::vector<unsigned char> Gpu::query(uint32_t what, int& error) const {
  // no answer is longer: the longest has some hundred bytes for each GT
  constexpr uint32_t kMaxAnswer = 1 << 20;
  DeviceQuery query{};
  query.query = what;
  error = request(fd_, kIoctlDeviceQuery, &query) == 0 ? 0 : errno;
  if (error != 0 || query.size == 0 || query.size > kMaxAnswer) return {};
  std::vector<unsigned char> answer(query.size);
  query.data = address_of(answer.data());
  error = request(fd_, kIoctlDeviceQuery, &query) == 0 ? 0 : errno;
  return error == 0 ? answer : std::vector<unsigned char>();
}

void Gpu::read_sampler() {
  int error = 0;
  const std::vector<unsigned char> answer = query(kQueryEuStall, error);
  if (answer.size() < sizeof(QueryEuStall)) throw Error(sampler_obstacle(error));
  const auto sampler = copied<QueryEuStall>(answer, 0);
  const uint64_t fit = (answer.size() - sizeof sampler) / sizeof(uint64_t);
  for (uint64_t i = 0; i < std::min(sampler.num_sampling_rates, fit); ++i)
    periods_.push_back(copied<uint64_t>(answer, sizeof sampler + i * sizeof(uint64_t)));
  std::sort(periods_.begin(), periods_.end());
  // the fields are in the first 24 bytes: refuses a record that is shorter, or as long as a ring
  if (periods_.empty() || sampler.record_size < kEuStallRecordBytes ||
      sampler.record_size > sampler.per_xecore_buf_size)
    throw Error(format("records of %" PRIu64 " bytes in rings of %" PRIu64
                       ", which this program does not know: it is older than the driver",
                       sampler.record_size, sampler.per_xecore_buf_size));
  record_bytes_ = sampler.record_size;
  ring_records_ = sampler.per_xecore_buf_size / sampler.record_size;
}

void Gpu::read_tiles() {
  int error = 0;
  const std::vector<unsigned char> answer = query(kQueryGtList, error);
  if (answer.size() < sizeof(QueryGtList))
    throw Error(format("the driver does not list its GTs: %s", std::strerror(error)));
  const auto list = copied<QueryGtList>(answer, 0);
  const size_t fit = (answer.size() - sizeof list) / sizeof(Gt);
  for (size_t i = 0; i < std::min<size_t>(list.num_gt, fit); ++i) {
    const auto gt = copied<Gt>(answer, sizeof list + i * sizeof(Gt));
    // older kernels left gaps in the list (before "iter" in xe_query.c), where number 0 repeats
    const bool repeated = std::any_of(tiles_.begin(), tiles_.end(),
                                      [&](const Tile& tile) { return tile.gt == gt.gt_id; });
    if (gt.type != kGtMain || repeated) continue;
    const auto layout = eu_stall_layout(gt.ip_ver_major, gt.ip_ver_minor);
    if (!layout)
      throw Error(format("graphics version %u.%02u, whose records this program does not know",
                         gt.ip_ver_major, gt.ip_ver_minor));
    tiles_.push_back({gt.gt_id, gt.tile_id, *layout});
  }
  if (tiles_.empty()) throw Error("the driver lists no GT with shader cores");
}

uint64_t Gpu::period(uint64_t wanted) const {
  const auto has = [&](uint64_t n) {
    return std::binary_search(periods_.begin(), periods_.end(), n);
  };
  if (wanted == 0) return has(kDefaultPeriod) ? kDefaultPeriod : periods_[periods_.size() / 2];
  // the driver would round another period down, and the recording would show the wrong one
  if (has(wanted)) return wanted;
  std::string choices;
  for (const uint64_t period : periods_)
    choices += format("%s%" PRIu64, choices.empty() ? "" : ", ", period);
  throw Error(format("no period of %" PRIu64 " cycles; there are %s", wanted, choices.c_str()));
}

int Gpu::open_stream(const Tile& tile, uint64_t period) const {
  // The recorder reads on each tick; a wakeup is for when that is too slow. The number counts
  // records of all cores. If one core had made them all, a quarter of its ring would be full.
  const uint64_t wake_at = std::max<uint64_t>(ring_records_ / 4, 1);
  SetProperty wait{}, rate{}, gt{};
  wait.property = kPropertyWaitNumReports;
  wait.value = wake_at;
  rate.property = kPropertySampleRate;
  rate.value = period;
  rate.next = address_of(&wait);
  gt.property = kPropertyGtId;
  gt.value = tile.gt;
  gt.next = address_of(&rate);
  for (SetProperty* property : {&wait, &rate, &gt}) property->name = kSetProperty;
  ObservationParam param{};
  param.type = kObservationTypeEuStall;
  param.op = kObservationOpStreamOpen;
  param.param = address_of(&gt);
  const int stream = request(fd_, kIoctlObservation, &param);
  if (stream < 0) throw Error(stream_obstacle(errno));
  // the kernel sets neither, and has no flags for them
  fcntl(stream, F_SETFD, FD_CLOEXEC);
  fcntl(stream, F_SETFL, O_NONBLOCK);
  return stream;
}

}  // namespace aiflame::source::xe
