// SPDX-License-Identifier: MIT
// Work that is cut into pieces, done by all cores.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace aiflame {

// How many threads are worth having.
size_t workers();

// A thread that does this, kept off this one's processor: it would wait for its maker there, and
// some kernels leave it, and put it back when it is woken, for milliseconds, which may be all the
// time that there is. Not joinable where there is no other processor, or no thread to be had.
std::thread thread_elsewhere(const std::function<void()>& work);

// Calls work(0) … work(count - 1) at the same time, each in a thread: work(0) in this one. Where no
// more threads are to be had, the last numbers are left out. Nothing may be thrown.
void in_threads(size_t count, const std::function<void(size_t number)>& work);

// Calls work(0) … work(count - 1), several at a time. Of what is thrown the first in the order of
// the numbers is thrown on, when all have ended: the same whichever thread was faster. A thread,
// which costs a tenth of a millisecond, is started for each `worth` of them.
void in_parallel(size_t count, const std::function<void(size_t number)>& work, size_t worth = 1);

// Writes the texts that make(0, text) … make(count - 1, text) append, in this order. Not many more
// texts than there are threads exist at a time.
void write_in_order(size_t count, const std::function<void(std::string_view text)>& write,
                    const std::function<void(size_t number, std::string& text)>& make,
                    size_t worth = 1);

}  // namespace aiflame
