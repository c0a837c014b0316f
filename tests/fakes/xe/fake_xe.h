// SPDX-License-Identifier: MIT
// A fake of the xe driver's EU stall interface, for machines without such a GPU: preloaded into
// gpustall-record, it answers for the render nodes that the directory $FAKE_XE describes. It
// follows the driver's source (Linux, xe_eu_stall.c and xe_query.c) where a program can tell the
// difference: rings that overflow, a worker that looks at them every 5 ms, samples lost when a
// stream stops.
//
// $FAKE_XE/script has one command per line:
//   node MINOR DRIVER              /dev/dri/renderDMINOR; the lines after it are about it
//   open-node ERRNO                it cannot be opened
//   sampler BYTES PERIOD...        the answer to the EU stall query: record size, sampling rates
//   sampler ERRNO | sampler none   or an error, or an empty answer
//   gt ID TYPE TILE MAJOR MINOR    a GT; TYPE 0 is main; its version decides the layout
//   cores N                        Xe cores of each GT from here on; 2 otherwise
//   stream ID OPEN ENABLE [TIMES]  0 or an ERRNO for openings and starts: the next TIMES, or all
//   at ID                          what the hardware of that GT does, from here on:
//     tick [FILE]                  the worker's next look; with FILE, that file must have existed
//                                  for 20 ms: the worker is that late on kernels that count in
//                                  10 ms
//     row CORE ADDRESS NAME=N...   a record into the core's ring
//     rows TIMES CORE ADDRESS NAME=N...
//     reset                        the GT is reset; the next opening or start fails with
//     fail OPEN ENABLE [TIMES]     these errors, as in `stream`
//     drained                      what follows waits until all records have been read
//     hold FIFO                    or until the FIFO has a reader, which is kept waiting
//     release                      all held readers read the end of their FIFO, when each device
//                                  with a hold has reached one
// $FAKE_XE/root holds the files that are opened instead of those of /dev/dri and /sys/class/drm and
// /proc/sys/dev/xe. $FAKE_XE/log has the program's calls, and the counts of samples fed, read and
// lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/held_readers.h"

namespace fake_xe {

using Record = std::vector<unsigned char>;

struct Row {
  Record bytes;
  uint64_t samples = 0;
};

struct Failure {
  int open = 0, enable = 0;  // errno
  uint64_t times = UINT64_MAX;
};

struct Step {
  enum class Kind { tick, rows, reset, fail, drained, hold, release } kind = Kind::tick;
  std::string file;  // the file of a tick, or the FIFO of a hold
  size_t core = 0;
  uint64_t times = 1;
  Row row;
  Failure failure;
};

class Gt {
 public:
  Gt(unsigned id, unsigned type, unsigned tile, unsigned major, unsigned minor, size_t cores);
  ~Gt();

  const unsigned id, type, tile, major, minor;
  Failure failure;
  std::deque<Step> steps;  // still to be played

  // A hold has been added to the steps.
  void expect_hold() { readers_.expect(); }
  // The name of the layout that belongs to the version that the driver reports.
  std::string layout() const;

  // Like the driver's functions, these return 0 or more, or a negative errno.
  int open(uint64_t period, uint64_t wait, size_t record_bytes, const std::string& node);
  int ioctl(unsigned long request);
  long read(unsigned char* to, size_t size);
  void close();
  int fd() const { return fd_; }

 private:
  struct Ring {
    std::deque<Row> rows;
    size_t seen = 0;  // what the worker has seen
    bool drop = false;
  };

  int enable();
  int fail(int error);
  void disable();
  void work();
  void catch_up();
  void look();
  bool play();
  bool is_waiting(const Step& step);
  void put(const Step& step);
  void wake();
  uint64_t forget_rows();

  std::mutex lock_;
  std::string node_;
  std::vector<Ring> rings_;
  HeldReaders readers_;
  int fd_ = -1;
  size_t record_bytes_ = 64, capacity_ = 0;
  uint64_t wait_ = 1;
  bool enabled_ = false, pollin_ = false, reset_ = false, told_drop_ = false;
  uint64_t enabled_at_ = 0, ticks_ = 0;
  std::thread worker_;
  uint64_t fed_ = 0, read_ = 0, dropped_ = 0, undrained_ = 0;
};

struct Node {
  int minor = 0;
  std::string driver;
  int open_error = 0;
  int sampler_error = 0;
  bool has_sampler = false;
  size_t record_bytes = 64;
  std::vector<uint64_t> periods;
  std::vector<Gt*> gts;
};

// The nodes that $FAKE_XE describes; reads the script at the first call, and aborts if it cannot
// parse it.
std::map<int, Node>& nodes();
// Writes a line to $FAKE_XE/log.
void log(const std::string& line);
// The system call read(2): read() is the fake's.
long raw_read(int fd, void* to, size_t size);
// The number of "EBUSY" and the like; 0 for "0".
int error_number(const std::string& name);

// The rings' size in the driver: SZ_512K for each core.
inline constexpr size_t kRingBytes = 512 * 1024;

}  // namespace fake_xe
