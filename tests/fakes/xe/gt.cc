// SPDX-License-Identifier: MIT
// One GT with its stream, as xe_eu_stall.c behaves towards a program.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "tests/fakes/xe/fake_xe.h"

namespace fake_xe {
namespace {

constexpr uint64_t kWorkerNs = 5000000;  // POLL_PERIOD_MS

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// Whether the file has existed for 20 ms.
bool has_stood(const std::string& path) {
  constexpr int64_t kNs = 20000000;
  struct stat file {};
  timespec now{};
  if (stat(path.c_str(), &file) != 0) return false;
  clock_gettime(CLOCK_REALTIME, &now);
  return (now.tv_sec - file.st_mtim.tv_sec) * 1000000000 + now.tv_nsec - file.st_mtim.tv_nsec >=
         kNs;
}

}  // namespace

Gt::Gt(unsigned id_, unsigned type_, unsigned tile_, unsigned major_, unsigned minor_, size_t cores)
    : id(id_), type(type_), tile(tile_), major(major_), minor(minor_), rings_(cores) {}

Gt::~Gt() = default;

// xe_eu_stall_data_record_size()
std::string Gt::layout() const {
  return major >= 35 ? "xe3p" : major >= 20 ? "xe2" : "pvc";
}

int Gt::open(uint64_t period, uint64_t wait, size_t record_bytes, const std::string& node) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (failure.open != 0 && failure.times > 0) return fail(failure.open);
  if (fd_ >= 0) return -EBUSY;
  const uint64_t multiple = period / 251;
  const uint64_t most = kRingBytes * rings_.size() / 64;
  if (multiple < 1 || multiple > 7 || wait < 1 || wait > most) return -EINVAL;
  wait_ = wait;
  record_bytes_ = record_bytes;
  capacity_ = kRingBytes / record_bytes;
  node_ = node;
  enabled_ = pollin_ = reset_ = false;
  fd_ = eventfd(0, 0);
  log("open " + node_ + " gt " + std::to_string(id) + " period " + std::to_string(period) +
      " wait " + std::to_string(wait));
  return fd_;
}

uint64_t Gt::forget_rows() {
  uint64_t samples = 0;
  for (Ring& ring : rings_) {
    for (const Row& row : ring.rows) samples += row.samples;
    ring = Ring();
  }
  return samples;
}

int Gt::ioctl(unsigned long request) {
  constexpr unsigned long kEnable = 0x6900, kDisable = 0x6901;
  if (request == kEnable) {
    const std::lock_guard<std::mutex> guard(lock_);
    return enabled_ ? 0 : enable();
  }
  if (request == kDisable) {
    disable();
    return 0;
  }
  return -EINVAL;
}

int Gt::fail(int error) {
  --failure.times;
  return -error;
}

int Gt::enable() {
  enabled_ = true;
  const int flags = fcntl(fd_, F_GETFL), inherited = fcntl(fd_, F_GETFD) & FD_CLOEXEC;
  log("enable " + node_ + " gt " + std::to_string(id) +
      ((flags & O_NONBLOCK) != 0 ? " nonblocking" : " blocking") +
      (inherited != 0 ? " cloexec" : " inherited"));
  undrained_ += forget_rows();
  reset_ = told_drop_ = false;
  enabled_at_ = now_ns();
  ticks_ = 0;
  if (failure.enable != 0 && failure.times > 0) return fail(failure.enable);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  worker_ = std::thread(&Gt::work, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return 0;
}

void Gt::disable() {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (!enabled_) return;
    enabled_ = false;
  }
  if (worker_.joinable()) worker_.join();
  const std::lock_guard<std::mutex> guard(lock_);
  undrained_ += forget_rows();
  log("disable " + node_ + " gt " + std::to_string(id) + " fed " + std::to_string(fed_) + " read " +
      std::to_string(read_) + " dropped " + std::to_string(dropped_) + " undrained " +
      std::to_string(undrained_) + " steps left " + std::to_string(steps.size()));
}

void Gt::close() {
  disable();
  const std::lock_guard<std::mutex> guard(lock_);
  log("close " + node_ + " gt " + std::to_string(id));
  fd_ = -1;
}

// ---- the worker --------------------------------------------------------------------------------

void Gt::work() {
  for (;;) {
    const timespec wait{0, static_cast<long>(kWorkerNs)};
    nanosleep(&wait, nullptr);
    const std::lock_guard<std::mutex> guard(lock_);
    if (!enabled_) return;
    catch_up();
  }
}

// Catches up with the time, so that a reader does not notice that a busy machine's worker is late.
void Gt::catch_up() {
  const uint64_t due = (now_ns() - enabled_at_) / kWorkerNs;
  for (; ticks_ < due && !reset_; ++ticks_) {
    if (play()) look();
  }
}

// Plays the steps up to and including the next tick. False while a step waits.
bool Gt::play() {
  while (!steps.empty()) {
    const Step step = steps.front();
    if (is_waiting(step)) return false;
    steps.pop_front();
    if (step.kind == Step::Kind::tick) return true;
    if (step.kind == Step::Kind::rows) {
      put(step);
    } else if (step.kind == Step::Kind::reset) {
      reset_ = true;
      undrained_ += forget_rows();
    } else if (step.kind == Step::Kind::fail) {
      failure = step.failure;
    }
  }
  return true;
}

bool Gt::is_waiting(const Step& step) {
  if (step.kind == Step::Kind::tick) return !step.file.empty() && !has_stood(step.file);
  if (step.kind == Step::Kind::hold) return !readers_.hold(step.file);
  if (step.kind == Step::Kind::release) return !readers_.release();
  return step.kind == Step::Kind::drained &&
         std::any_of(rings_.begin(), rings_.end(),
                     [](const Ring& ring) { return !ring.rows.empty(); });
}

// Puts the step's record into its core's ring, as often as the step says.
void Gt::put(const Step& step) {
  Ring& ring = rings_.at(step.core);
  for (uint64_t i = 0; i < step.times; ++i) {
    fed_ += step.row.samples;
    if (ring.rows.size() < capacity_) {
      ring.rows.push_back(step.row);
    } else {
      dropped_ += step.row.samples;
      ring.drop = true;
    }
  }
}

// eu_stall_data_buf_poll()
void Gt::look() {
  uint64_t rows = 0;
  for (Ring& ring : rings_) {
    ring.seen = ring.rows.size();
    rows += ring.seen;
  }
  pollin_ = rows >= wait_ || reset_;
  if (pollin_) wake();
}

void Gt::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
}

// ---- read --------------------------------------------------------------------------------------

// xe_eu_stall_stream_read() of a descriptor that does not block
long Gt::read(unsigned char* to, size_t size) {
  const std::lock_guard<std::mutex> guard(lock_);
  size -= size % record_bytes_;
  if (size == 0 || !enabled_) return -EINVAL;
  catch_up();
  if (reset_) return -ENODEV;  // and the descriptor stays readable
  uint64_t wakes = 0;
  if ((fcntl(fd_, F_GETFL) & O_NONBLOCK) == 0) return -EINVAL;  // the test would hang in it
  raw_read(fd_, &wakes, sizeof wakes);
  pollin_ = false;
  const bool dropped =
      std::any_of(rings_.begin(), rings_.end(), [](const Ring& ring) { return ring.drop; });
  if (dropped) {
    told_drop_ = !told_drop_;
    if (told_drop_) {
      log("read " + node_ + " gt " + std::to_string(id) + " EIO");
      return -EIO;
    }
  }
  size_t filled = 0;
  for (Ring& ring : rings_) {
    while (ring.seen > 0 && size - filled >= record_bytes_) {
      const Row& row = ring.rows.front();
      std::memcpy(to + filled, row.bytes.data(), record_bytes_);
      filled += record_bytes_;
      read_ += row.samples;
      ring.rows.pop_front();
      --ring.seen;
    }
    ring.drop = false;
    if (filled == size) break;
  }
  return filled > 0 ? static_cast<long>(filled) : -EAGAIN;
}

}  // namespace fake_xe
