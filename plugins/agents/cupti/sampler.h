/* SPDX-License-Identifier: MIT
 *
 * PC sampling of one context. What CUPTI refuses is told the user, and the program runs on without.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/settings.h"

namespace aiflame::agent::cupti {

class Sampler {
 public:
  // In the callback that says that `context` is made. Null without memory, or when it is refused.
  static Sampler* start(const Cupti& cupti, const Settings& settings, CUcontext context,
                        uint32_t device, const char* device_name);
  // Tells of all samples there are, the driver's own and the lost ones too. What is to be done then
  // is left to settle().
  void read();
  // What CUPTI has put aside, if it has: to be called where a module is loaded, since it tells code
  // apart by its place on the device, which the next may have; and with `exact` behind a launch.
  void read_flushed();

  // What follows is for the program's own threads, as worker.h has it.

  // With windows only: samples are taken from here on, and no more. False where it is refused.
  bool open_window();
  void close_window();
  // What a read has found to be due.
  void settle();
  // Reads the rest, and gives the memory back. The context may be going away.
  void finish();
  // Without another call about the context, which is gone: the rest is lost.
  void abandon();

  CUcontext context() const { return context_; }
  bool has_due() const { return due_ != Due::nothing; }

 private:
  struct Buffers;
  // After a read that CUPTI refused: sampling is set up anew, or ends.
  enum class Due : uint8_t { nothing, renewal, end };

  Sampler(const Cupti& cupti, const Settings& settings, CUcontext context, uint32_t device)
      : cupti_(cupti), settings_(settings), context_(context), device_(device) {}
  bool enable();
  bool configure();
  bool set(CUpti_PCSamplingConfigurationInfo* attributes, size_t count) const;
  void tell_of_device(const char* name) const;
  bool take_reasons();
  bool has_flushed() const;
  bool read_calls(bool in_callback);
  void disable();
  void tell_full();
  void recover();
  void take(const CUpti_PCSamplingData& data);
  void take(const CUpti_PCSamplingPCData& pc);
  void take_counts(const CUpti_PCSamplingData& data);
  void compare_counts();

  const Cupti& cupti_;
  const Settings& settings_;
  const CUcontext context_;
  const uint32_t device_;
  Buffers* buffers_ = nullptr;
  Due due_ = Due::nothing;
  size_t reason_count_ = 0;
  bool is_enabled_ = false, is_configured_ = false;
  bool has_windows_ = false, is_open_ = false;
  bool has_told_full_ = false, has_told_window_ = false;
  bool are_buffers_cupti_s_ = false;  // for good
  uint32_t recoveries_ = 0;
  uint64_t reads_ = 0, samples_ = 0;
  // Of the drain that is going on: samples that CUPTI says there are (totalSamples), and those that
  // it told of: handed out, dropped and of the driver.
  uint64_t counted_ = 0, told_ = 0;
  uint64_t uncounted_ = 0;  // of all drains: told of, beyond what was said
  bool has_told_withheld_ = false;
};

}  // namespace aiflame::agent::cupti
