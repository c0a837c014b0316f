// SPDX-License-Identifier: MIT
// What one thread makes and another takes, in order, and as much ahead as there are pieces.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace aiflame {

template <typename Piece>
class Handover {
 public:
  // Starts a thread that calls `make(piece)`, which returns false at the end and may throw.
  template <typename Make>
  Handover(size_t pieces, Make make) : empty_(pieces) {
    thread_ = std::thread([this, make] {
      try {
        Piece piece;
        while (wait_for_empty(piece) && make(piece)) give(std::move(piece));
      } catch (...) {
        failure_ = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      done_ = true;
      changed_.notify_all();
    });
  }
  ~Handover() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  // The next piece in place of `piece`, which is used again; false at the end. Throws what make()
  // threw, behind all it made before.
  bool next(Piece& piece) {
    std::unique_lock lock(mutex_);
    if (taken_) {
      empty_.push_back(std::move(piece));
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return !full_.empty() || done_; });
    taken_ = !full_.empty();
    if (!taken_) {
      if (failure_) std::rethrow_exception(failure_);
      return false;
    }
    piece = std::move(full_.front());
    full_.pop_front();
    return true;
  }

 private:
  bool wait_for_empty(Piece& piece) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !empty_.empty() || stopped_; });
    if (stopped_) return false;
    piece = std::move(empty_.front());
    empty_.pop_front();
    return true;
  }
  void give(Piece&& piece) {
    const std::lock_guard lock(mutex_);
    full_.push_back(std::move(piece));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> empty_, full_;
  bool done_ = false, stopped_ = false;
  bool taken_ = false;  // the taker has a piece
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace aiflame
