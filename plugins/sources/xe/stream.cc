// SPDX-License-Identifier: MIT
#include "plugins/sources/xe/stream.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libcommon/base/clock.h"
#include "plugins/sources/xe/obstacle.h"
#include "plugins/sources/xe/xe_uapi.h"

namespace aiflame::source::xe {
namespace {

// How long to wait before opening a stream again that has ended (the GPU is gone, or wedged).
constexpr uint64_t kRetryNs = 1000000000;

// A drain normally ends by itself, as the driver only shows what its worker has read, every 5 ms.
// This bound, 64 GiB with the plugin's buffer, is for a driver that never ends.
constexpr int kMaxReads = 16384;

int start(int fd) {
  return ioctl(fd, kIoctlEnable, 0) == 0 ? 0 : errno;
}

}  // namespace

Stream::Stream(const Gpu& gpu, const Tile& tile, uint64_t period, int readiness)
    : gpu_(gpu), tile_(tile), period_(period), readiness_(readiness) {
  open();
}

Stream::~Stream() {
  close();
}

void Stream::open() {
  fd_ = gpu_.open_stream(tile_, period_);
  // after a failed start the driver believes the stream to be started, so it is useless
  if (const int error = start(fd_); error != 0) {
    close();
    throw Error(stream_obstacle(error));
  }
  epoll_event ready{};
  ready.events = EPOLLIN;
  epoll_ctl(readiness_, EPOLL_CTL_ADD, fd_, &ready);
}

void Stream::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void Stream::stop() {
  if (fd_ >= 0) ioctl(fd_, kIoctlDisable, 0);
}

Drained Stream::drain(std::vector<unsigned char>& buffer, EuStallTally& tally) {
  Drained drained;
  if (fd_ < 0) {
    if (monotonic_ns() >= retry_at_) recover(ENODEV, drained);
    return drained;
  }
  int losses_in_turn = 0;
  for (int reads = 0; reads < kMaxReads; ++reads) {
    const ssize_t bytes = read(fd_, buffer.data(), buffer.size());
    if (bytes > 0) {
      losses_in_turn = 0;
      const auto whole = static_cast<size_t>(bytes);
      tally.add({buffer.data(), whole}, gpu_.record_bytes());
      if (whole % gpu_.record_bytes() != 0) drained.lost = true;
    } else if (bytes == 0 || errno == EAGAIN) {
      break;
    } else if (errno == EIO) {
      // The ring of some core was full, and the hardware dropped samples. The next read goes on
      // with the rest. The driver reports this once for all cores that one read visits, so the
      // number of reports means nothing.
      drained.lost = true;
      if (++losses_in_turn > 1) break;
    } else if (errno != EINTR) {
      recover(errno, drained);
      break;
    }
  }
  return drained;
}

// Starts anew after a reset of the GT, which invalidates the rings (ENODEV, from kernels that
// notice it), or after any other answer that a read should not give.
void Stream::recover(int error, Drained& drained) {
  drained.lost = true;
  if (fd_ >= 0 && ioctl(fd_, kIoctlDisable, 0) == 0 && start(fd_) == 0) {
    if (!reset_reported_)
      drained.trouble =
          format("the GPU was reset, or its sampler: samples since the last read are lost (%s)",
                 std::strerror(error));
    reset_reported_ = true;
    return;
  }
  close();
  try {
    open();
    if (!reset_reported_)
      drained.trouble =
          format("the stream ended and was opened again: samples between are lost (%s)",
                 std::strerror(error));
    reset_reported_ = true;
  } catch (const Error& why) {
    retry_at_ = monotonic_ns() + kRetryNs;
    if (!end_reported_)
      drained.trouble = format("no samples any more (%s): %s; it is tried again each second",
                               std::strerror(error), why.what());
    end_reported_ = true;
  }
}

}  // namespace aiflame::source::xe
