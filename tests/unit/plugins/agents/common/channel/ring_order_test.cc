// SPDX-License-Identifier: MIT
// Checks the memory order of the ring's protocol, which neither x86-64 nor an emulated AArch64 can
// show: the steps of its threads are run here in every order that a weak machine may take.
//
// The machine is that of Arm's model, without its dependencies. There is one memory. A thread's
// step may overtake earlier ones, unless
//   * both are at the same place,
//   * the earlier one loads with acquire,
//   * the later one stores with release, or
//   * the later one computes with what the earlier one has loaded.
// A branch holds nothing back, as in C++: a step behind one may run before the branch is decided.
// Executions in which it is then decided otherwise did not happen, and are left out.
//
// The orders are those of ring.h. With each one weakened a check must fail; else it would prove
// nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "plugins/agents/common/channel/ring.h"

namespace aiflame::agent {
namespace {

using Order = std::memory_order;

bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst;
}
bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::seq_cst;
}

using Memory = std::vector<int>;  // by place
using Loaded = std::vector<int>;  // by step of a thread; -1: it has not run

struct Step {
  int place;
  Order order;
  // What it stores, given what the place holds and what earlier steps have loaded; it stores what
  // the place holds when it only loads.
  std::function<int(int held, const Loaded& loaded)> store;
  std::vector<size_t> computes_with;  // numbers of earlier steps
};

Step load(int place, Order order) {
  return {place, order, [](int held, const Loaded&) { return held; }, {}};
}
Step put(int place, int value, Order order) {
  return {place, order, [value](int, const Loaded&) { return value; }, {}};
}
Step add(int place, int value, Order order) {
  return {place, order, [value](int held, const Loaded&) { return held + value; }, {}};
}

struct End {
  Memory memory;
  std::vector<Loaded> loaded;  // by thread
  bool operator<(const End& other) const {
    return std::pair(memory, loaded) < std::pair(other.memory, other.loaded);
  }
};

// Every end that the threads can come to.
class Executions {
 public:
  Executions(const Memory& memory, std::vector<std::vector<Step>> threads)
      : threads_(std::move(threads)) {
    End begin{memory, {}};
    for (const auto& thread : threads_) begin.loaded.emplace_back(thread.size(), -1);
    follow(begin);
  }

  // Whether some end has that form.
  bool may_end(const std::function<bool(const End&)>& in) const {
    for (const End& end : ends_)
      if (in(end)) return true;
    return false;
  }

 private:
  static bool may_run(const std::vector<Step>& thread, const Loaded& loaded, size_t at) {
    const Step& later = thread[at];
    for (size_t i = 0; i < at; ++i) {
      const Step& earlier = thread[i];
      bool is_held =
          earlier.place == later.place || acquires(earlier.order) || releases(later.order);
      for (const size_t needed : later.computes_with) is_held |= needed == i;
      if (is_held && loaded[i] < 0) return false;
    }
    return true;
  }

  void follow(const End& from) {
    if (!seen_.insert(from).second) return;
    bool is_end = true;
    for (size_t t = 0; t < threads_.size(); ++t) {
      for (size_t i = 0; i < threads_[t].size(); ++i) {
        if (from.loaded[t][i] >= 0 || !may_run(threads_[t], from.loaded[t], i)) continue;
        is_end = false;
        const Step& step = threads_[t][i];
        End next = from;
        int& held = next.memory[static_cast<size_t>(step.place)];
        next.loaded[t][i] = held;
        held = step.store(held, next.loaded[t]);
        follow(next);
      }
    }
    if (is_end) ends_.insert(from);
  }

  std::vector<std::vector<Step>> threads_;
  std::set<End> seen_, ends_;
};

// ---- a record ----------------------------------------------------------------------------------

// One thread publishes a record, the recorder reads it.
bool reads_half_a_record(Order publish, Order take) {
  enum { content, size };
  const Executions all({0, 0}, {{put(content, 7, Order::relaxed), put(size, 1, publish)},
                                {load(size, take), load(content, Order::relaxed)}});
  return all.may_end([](const End& end) { return end.loaded[1][0] == 1 && end.loaded[1][1] != 7; });
}

TEST(RingOrder, ARecordIsWholeWhenItsSizeIsThere) {
  EXPECT_FALSE(reads_half_a_record(order::kPublish, Order::acquire));
  EXPECT_TRUE(reads_half_a_record(Order::relaxed, Order::acquire));
  EXPECT_TRUE(reads_half_a_record(order::kPublish, Order::relaxed));
}

// The recorder gives a place back, where a thread then writes another record.
bool loses_a_record(Order give_back, Order tail_order) {
  enum { size, tail };
  const Executions all({5, 0}, {{put(size, 0, Order::relaxed), put(tail, 1, give_back)},
                                {load(tail, tail_order), put(size, 3, order::kPublish)}});
  // not those in which the ring is still full
  return all.may_end([](const End& end) { return end.loaded[1][0] == 1 && end.memory[size] != 3; });
}

TEST(RingOrder, ZeroesComeBeforeTheNextRecord) {
  EXPECT_FALSE(loses_a_record(Order::release, order::kTail));
  EXPECT_TRUE(loses_a_record(Order::relaxed, order::kTail));
}

// The content of a record, whose stores are held back by nothing but the tail's load.
bool loses_content(Order tail_order) {
  enum { content, tail };
  const Executions all({5, 0}, {{put(content, 0, Order::relaxed), put(tail, 1, Order::release)},
                                {load(tail, tail_order), put(content, 3, Order::relaxed)}});
  return all.may_end(
      [](const End& end) { return end.loaded[1][0] == 1 && end.memory[content] != 3; });
}

TEST(RingOrder, ARecordIsFilledInAfterTheTailWasSeen) {
  EXPECT_FALSE(loses_content(order::kTail));
  EXPECT_TRUE(loses_content(Order::relaxed));
}

// ---- what is known -----------------------------------------------------------------------------

// One thread writes a stack and marks it as known. Another finds it there and writes a launch.
bool launch_precedes_its_stack(Order mark, Order known) {
  enum { head, size, slot };
  const Executions all(
      {0, 0, 0}, {{add(head, 1, order::kHead), put(size, 1, order::kPublish), put(slot, 9, mark)},
                  {load(slot, known), add(head, 1, order::kHead)}});
  return all.may_end([](const End& end) {
    const int place_of_stack = end.loaded[0][0], place_of_launch = end.loaded[1][1];
    return end.loaded[1][0] == 9 && place_of_launch < place_of_stack;
  });
}

TEST(RingOrder, AStackPrecedesALaunchThatFoundItKnown) {
  EXPECT_FALSE(launch_precedes_its_stack(order::kMark, order::kKnown));
  EXPECT_TRUE(launch_precedes_its_stack(order::kMark, Order::relaxed));
  EXPECT_TRUE(launch_precedes_its_stack(Order::acquire, order::kKnown));
}

// Another recorder comes while a thread marks what it has written for the one before.
bool is_known_to_the_wrong_one(Order take_away, Order mark) {
  enum { ring_place, slot };
  constexpr int kBefore = 1, kNobody = 0, kAfter = 2, kId = 9;
  Step take_back = put(slot, 0, order::kForget);
  take_back.computes_with = {1};
  take_back.store = [](int held, const Loaded& loaded) { return loaded[1] == kBefore ? held : 0; };
  const Executions all({kBefore, 0},
                       {{put(ring_place, kNobody, take_away), put(slot, 0, order::kForget),
                         put(ring_place, kAfter, Order::release)},
                        {put(slot, kId, mark), load(ring_place, Order::relaxed), take_back}});
  return all.may_end([](const End& end) { return end.memory[slot] == kId; });
}

TEST(RingOrder, AnotherRecorderKnowsNothingOfTheOneBefore) {
  EXPECT_FALSE(is_known_to_the_wrong_one(Order::seq_cst, order::kMark));
  EXPECT_TRUE(is_known_to_the_wrong_one(Order::seq_cst, Order::release));
}

// The machine itself: what x86-64 forbids, this one does, and order forbids it here.
TEST(RingOrder, TheMachineIsWeak) {
  enum { x, y };
  const auto both_late = [](Order first, Order second) {
    const Executions all(
        {0, 0}, {{load(x, first), put(y, 1, second)}, {load(y, first), put(x, 1, second)}});
    return all.may_end(
        [](const End& end) { return end.loaded[0][0] == 1 && end.loaded[1][0] == 1; });
  };
  EXPECT_TRUE(both_late(Order::relaxed, Order::relaxed));
  EXPECT_FALSE(both_late(Order::acquire, Order::relaxed));
  EXPECT_FALSE(both_late(Order::relaxed, Order::release));
}

}  // namespace
}  // namespace aiflame::agent
